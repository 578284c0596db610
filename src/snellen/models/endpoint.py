"""Endpoint: keep-alive connections to one HTTP server, for many posts at once and little else.

Why not a general client: see benchmarks/throughput.py, where it costs a quarter of aiohttp's time per request.
"""

from __future__ import annotations

import asyncio
import ssl
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import httptools

LONGEST_REPLY = 64_000_000
CONNECTING = 30.0
"""Seconds until a server that does not take up the connection is given up."""


class Reply(NamedTuple):
    """What a server sent back; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class Endpoint:
    """One address to post to. Connections are opened as needed and kept; a proxy of the environment is respected."""

    def __init__(self, url: str, headers: Mapping[str, str], *, timeout: float) -> None:
        self._url = _checked(url)
        self._timeout = timeout
        self._proxy = _proxy(self._url)
        self._tls = ssl.create_default_context() if self._url.scheme == "https" else None
        self._head = _head(self._url, headers, absolute=self._proxy is not None and self._tls is None)
        self._idle: list[Connection] = []
        self._open: set[Connection] = set()

    async def post(self, parts: Sequence[bytes]) -> Reply:
        """Post a body, given in parts; raises TimeoutError, or another OSError where the connection failed."""
        message = b"".join((self._head, b"%d\r\n\r\n" % sum(map(len, parts)), *parts))
        while self._idle:
            connection = self._idle.pop()
            if not connection.closed:
                try:
                    return await self._exchange(connection, message)
                except StaleConnectionError:
                    continue
        return await self._exchange(await self._connect(), message)

    async def close(self) -> None:
        """Close every connection."""
        for connection in self._open:
            connection.close()
        await asyncio.gather(*(connection.gone for connection in self._open), return_exceptions=True)
        self._open.clear()
        self._idle.clear()

    async def _exchange(self, connection: Connection, message: bytes) -> Reply:
        try:
            reply = await connection.exchange(message, self._timeout)
        except BaseException:
            connection.close()
            self._open.discard(connection)
            raise
        if connection.closed:
            self._open.discard(connection)
        else:
            self._idle.append(connection)
        return reply

    async def _connect(self) -> Connection:
        loop = asyncio.get_running_loop()
        via = self._proxy or self._url
        async with asyncio.timeout(CONNECTING):
            direct = self._tls if self._proxy is None else None
            _, connection = await loop.create_connection(Connection, str(via.hostname), _port(via), ssl=direct)
            if self._proxy is not None and self._tls is not None:
                await self._tunnel(connection)
        self._open.add(connection)
        return connection

    async def _tunnel(self, connection: Connection) -> None:
        """Have the proxy open a way to the server, then speak TLS through it."""
        assert self._proxy is not None
        target = f"{self._url.hostname}:{_port(self._url)}"
        login = _basic("Proxy-Authorization", self._proxy)
        reply = await connection.exchange(
            f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{login}\r\n".encode(), CONNECTING, tunnel=True
        )
        if reply.status != 200:
            connection.close()
            raise ConnectionError(f"the proxy {self._proxy.hostname} answered {reply.status}")
        await connection.start_tls(cast("ssl.SSLContext", self._tls), str(self._url.hostname))


class StaleConnectionError(ConnectionError):
    """A kept connection had been closed by the server before it took the request."""


class Connection(asyncio.Protocol):
    """One connection; one request at a time."""

    _transport: asyncio.Transport

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.closed = False
        self.gone: asyncio.Future[None] = loop.create_future()
        self._loop = loop
        self._used = 0
        self._waiting: asyncio.Future[Reply] | None = None

    async def exchange(self, message: bytes, timeout: float, *, tunnel: bool = False) -> Reply:  # noqa: ASYNC109
        """Send a request and wait for its reply."""
        self._parser = httptools.HttpResponseParser(self)
        self._headers: dict[str, str] = {}
        self._content: list[bytes] = []
        self._size = 0
        self._tunnel, self._started = tunnel, False
        self._used += 1
        self._waiting = self._loop.create_future()
        deadline = self._loop.call_later(timeout, self._late)
        self._transport.write(message)
        try:
            return await self._waiting
        finally:
            deadline.cancel()
            self._waiting = None

    async def start_tls(self, context: ssl.SSLContext, hostname: str) -> None:
        """Speak TLS from here on."""
        secured = await self._loop.start_tls(self._transport, self, context, server_hostname=hostname)
        assert secured is not None
        self._transport = secured

    def close(self) -> None:
        """Hang up."""
        self.closed = True
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the event loop."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Called by the event loop."""
        if self._waiting is None or self._waiting.done():
            self.close()  # nobody asked: the connection is of no use any more
            return
        self._started = True
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self._fail(ConnectionError(f"the server's reply is not HTTP: {error}"))

    def connection_lost(self, error: Exception | None) -> None:
        """Called by the event loop."""
        self.closed = True
        if not self.gone.done():
            self.gone.set_result(None)
        if self._waiting is None or self._waiting.done():
            return
        framed = "content-length" in self._headers or "transfer-encoding" in self._headers
        if self._headers and not framed and error is None:
            self.on_message_complete()  # without a length, the end of the connection is the end of the reply
        elif self._used > 1 and not self._started:
            self._fail(StaleConnectionError("the server had closed the connection"))
        else:
            self._fail(
                ConnectionError(f"the connection was cut before the reply was whole{f': {error}' if error else ''}")
            )

    def on_header(self, name: bytes, value: bytes) -> None:
        """Called by the parser."""
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        """Called by the parser; the answer to CONNECT ends here."""
        if self._tunnel:
            self._done()

    def on_body(self, body: bytes) -> None:
        """Called by the parser."""
        self._size += len(body)
        if self._size > LONGEST_REPLY:
            self._fail(ConnectionError(f"the reply is longer than {LONGEST_REPLY:,} bytes"))
        self._content.append(body)

    def on_message_complete(self) -> None:
        """Called by the parser; what a server says before its answer (1xx) is not the answer."""
        if self._parser.get_status_code() < 200:
            self._headers = {}
        elif not self._tunnel:
            self._done()

    def _done(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            if not self._tunnel and not self._parser.should_keep_alive():
                self.close()
            content = self._content[0] if len(self._content) == 1 else b"".join(self._content)
            self._waiting.set_result(Reply(self._parser.get_status_code(), self._headers, content))

    def _late(self) -> None:
        self._fail(TimeoutError())

    def _fail(self, error: Exception) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(error)


def _checked(url: str) -> SplitResult:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"expected an address such as http://host:8000/v1, got {url!r}")
    _port(parts)
    return parts


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


def _proxy(url: SplitResult) -> SplitResult | None:
    """The environment's proxy for this address."""
    found = getproxies().get(url.scheme) or getproxies().get("all")
    if not found or proxy_bypass(f"{url.hostname}:{_port(url)}"):
        return None
    return _checked(found if "://" in found else f"http://{found}")


def _head(url: SplitResult, headers: Mapping[str, str], *, absolute: bool) -> bytes:
    """The request up to the value of its length."""
    host = url.netloc.rpartition("@")[2]
    target = (url.path or "/") + (f"?{url.query}" if url.query else "")
    lines = [f"POST {f'http://{host}{target}' if absolute else target} HTTP/1.1", f"Host: {host}"]
    for name, value in headers.items():
        if not value.isascii() or any(ord(sign) < 32 for sign in value):
            raise ValueError(f"the value of the header {name} holds characters that cannot be sent")
        lines.append(f"{name}: {value}")
    return "\r\n".join([*lines, "Content-Length: "]).encode()


def _basic(header: str, url: SplitResult) -> str:
    """The login an address holds, as a header line."""
    if url.username is None:
        return ""
    return f"{header}: {basic_login(url)}\r\n"


def basic_login(url: SplitResult) -> str:
    """User and password of an address, as an Authorization header has them."""
    login = f"{unquote(url.username or '')}:{unquote(url.password or '')}"
    return f"Basic {b64encode(login.encode()).decode()}"
