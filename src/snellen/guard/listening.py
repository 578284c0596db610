"""Listening: a server for clients that may be slow, many, or up to no good; its errors have OpenAI's shape.

What it holds against: bodies without end, clients that send or read a byte now and then or nothing at all, more
connections than there is room for, and pages in a browser that call a server on the reader's own computer.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Self
from urllib.parse import urlsplit

import orjson
from aiohttp import web

from snellen.errors import SnellenError

MAX_BODY = 64_000_000
MOST_HELD = 1_000_000_000
"""Bytes of all bodies that are held at once."""
MOST_CONNECTIONS = 1000
SLOWEST_HEAD = 30.0
"""Seconds that a client has to send its headers, and that an idle connection is kept."""
SLOWEST_BODY = 120.0
"""Seconds that a client has to send its body."""
SLOWEST_READER = 60.0
"""Seconds that a client may leave what was sent to it unread."""
_SILENT = logging.Logger("snellen.guard.listening", logging.CRITICAL + 1)
"""The library would print requests that are no HTTP with the line that is wrong: a key, or words about a patient."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Refusal(Exception):  # noqa: N818 - an answer to the client, not a failure of ours
    """A request that is answered with an error: its status, code and message."""

    def __init__(self, message: str, *, status: int = 400, code: str = "invalid_request") -> None:
        super().__init__(message)
        self.status, self.code = status, code

    @property
    def json(self) -> web.Response:
        """The error in OpenAI's shape."""
        kind = "invalid_request_error" if self.status < 500 else "server_error"
        error = {"message": str(self), "type": kind, "param": None, "code": self.code}
        return as_json({"error": error}, status=self.status)


def as_json(value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """A response that holds a value as JSON."""
    return web.Response(body=orjson.dumps(value), status=status, content_type="application/json", headers=headers)


def check_key(http: web.Request, key: str | None) -> None:
    """Refuse a client that lacks the key, where there is one."""
    given = http.headers.get("Authorization", "").removeprefix("Bearer ")
    if key is not None and not hmac.compare_digest(given.encode(errors="replace"), key.encode()):
        raise Refusal("The API key is missing or wrong.", status=401, code="invalid_api_key")


def check_local(http: web.Request) -> None:
    """Refuse pages of other sites, and other names for this computer: a browser can be made to call either."""
    if not is_loopback(_host(http.headers.get("Host", ""))):
        said = "Call this server as 127.0.0.1 or localhost, or start it with a --key that its clients send."
        raise Refusal(said, status=403, code="wrong_host")
    origin = http.headers.get("Origin")
    if origin is not None and not is_loopback(_host(origin.partition("://")[2])):
        said = "Pages of other sites may not call this server, unless it is started with a --key that they send."
        raise Refusal(said, status=403, code="wrong_origin")


def _host(named: str) -> str:
    try:
        return "" if "@" in named else urlsplit(f"//{named}").hostname or ""
    except ValueError:
        return ""


def is_loopback(host: str) -> bool:
    """Whether only this computer can reach an address.

    >>> is_loopback("localhost"), is_loopback("::1"), is_loopback("0.0.0.0"), is_loopback("127.0.0.1.example.org")
    (True, True, False, False)
    """
    return host in LOOPBACK


class Bodies:
    """What clients send, as far as there is room for it."""

    def __init__(self) -> None:
        self._held = 0

    @asynccontextmanager
    async def body(self, http: web.Request) -> AsyncIterator[bytes]:
        """A request's body, for which room is kept until it has been answered."""
        content = bytearray()
        try:
            await self._read(http, content)
            yield bytes(content)
        finally:
            self._held -= len(content)

    async def _read(self, http: web.Request, content: bytearray) -> None:
        if (http.content_length or 0) > MAX_BODY:
            raise _too_large()
        try:
            async with asyncio.timeout(SLOWEST_BODY):
                async for piece in http.content.iter_any():
                    content += piece
                    self._held += len(piece)
                    if len(content) > MAX_BODY:
                        raise _too_large()
                    if self._held > MOST_HELD:
                        raise Refusal("The server holds as much as it can. Ask again.", status=503, code="overloaded")
        except TimeoutError as error:
            message = f"The body did not arrive within {SLOWEST_BODY:g} s."
            raise Refusal(message, status=408, code="request_timeout") from error
        except web.RequestPayloadError as error:
            raise Refusal("The body is not chunked or packed as its headers say.", code="invalid_body") from error


def _too_large() -> Refusal:
    return Refusal(f"The body is larger than {MAX_BODY // 1_000_000} MB.", status=413, code="request_too_large")


async def send(http: web.Request, stream: web.StreamResponse, content: bytes) -> None:
    """Send a piece of a response that was prepared; a client that leaves it unread for too long is cut off."""
    try:
        async with asyncio.timeout(SLOWEST_READER):
            await stream.write(content)
    except TimeoutError:
        if http.transport is not None:
            http.transport.abort()
        raise


class Server:
    """A running endpoint; `url` is what OPENAI_BASE_URL should hold. Leaving `async with` closes it."""

    def __init__(self, runner: web.AppRunner, listener: asyncio.Server, url: str) -> None:
        self._runner, self._listener = runner, listener
        self.url = url

    async def close(self) -> None:
        """Stop listening and end what is under way."""
        self._listener.close()
        await self._runner.cleanup()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()


class _Full(asyncio.Protocol):
    """Tells a client that there is no room for it."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        transport.write(b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n")
        transport.write(b"Connection: close\r\n\r\n")
        transport.close()


async def listen(app: web.Application, host: str, port: int) -> Server:
    """Serve an application at a port, or at any free one for 0; whoever hangs up is no longer worked for."""
    runner = web.AppRunner(
        app,
        access_log=None,
        logger=_SILENT,
        shutdown_timeout=1.0,
        handler_cancellation=True,
        keepalive_timeout=SLOWEST_HEAD,
    )
    await runner.setup()
    server = runner.server
    assert server is not None

    def accepted() -> asyncio.Protocol:
        return _Full() if len(server.connections) >= MOST_CONNECTIONS else server()

    try:
        listener = await asyncio.get_running_loop().create_server(accepted, host, port, backlog=1024)
    except OSError as error:
        await runner.cleanup()
        raise SnellenError(f"Cannot listen on {host}, port {port}: {error.strerror}. Choose another port.") from error
    bound = listener.sockets[0].getsockname()[1]
    return Server(runner, listener, f"http://{f'[{host}]' if ':' in host else host}:{bound}/v1")
