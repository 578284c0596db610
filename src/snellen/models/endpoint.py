"""Endpoint: keep-alive connections to one HTTP server, for many posts at once and little else.

Why not a general client: benchmarks/client.py holds this one against aiohttp's.
"""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, cast
from urllib.parse import SplitResult, quote
from urllib.request import getproxies, proxy_bypass

import httptools

from snellen.models.address import basic_login, bracketed, checked

LONGEST_REPLY = 64_000_000
LONGEST_HEAD = 256_000
"""Bytes a server may send before the headers of its answer are complete."""
CONNECTING = 30.0
"""Seconds until a server that does not take up the connection is given up."""
PIECE = 256 * 1024
"""Longer requests are handed over in pieces of so many bytes, as fast as the server takes them."""


class Reply(NamedTuple):
    """What a server sent back; header names are in lower case, and of a repeated header the last one stands."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class Endpoint:
    """One address to post to. Connections are opened as needed and kept; a proxy of the environment is respected."""

    def __init__(self, url: str, headers: Mapping[str, str], *, timeout: float) -> None:
        self._url = checked(url, wanted="an address such as http://host:8000/v1")
        self.timeout = timeout
        self._proxy = _proxy(self._url)
        self._via = self._proxy or self._url
        secure = "https" in (self._url.scheme, self._via.scheme)
        self._tls = ssl.create_default_context() if secure else None
        self._head = _head(self._url, headers, proxy=self._proxy)
        self._idle: list[Connection] = []
        self._open: set[Connection] = set()

    async def post(self, parts: Sequence[bytes]) -> Reply:
        """Post a body, given in parts.

        Raises TimeoutError where no reply came in time, NoConnectionError where nobody took the connection,
        CutOffError where the server hung up on it, another OSError where what came is no reply.
        """
        length = sum(map(len, parts))
        message: Sequence[bytes] = (b"%b%d\r\n\r\n" % (self._head, length), *parts)
        if length < PIECE:
            message = (b"".join(message),)
        while self._idle:
            connection = self._idle.pop()
            if connection.usable:
                try:
                    return await self._exchange(connection, message)
                except StaleConnectionError:
                    continue
            self._open.discard(connection)
        return await self._exchange(await self._connect(), message)

    async def close(self) -> None:
        """Close every connection; posts under way fail, later ones open new connections."""
        opened, self._open = self._open, set()
        self._idle.clear()
        ours = [connection for connection in opened if connection.loop is asyncio.get_running_loop()]
        for connection in ours:
            connection.close()
        await asyncio.gather(*(connection.gone for connection in ours))

    async def _exchange(self, connection: Connection, message: Sequence[bytes]) -> Reply:
        try:
            reply = await connection.exchange(message, self.timeout)
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
        opened, limit = self._open, min(CONNECTING, self.timeout)
        try:
            async with asyncio.timeout(limit):
                connection = await self._reach()
        except TimeoutError as error:
            raise NoConnectionError(f"no connection within {limit:g} s") from error
        except ssl.SSLCertVerificationError:
            raise
        except OSError as error:
            raise NoConnectionError(error.strerror or str(error) or type(error).__name__) from error
        if opened is not self._open:
            connection.close()
            await connection.gone
            raise ConnectionError("closed while the connection was being made")
        self._open.add(connection)
        return connection

    async def _reach(self) -> Connection:
        """A connection that ends at the server."""
        loop, outer = asyncio.get_running_loop(), self._tls if self._via.scheme == "https" else None
        _, connection = await loop.create_connection(
            Connection, str(self._via.hostname), _port(self._via), ssl=outer, happy_eyeballs_delay=0.25
        )
        if self._proxy is not None and self._url.scheme == "https":
            try:
                await self._tunnel(connection, self._proxy)
            except BaseException:
                connection.close()
                raise
        return connection

    async def _tunnel(self, connection: Connection, proxy: SplitResult) -> None:
        """Have the proxy open a way to the server, then speak TLS through it."""
        host = str(self._url.hostname)
        target = f"{bracketed(host)}:{_port(self._url)}"
        lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}", *_proxy_login(proxy), "\r\n"]
        reply = await connection.exchange(["\r\n".join(lines).encode()], CONNECTING, tunnel=True)
        if not 200 <= reply.status < 300:
            raise ConnectionError(f"the proxy {proxy.hostname} answered {reply.status}")
        await connection.start_tls(cast("ssl.SSLContext", self._tls), host)


class NoConnectionError(ConnectionError):
    """Nobody took the connection: no such host, nobody listens there, or the way there is barred."""


class CutOffError(ConnectionError):
    """The server hung up before its reply was whole."""


class StaleConnectionError(ConnectionError):
    """A kept connection had been closed by the server before it took the request."""


class Connection(asyncio.Protocol):
    """One connection; one request at a time."""

    _transport: asyncio.Transport

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.closed = False
        self.gone: asyncio.Future[None] = self.loop.create_future()
        self._kept = False
        self._paused = False
        self._waiting: asyncio.Future[Reply] | None = None

    @property
    def usable(self) -> bool:
        """Whether another request may be tried here: a connection dies with the event loop it was made in."""
        return not self.closed and self.loop is asyncio.get_running_loop()

    async def exchange(self, message: Sequence[bytes], limit: float, *, tunnel: bool = False) -> Reply:
        """Send a request and wait so many seconds for its reply; that of a tunnel ends with its headers."""
        self._parser = httptools.HttpResponseParser(self)
        self._headers: dict[str, str] = {}
        self._content = bytearray()
        self._received = 0
        self._headed, self._sent, self._tunnel = False, False, tunnel
        self._unsent = _pieces(message)
        self._waiting = self.loop.create_future()
        deadline = self.loop.call_later(limit, self.close, TimeoutError())
        try:
            self._push()
            return await self._waiting
        finally:
            deadline.cancel()
            self._waiting = None
            # Parser and connection hold each other, and garbage is rarely collected during a run: a connection that
            # failed, or whose error somebody still holds, must not keep what it received and sent.
            del self._parser
            self._content, self._unsent = bytearray(), iter(())

    async def start_tls(self, context: ssl.SSLContext, hostname: str) -> None:
        """Speak TLS from here on."""
        secured = await self.loop.start_tls(self._transport, self, context, server_hostname=hostname)
        assert secured is not None
        self._transport = secured

    def close(self, why: Exception | None = None) -> None:
        """Hang up; whoever waits for a reply is told why."""
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(why or ConnectionError("closed before a reply came"))
        self.closed = True
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the event loop."""
        self._transport = cast("asyncio.Transport", transport)

    def pause_writing(self) -> None:
        """Called by the event loop when the server is slow to read."""
        self._paused = True

    def resume_writing(self) -> None:
        """Called by the event loop when the server has caught up."""
        self._paused = False
        if self._waiting is not None:
            self._push()

    def data_received(self, data: bytes) -> None:
        """Called by the event loop; data that nobody asked for makes a connection useless."""
        if self._waiting is None or self._waiting.done():
            self.close()
            return
        self._received += len(data)
        if self._received > LONGEST_REPLY:
            self.close(ConnectionError(f"the reply is longer than {LONGEST_REPLY:,} bytes"))
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self.close(ConnectionError("the server wants to speak another protocol"))
        except httptools.HttpParserError as error:
            self.close(ConnectionError(f"the server's reply is not HTTP: {error}"))
        if not self._headed and self._received > LONGEST_HEAD:
            self.close(ConnectionError(f"the reply's headers are longer than {LONGEST_HEAD:,} bytes"))

    def connection_lost(self, error: Exception | None) -> None:
        """Called by the event loop."""
        self.closed = True
        if not self.gone.done():
            self.gone.set_result(None)
        framed = self._waiting is None or "content-length" in self._headers or "transfer-encoding" in self._headers
        if not framed and self._headed and error is None:
            self._done()  # without a length, the end of the connection is the end of the reply
        elif self._waiting is not None and self._kept and not self._received:
            self.close(StaleConnectionError("the server had closed the connection"))
        else:
            why = f": {error}" if error else ""
            self.close(CutOffError(f"the connection was cut before the reply was whole{why}"))

    def on_message_begin(self) -> None:
        """Called by the parser; a second answer to one request makes the connection useless."""
        if self._waiting is None or self._waiting.done():
            self.close()
        self._headers, self._headed = {}, False

    def on_header(self, name: bytes, value: bytes) -> None:
        """Called by the parser; what trails the content is left out."""
        if not self._headed:
            self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        """Called by the parser; what a server says before its answer (1xx) is not the answer."""
        self._headed = self._parser.get_status_code() >= 200
        if self._headed and self._tunnel:
            self._done()

    def on_body(self, body: bytes) -> None:
        """Called by the parser."""
        self._content += body

    def on_message_complete(self) -> None:
        """Called by the parser."""
        if self._headed:
            self._done()

    def _push(self) -> None:
        """Hand over as much of the request as the server takes for now."""
        while not self._paused and not self._transport.is_closing():
            piece = next(self._unsent, None)
            if piece is None:
                self._sent = True
                return
            self._transport.write(piece)

    def _done(self) -> None:
        if self._waiting is None or self._waiting.done():
            return
        self._waiting.set_result(Reply(self._parser.get_status_code(), self._headers, bytes(self._content)))
        self._kept = not self._tunnel
        # After an answer that came before all of the question was sent, the two would be out of step.
        if not self._tunnel and not (self._sent and self._parser.should_keep_alive()):
            self.close()


def _pieces(parts: Sequence[bytes]) -> Iterator[memoryview]:
    for part in parts:
        view = memoryview(part)
        for start in range(0, len(view), PIECE):
            yield view[start : start + PIECE]


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


def _proxy(url: SplitResult) -> SplitResult | None:
    """The environment's proxy for this address."""
    found = getproxies().get(url.scheme) or getproxies().get("all")
    if not found or proxy_bypass(f"{url.hostname}:{_port(url)}"):
        return None
    return checked(found if "://" in found else f"http://{found}", wanted="a proxy such as http://host:3128")


def _head(url: SplitResult, headers: Mapping[str, str], *, proxy: SplitResult | None) -> bytes:
    """The request up to the value of its length."""
    host = url.netloc.rpartition("@")[2]
    target = quote((url.path or "/") + (f"?{url.query}" if url.query else ""), safe="/?%:@!$&'()*+,;=~[]")
    relayed = proxy is not None and url.scheme == "http"
    lines = [f"POST {f'http://{host}' if relayed else ''}{target} HTTP/1.1", f"Host: {host}"]
    lines += _proxy_login(proxy) if proxy is not None and relayed else []
    for name, value in headers.items():
        if not re.fullmatch(r"[!#-'*+.0-9A-Z^-z|~-]+", name) or not re.fullmatch(r"[\t -~]*", value):
            raise ValueError(f"the header {name!r} holds characters that cannot be sent")
        lines.append(f"{name}: {value}")
    return "\r\n".join([*lines, "Accept-Encoding: identity", "Content-Length: "]).encode()


def _proxy_login(proxy: SplitResult) -> list[str]:
    return [] if proxy.username is None else [f"Proxy-Authorization: {basic_login(proxy)}"]
