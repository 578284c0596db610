"""Protection of our servers against slow, many or hostile clients.

Limits apply to the size of bodies, the time to send or read, and the number of connections. Web pages of other sites
cannot call a server on the user's own computer. Errors have OpenAI's format.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import socket
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any, Self
from urllib.parse import urlsplit

import orjson
from aiohttp import web

from snellen.errors import SnellenError, StudyError

MAX_BODY = 64_000_000
MOST_HELD = 1_000_000_000
"""Most bytes of all bodies in memory at once; one client may use half of them."""
MOST_VALUES = 1_000_000
"""Most values in a body: an empty object has three bytes there, but takes a hundred in memory."""
MOST_CONNECTIONS = 1000
MOST_PER_CLIENT = 500
"""Most connections of one client: half of all, so that a single client cannot lock out the others."""
SLOWEST_HEAD = 30.0
"""Seconds that a client has to send its headers, and that an idle connection stays open."""
SLOWEST_BODY = 120.0
"""Seconds that a client has to send its body."""
SLOWEST_READER = 60.0
"""Seconds that a client has to read what the server sent."""
_SILENT = logging.Logger("snellen.listening", logging.CRITICAL + 1)
"""Logger that prints nothing. Otherwise the library would print invalid requests, which may hold keys or patient
data."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")
_EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - only compared, not listened on


class Refusal(Exception):  # noqa: N818 - an answer to the client, not a failure of the server
    """Error that answers a request: its message, HTTP status and code."""

    def __init__(self, message: str, *, status: int = 400, code: str = "invalid_request") -> None:
        super().__init__(message)
        self.status, self.code = status, code

    @property
    def json(self) -> web.Response:
        """The error as an HTTP response in OpenAI's format."""
        kind = "invalid_request_error" if self.status < 500 else "server_error"
        error = {"message": str(self), "type": kind, "param": None, "code": self.code}
        return as_json({"error": error}, status=self.status)

    @property
    def raw(self) -> bytes:
        """The error as bytes, for a client whose request is not read."""
        body = orjson.dumps({"error": {"message": str(self), "code": self.code}})
        head = (
            f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}\r\nRetry-After: 1\r\nConnection: close\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body


def as_json(value: Any, *, status: int = 200) -> web.Response:
    """Return an HTTP response that holds a value as JSON."""
    headers = {"X-Content-Type-Options": "nosniff"}
    return web.Response(body=orjson.dumps(value), status=status, content_type="application/json", headers=headers)


def check_key(http: web.Request, key: str | None) -> None:
    """Refuse a client without the server's key. A None key lets all clients in."""
    given = http.headers.get("Authorization", "").removeprefix("Bearer ")
    if key is not None and not hmac.compare_digest(given.encode(errors="replace"), key.encode()):
        raise Refusal("The API key is missing or wrong.", status=401, code="invalid_api_key")


@dataclass(frozen=True)
class Callers:
    """Host names and web pages that may call a server without a key.

    A web page can call any server that its reader reaches, and its owner can point a host name at this computer. So
    requests under other names and from pages of other sites are refused. `advice` tells the user what to do.
    """

    names: frozenset[str]
    advice: str

    @classmethod
    def from_host(cls, host: str, more: Iterable[str] = (), *, advice: str = "") -> Self:
        """Accept the host listened on, the loopback names, and the names in `more`."""
        names = set(LOOPBACK)
        for each in (host, *more):
            name = _host(f"[{each}]" if each.count(":") > 1 and not each.startswith("[") else each)
            if not name or "/" in each:
                raise StudyError(f"Expected the name of a host, such as guard.example.org; got {each!r:.90}.")
            names.add(name)
        if host in _EVERYWHERE and (own := _host(socket.gethostname())):
            names.add(own)
        usual = "Call this server as localhost or by its address, or start it with --allow-host NAME."
        return cls(frozenset(names), advice or usual)

    def check(self, headers: Mapping[str, str]) -> None:
        """Refuse a request under another host name or from another site's page."""
        if not self._has(_host(headers.get("Host", ""))):
            raise Refusal(f"This server has another name. {self.advice}", status=403, code="wrong_host")
        site, origin = headers.get("Sec-Fetch-Site"), headers.get("Origin")
        if site in ("same-origin", "none"):
            return
        foreign = site == "cross-site" and headers.get("Sec-Fetch-Mode") != "navigate"
        if foreign if origin is None else not self._has(_host(origin.partition("://")[2])):
            raise Refusal("Pages of other sites may not call this server.", status=403, code="wrong_origin")

    def _has(self, host: str) -> bool:
        """Return True if a host name is ours. If the server listens on all addresses, any address is."""
        return host in self.names or (not self.names.isdisjoint(_EVERYWHERE) and _is_address(host))


def _host(named: str) -> str:
    try:
        return "" if "@" in named else urlsplit(f"//{named}").hostname or ""
    except ValueError:
        return ""


def _is_address(host: str) -> bool:
    try:
        return bool(ip_address(host))
    except ValueError:
        return False


def is_loopback(host: str) -> bool:
    """Return True if only this computer can reach an address.

    >>> is_loopback("localhost"), is_loopback("::1"), is_loopback("0.0.0.0"), is_loopback("127.0.0.1.example.org")
    (True, True, False, False)
    """
    return host in LOOPBACK


@lru_cache(maxsize=2 * MOST_CONNECTIONS)
def name_client(address: str) -> str:
    """Name a client by its IPv4 address or its IPv6 network (/64).

    >>> name_client("192.0.2.7"), name_client("::ffff:192.0.2.7"), name_client("2001:db8::7%eth0")
    ('192.0.2.7', '192.0.2.7', '2001:db8::/64')
    """
    if ":" not in address:
        return address
    read = IPv6Address(address.partition("%")[0])
    return str(read.ipv4_mapped or ip_network((read, 64), strict=False))


def find_lack_of_room(address: str, connected: Iterable[str]) -> Refusal | None:
    """Return a refusal if all connections, or all of one client, are taken; else None."""
    clients = Counter(map(name_client, connected))
    if clients.total() >= MOST_CONNECTIONS:
        return Refusal(
            "The server has reached its limit of connections. Ask again later.", status=503, code="overloaded"
        )
    if clients[name_client(address)] >= MOST_PER_CLIENT:
        said = f"One client may hold {MOST_PER_CLIENT} connections. Close some, or ask again later."
        return Refusal(said, status=429, code="too_many_connections")
    return None


class Bodies:
    """Bodies of requests in memory, limited in total and per client."""

    def __init__(self) -> None:
        self._held = Counter[str]()

    @asynccontextmanager
    async def body(self, http: web.Request) -> AsyncIterator[bytes]:
        """Read a request's body; its bytes count as used until the block ends."""
        content, client = bytearray(), name_client(http.remote or "")
        try:
            await self._read(http, content, client)
            yield bytes(content)
        finally:
            self._held -= Counter({client: len(content)})

    async def _read(self, http: web.Request, content: bytearray, client: str) -> None:
        if (http.content_length or 0) > MAX_BODY:
            raise _too_large()
        try:
            async with asyncio.timeout(SLOWEST_BODY):
                async for piece in http.content.iter_any():
                    content += piece
                    self._held[client] += len(piece)
                    if len(content) > MAX_BODY:
                        raise _too_large()
                    if self._held.total() > MOST_HELD or self._held[client] > MOST_HELD // 2:
                        raise Refusal(
                            "The server has reached its limit of memory for requests. Ask again later.",
                            status=503,
                            code="overloaded",
                        )
        except TimeoutError as error:
            message = f"The body did not arrive within {SLOWEST_BODY:g} s."
            raise Refusal(message, status=408, code="request_timeout") from error
        except web.RequestPayloadError as error:
            raise Refusal(
                "The chunks or the compression of the body do not match its headers.", code="invalid_body"
            ) from error


def parse_body(body: bytes) -> Any:
    """Parse a JSON body; ValueError if it is invalid or holds too many values."""
    if sum(map(body.count, (b",", b"[", b"{"))) > MOST_VALUES:
        raise ValueError(f"it holds more than {MOST_VALUES:,} values")
    return orjson.loads(body)


def _too_large() -> Refusal:
    return Refusal(f"The body is larger than {MAX_BODY // 1_000_000} MB.", status=413, code="request_too_large")


async def send(http: web.Request, stream: web.StreamResponse, content: bytes) -> None:
    """Send a piece of a response; disconnect a client that stops reading."""
    try:
        async with asyncio.timeout(SLOWEST_READER):
            await stream.write(content)
    except TimeoutError:
        if http.transport is not None:
            http.transport.abort()
        raise


class Server:
    """Running server; `url` is its address for a browser or OPENAI_BASE_URL. Leaving `async with` closes it."""

    def __init__(self, runner: web.AppRunner, listener: asyncio.Server, url: str) -> None:
        self._runner, self._listener = runner, listener
        self.url = url

    async def close(self) -> None:
        """Stop listening and end running requests."""
        self._listener.close()
        await self._runner.cleanup()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()


class _Door(asyncio.Protocol):
    """Protocol that accepts a new connection, or answers that the server is full."""

    def __init__(self, server: web.Server) -> None:
        self._server = server

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        refusal = find_lack_of_room(_peer(transport), [_peer(each.transport) for each in self._server.connections])
        if refusal is not None:
            transport.write(refusal.raw)
            transport.close()
            return
        handler = self._server()
        transport.set_protocol(handler)
        handler.connection_made(transport)


def _peer(transport: asyncio.BaseTransport | None) -> str:
    peer = transport.get_extra_info("peername") if transport is not None else None
    return str(peer[0]) if isinstance(peer, tuple) else ""


async def listen(
    app: web.Application,
    host: str = "",
    port: int = 0,
    *,
    below: str = "/v1",
    bound: socket.socket | None = None,
    tls: ssl.SSLContext | None = None,
) -> Server:
    """Serve an application at a port (0: any); cancel work for disconnected clients.

    `bound` is a socket that listens already, instead of a host and a port.
    """
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
    try:
        loop = asyncio.get_running_loop()
        where: dict[str, Any] = {"host": host, "port": port} if bound is None else {"sock": bound}
        slowest = None if tls is None else SLOWEST_HEAD
        listener = await loop.create_server(
            lambda: _Door(server), **where, ssl=tls, ssl_handshake_timeout=slowest, backlog=1024
        )
    except OSError as error:
        await runner.cleanup()
        raise SnellenError(f"Cannot listen on {host}, port {port}: {error.strerror}. Choose another port.") from error
    taken = listener.sockets[0].getsockname()[1]
    scheme, shown = "http" if tls is None else "https", f"[{host}]" if ":" in host else host
    return Server(runner, listener, f"{scheme}://{shown}:{taken}{below}")
