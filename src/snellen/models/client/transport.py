"""Transport: one address to post to, over aiohttp's client; errors name neither address nor headers."""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import SplitResult, quote
from urllib.request import getproxies, proxy_bypass

from snellen.models.client.address import basic_login, checked, host_elsewhere
from snellen.models.client.deadline import Deadline

if TYPE_CHECKING:
    from aiohttp import ClientError, ClientResponse, ClientSession, ClientTimeout
    from aiohttp.client import _RequestContextManager
    from yarl import URL

    from snellen.models.client.body import Body

LONGEST_REPLY = 16_000_000
CONNECTING = 30.0
"""Seconds until a server that does not take up the connection is given up."""
PROBING = 5.0
"""Seconds that a server has to take up TLS after it hung up on plain HTTP."""
KEPT = 4.0
"""Seconds that an idle connection is kept: less than the five after which common servers close theirs."""
WAITED_FOR = 128 * 1024
"""A server may answer before it has read all of a longer request."""
TARGETS_KEPT = 64
"""Addresses below an endpoint that are not put together anew."""
_NONE_MORE: Mapping[str, str] = MappingProxyType({})


class Reply(NamedTuple):
    """What a server sent back; headers are found in any case."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class NoConnectionError(ConnectionError):
    """Nobody took the connection: no such host, nobody listens there, or the way there is barred."""


class CutOffError(ConnectionError):
    """The server hung up before it began to response."""


class WrongProtocolError(ConnectionError):
    """Something else listens there: TLS under http://, no TLS under https://, or no HTTP at all."""


class Transport:
    """One address to post to. Connections are opened as needed and kept; a proxy of the environment is respected.

    Another `timeout` counts from the first post on, or after closing.
    """

    def __init__(self, url: str, headers: Mapping[str, str], *, timeout: float) -> None:
        self._url = checked(url, wanted="an address such as http://host:8000/v1")
        self.timeout = timeout
        self._proxy = _proxy(self._url)
        for name, value in headers.items():
            if not re.fullmatch(r"[!#-'*+.0-9A-Z^-z|~-]+", name) or not re.fullmatch(r"[\t -~]*", value):
                raise ValueError(f"the header {name!r} holds characters that cannot be sent")
        login = _login(self._proxy) if self._proxy is not None else {}
        # A proxy is sent its login with every request that it relays, or once with the tunnel that it is to open.
        relayed = self._url.scheme == "http"
        self._headers = {**headers, "Accept-Encoding": "identity", **(login if relayed else {})}
        self._proxy_headers = {} if relayed else login
        self._targets: dict[str, URL] = {}
        self._answered = self._probed = False
        self._session: ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def proxy_elsewhere(self) -> str:
        """The host of the proxy that everything goes through, unless it is this machine; empty without one."""
        return host_elsewhere(self._proxy.geturl()) if self._proxy else ""

    async def post(
        self, parts: Sequence[bytes], *, method: str = "POST", below: str = "", headers: Mapping[str, str] = _NONE_MORE
    ) -> Reply:
        """Send a body, given in parts, to the address or to a path below it, with more headers; the whole reply.

        Raises TimeoutError where no response came in time, NoConnectionError where nobody took the connection,
        CutOffError where the server hung up on it, another OSError where what came is no response.
        """
        import aiohttp

        reply = None
        try:
            session = self._session if self._loop is asyncio.get_running_loop() else None
            session = session or await self._open()
            body = self._body(parts)
            with self._deadline:
                reply = await self._requested(session, body, method, below, headers, self._connecting)
                self._answered = True
                content = await _read_whole(reply)
                if body.size >= WAITED_FOR:
                    await reply.wait_for_close()
            return Reply(reply.status, reply.headers, content)
        except (aiohttp.ClientError, OSError) as error:
            failure = self._meant(error)
        finally:
            if (began := reply is not None) and not reply.closed:
                reply.release()
            reply = None
        failure = await self._explain(failure, began=began)
        # Raised here and not above: whoever keeps the error would keep the library's, and with that all that came.
        try:
            raise failure
        finally:
            del failure

    async def begin(
        self, parts: Sequence[bytes], *, method: str = "POST", below: str = "", headers: Mapping[str, str] = _NONE_MORE
    ) -> Arriving:
        """The same; the reply is there once it has begun."""
        import aiohttp

        try:
            session = self._session if self._loop is asyncio.get_running_loop() else None
            session = session or await self._open()
            body = self._body(parts)
            reply = await self._requested(session, body, method, below, headers, self._limits)
            self._answered = True
            return Arriving(reply, self._meant)
        except (aiohttp.ClientError, OSError) as error:
            failure = self._meant(error)
        failure = await self._explain(failure)
        try:
            raise failure
        finally:
            del failure

    async def _explain(self, failure: OSError, *, began: bool = False) -> OSError:
        """The failure, or that the server speaks TLS."""
        if not began and isinstance(failure, CutOffError | WrongProtocolError) and await self._wants_tls():
            return WrongProtocolError("it speaks TLS. Write https:// in place of http://")
        return failure

    async def _wants_tls(self) -> bool:
        """Whether a server that never answered plain HTTP takes TLS; tried once, and nothing is sent in it."""
        settled = self._answered or self._probed or self._session is None
        if settled or self._proxy is not None or self._url.scheme == "https":
            return False
        self._probed = True
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        try:
            async with asyncio.timeout(PROBING):
                _, writer = await asyncio.open_connection(self._url.hostname, self._url.port or 80, ssl=context)
        except OSError as error:
            return "ALERT" in str(getattr(error, "reason", ""))
        writer.transport.abort()
        return True

    async def close(self) -> None:
        """Close every connection; posts under way fail, later ones open new connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _requested(
        self,
        session: ClientSession,
        body: Body,
        method: str,
        below: str,
        headers: Mapping[str, str],
        limits: ClientTimeout,
    ) -> _RequestContextManager:
        # A session would tell its own headers to a proxy, the key among them.
        own = self._headers if self._via else _NONE_MORE
        return session.request(
            method,
            self._targets.get(below) or self._below(below),
            data=body,
            headers={**own, **headers} if own and headers else own or headers,
            proxy=self._via,
            proxy_headers=self._proxy_headers,
            allow_redirects=False,
            timeout=limits,
        )

    def _below(self, path: str) -> URL:
        from yarl import URL

        asked, (path, _, query) = path, path.partition("?")
        below = self._url._replace(
            path=self._url.path.rstrip("/") + path if path else self._url.path,
            query="&".join(filter(None, (self._url.query, query))),
        )
        if len(self._targets) >= TARGETS_KEPT:
            self._targets.clear()
        self._targets[asked] = found = URL(_target(below), encoded=True)
        return found

    async def _open(self) -> ClientSession:
        """A session for the running event loop: connections die with the loop that they were made in."""
        import aiohttp
        from yarl import URL

        from snellen.models.client.body import Body

        self._body, self._deadline = Body, Deadline(self.timeout)
        secure = "https" in (self._url.scheme, self._proxy and self._proxy.scheme)
        context = ssl.create_default_context() if secure else True
        # As many connections as posts: how many are made at once is for the caller to say.
        connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=KEPT, ssl=context)
        # Connecting ends first, so that a connection that is not taken up is not taken for a late response.
        connecting = min(CONNECTING, self.timeout / 2)
        self._connecting = aiohttp.ClientTimeout(total=None, connect=connecting)
        self._limits = aiohttp.ClientTimeout(total=self.timeout, connect=connecting)
        self._via = None if self._proxy is None else URL(_origin(self._proxy))
        opened = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=None if self._via else self._headers,
        )
        left, self._session, self._loop = self._session, opened, asyncio.get_running_loop()
        if left is not None:
            await left.close()
        return opened

    def _meant(self, error: OSError | ClientError) -> OSError:
        """What a failure means, in words that quote neither address nor headers."""
        import aiohttp

        if isinstance(error, aiohttp.ClientError):
            meant = self._of_library(error)
            _let_go(error)
            return meant
        return TimeoutError() if isinstance(error, TimeoutError) else ConnectionError(str(error))

    def _of_library(self, error: ClientError) -> OSError:
        import aiohttp

        if isinstance(error, aiohttp.ConnectionTimeoutError):
            return NoConnectionError(f"no connection within {self._limits.connect:g} s")
        if isinstance(error, aiohttp.ClientConnectorCertificateError):
            cause = error.certificate_error
            return cause if isinstance(cause, ssl.SSLCertVerificationError) else NoConnectionError(str(cause))
        if isinstance(error, aiohttp.ClientConnectorSSLError) and _is_no_tls(error.os_error):
            return WrongProtocolError("it does not speak TLS. Write http:// in place of https://, or another port")
        if isinstance(error, aiohttp.ClientConnectorError):
            return NoConnectionError(error.os_error.strerror or str(error.os_error) or type(error.os_error).__name__)
        if isinstance(error, aiohttp.ClientHttpProxyError):
            return NoConnectionError(f"the proxy {self._proxy and self._proxy.hostname} answered {error.status}")
        if isinstance(error, aiohttp.ClientResponseError):
            unlike = error.message.startswith("Bad status line") and not self._answered
            kind = WrongProtocolError if unlike else ConnectionError
            return kind(f"the server's reply is not HTTP: {error.message.partition(':')[0][:100]}")
        if isinstance(error, aiohttp.ClientPayloadError):
            return ConnectionError("the reply was cut off or cannot be unpacked")
        if isinstance(error, (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError)):
            return CutOffError("the server hung up before it replied")
        return ConnectionError("closed before a reply came")


class Arriving:
    """A reply that has begun: status and headers are there, the content comes in pieces. Close it when done."""

    def __init__(self, reply: ClientResponse, meant: Callable[[OSError | ClientError], OSError]) -> None:
        self.status = reply.status
        self.headers: Mapping[str, str] = reply.headers
        self._reply, self._meant = reply, meant

    async def pieces(self) -> AsyncIterator[bytes]:
        """The content as it comes; raises as `post` does."""
        import aiohttp

        while True:
            try:
                piece = await self._reply.content.readany()
            except (aiohttp.ClientError, OSError) as error:
                failure = self._meant(error)
                break
            if not piece:
                return
            yield piece
        try:
            raise failure
        finally:
            del failure

    async def whole(self) -> Reply:
        """All of it; raises as `post` does."""
        import aiohttp

        try:
            return Reply(self.status, self.headers, await _read_whole(self._reply))
        except (aiohttp.ClientError, OSError) as error:
            failure = self._meant(error)
        try:
            raise failure
        finally:
            del failure

    def close(self) -> None:
        """Let go of the connection: to be used again where all has come, closed where something is left."""
        self._reply.release()


def _is_no_tls(error: OSError) -> bool:
    """Whether what came in place of a TLS handshake was something else."""
    return getattr(error, "reason", None) in ("WRONG_VERSION_NUMBER", "PACKET_LENGTH_TOO_LONG", "RECORD_LAYER_FAILURE")


def _let_go(error: BaseException | None) -> None:
    """Take from errors the frames that they came through.

    The library's connections hold their errors, and these through their frames the connections with all that came;
    garbage is rarely collected during a run.
    """
    while error is not None:
        error.__traceback__ = None
        error = error.__cause__ or error.__context__


async def _read_whole(reply: ClientResponse) -> bytes:
    stream, content = reply.content, bytearray()
    if stream.is_eof() and stream.total_bytes <= LONGEST_REPLY:
        return stream.read_nowait()
    while not stream.at_eof():
        content += await stream.readany()
        if len(content) > LONGEST_REPLY:
            raise ConnectionError(f"the reply is longer than {LONGEST_REPLY:,} bytes")
    return bytes(content)


def _target(url: SplitResult) -> str:
    """The address without its login, made fit to be sent."""
    rest = quote((url.path or "/") + (f"?{url.query}" if url.query else ""), safe="/?%:@!$&'()*+,;=~[]")
    return _origin(url) + rest


def _origin(url: SplitResult) -> str:
    return f"{url.scheme}://{url.netloc.rpartition('@')[2]}"


def _proxy(url: SplitResult) -> SplitResult | None:
    """The environment's proxy for this address."""
    found = getproxies().get(url.scheme) or getproxies().get("all")
    port = url.port or (443 if url.scheme == "https" else 80)
    if not found or proxy_bypass(f"{url.hostname}:{port}"):
        return None
    return checked(found if "://" in found else f"http://{found}", wanted="a proxy such as http://host:3128")


def _login(proxy: SplitResult) -> dict[str, str]:
    return {} if proxy.username is None else {"Proxy-Authorization": basic_login(proxy)}
