"""Transport: HTTP requests to one address with aiohttp; errors mention neither address nor headers."""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import SplitResult, quote
from urllib.request import getproxies, proxy_bypass

from snellen.models.client.address import basic_login, check_address, host_elsewhere

if TYPE_CHECKING:
    from aiohttp import ClientError, ClientResponse, ClientSession, ClientTimeout
    from aiohttp.client import _RequestContextManager
    from yarl import URL

    from snellen.models.client.body import Body

LONGEST_REPLY = 16_000_000
CONNECTING = 30.0
"""Seconds to wait for a connection."""
PROBING = 5.0
"""Seconds that a server has to accept TLS after it closed a plain HTTP connection."""
KEPT = 4.0
"""Seconds that an idle connection is kept: less than the five after which common servers close it."""
WAITED_FOR = 128 * 1024
"""Size in bytes from which a server may answer before it has read the request."""
TARGETS_KEPT = 64
"""The most URLs of paths that are kept for reuse."""
NO_TLS = ("WRONG_VERSION_NUMBER", "PACKET_LENGTH_TOO_LONG", "RECORD_LAYER_FAILURE")
"""Reasons of errors if a server answers a TLS handshake with something else."""
_NONE_MORE: Mapping[str, str] = MappingProxyType({})


class ServerResponse(NamedTuple):
    """A server's response; header names are case-insensitive."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class NoConnectionError(ConnectionError):
    """No connection: the host is unknown, does not listen, or is blocked."""


class CutOffError(ConnectionError):
    """The server closed the connection before its response began."""


class WrongProtocolError(ConnectionError):
    """Wrong protocol: TLS under http://, no TLS under https://, or no HTTP."""


class Transport:
    """Sends requests to one address. Connections are opened as needed and kept; a proxy in the environment is used.

    A new `timeout` takes effect with the first request, or after `close`.
    """

    def __init__(self, url: str, headers: Mapping[str, str], *, timeout: float) -> None:
        self._url = check_address(url, wanted="an address such as http://host:8000/v1")
        self.timeout = timeout
        self._proxy = _proxy(self._url)
        for name, value in headers.items():
            if not re.fullmatch(r"[!#-'*+.0-9A-Z^-z|~-]+", name) or not re.fullmatch(r"[\t -~]*", value):
                raise ValueError(f"the header {name!r} holds characters that cannot be sent")
        login = {}
        if self._proxy is not None and self._proxy.username is not None:
            login = {"Proxy-Authorization": basic_login(self._proxy)}
        # A proxy gets its login with every request that it relays, or once with the tunnel that it opens.
        relayed = self._url.scheme == "http"
        self._headers = {**headers, "Accept-Encoding": "identity", **(login if relayed else {})}
        self._proxy_headers = {} if relayed else login
        self._targets: dict[str, URL] = {}
        self._answered = self._probed = False
        self._session: ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def proxy_elsewhere(self) -> str:
        """The host of the proxy in use, unless it is this machine; else empty."""
        return host_elsewhere(self._proxy.geturl()) if self._proxy else ""

    async def post(
        self, parts: Sequence[bytes], *, method: str = "POST", below: str = "", headers: Mapping[str, str] = _NONE_MORE
    ) -> ServerResponse:
        """Send a body to the address or a path below it; return the whole response.

        TimeoutError if no response came in time, NoConnectionError if no server accepted the connection, CutOffError if
        the server closed it, and another OSError if the answer is not an HTTP response.
        """
        import aiohttp

        reply = None
        try:
            session = self._session if self._loop is asyncio.get_running_loop() else None
            session = session or await self._open()
            body = self._body(parts)
            with self._deadline:
                reply = await self._send_request(session, body, method, below, headers, self._connecting)
                self._answered = True
                content = await _read_whole(reply)
                if body.size >= WAITED_FOR:
                    await reply.wait_for_close()
            return ServerResponse(reply.status, reply.headers, content)
        except (aiohttp.ClientError, OSError) as error:
            failure = self._explain_error(error)
        finally:
            if (began := reply is not None) and not reply.closed:
                reply.release()
            reply = None
        failure = await self._explain(failure, began=began)
        # Raised here, because an error raised above would keep the library's error and with it the whole response in
        # memory.
        try:
            raise failure
        finally:
            del failure

    async def begin(
        self, parts: Sequence[bytes], *, method: str = "POST", below: str = "", headers: Mapping[str, str] = _NONE_MORE
    ) -> Arriving:
        """Send a body as `post` does, but return as soon as the response has begun."""
        import aiohttp

        try:
            session = self._session if self._loop is asyncio.get_running_loop() else None
            session = session or await self._open()
            body = self._body(parts)
            reply = await self._send_request(session, body, method, below, headers, self._limits)
            self._answered = True
            return Arriving(reply, self._explain_error)
        except (aiohttp.ClientError, OSError) as error:
            failure = self._explain_error(error)
        failure = await self._explain(failure)
        try:
            raise failure
        finally:
            del failure

    async def _explain(self, failure: OSError, *, began: bool = False) -> OSError:
        """Return the failure, or the error that the server needs TLS."""
        if not began and isinstance(failure, CutOffError | WrongProtocolError) and await self._wants_tls():
            return WrongProtocolError("it speaks TLS. Write https:// in place of http://")
        return failure

    async def _wants_tls(self) -> bool:
        """Return whether a server without plain HTTP accepts TLS; tried once, without data."""
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
        """Close every connection; requests in flight fail, later ones open new connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _send_request(
        self,
        session: ClientSession,
        body: Body,
        method: str,
        below: str,
        headers: Mapping[str, str],
        limits: ClientTimeout,
    ) -> _RequestContextManager:
        # A session would also send its own headers, including the key, to a proxy.
        own = self._headers if self._via else _NONE_MORE
        return session.request(
            method,
            self._targets.get(below) or self._target_url(below),
            data=body,
            headers={**own, **headers} if own and headers else own or headers,
            proxy=self._via,
            proxy_headers=self._proxy_headers,
            allow_redirects=False,
            timeout=limits,
        )

    def _target_url(self, path: str) -> URL:
        from yarl import URL

        asked, (path, _, query) = path, path.partition("?")
        below = self._url._replace(
            path=self._url.path.rstrip("/") + path if path else self._url.path,
            query="&".join(filter(None, (self._url.query, query))),
        )
        if len(self._targets) >= TARGETS_KEPT:
            self._targets.clear()
        rest = quote((below.path or "/") + (f"?{below.query}" if below.query else ""), safe="/?%:@!$&'()*+,;=~[]")
        self._targets[asked] = found = URL(_origin(below) + rest, encoded=True)
        return found

    async def _open(self) -> ClientSession:
        """Open a session for the running event loop, to which its connections belong."""
        import aiohttp
        from yarl import URL

        from snellen.models.client.body import Body

        self._body, self._deadline = Body, Deadline(self.timeout)
        secure = "https" in (self._url.scheme, self._proxy and self._proxy.scheme)
        context = ssl.create_default_context() if secure else True
        # The number of connections is unlimited: the caller limits the requests in flight.
        connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=KEPT, ssl=context)
        # The limit for connecting is shorter, so that a failed connection does not look like a late response.
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

    def _explain_error(self, error: OSError | ClientError) -> OSError:
        """Turn an error into one of our own, whose message quotes neither address nor headers."""
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
        if isinstance(error, aiohttp.ClientConnectorSSLError) and getattr(error.os_error, "reason", None) in NO_TLS:
            return WrongProtocolError("it does not speak TLS. Write http:// in place of https://, or another port")
        if isinstance(error, aiohttp.ClientConnectorError):
            return NoConnectionError(error.os_error.strerror or str(error.os_error) or type(error.os_error).__name__)
        if isinstance(error, aiohttp.ClientHttpProxyError):
            return NoConnectionError(f"the proxy {self._proxy and self._proxy.hostname} answered {error.status}")
        if isinstance(error, aiohttp.ClientResponseError):
            unlike = error.message.startswith("Bad status line") and not self._answered
            kind = WrongProtocolError if unlike else ConnectionError
            return kind(f"the server's response is not HTTP: {error.message.partition(':')[0][:100]}")
        if isinstance(error, aiohttp.ClientPayloadError):
            return ConnectionError("the response was cut off or cannot be decompressed")
        if isinstance(error, (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError)):
            return CutOffError("the server closed the connection before it responded")
        return ConnectionError("closed before a response came")


class Arriving:
    """Return a bar with round ends from `left` to `right`."""

    def __init__(self, reply: ClientResponse, meant: Callable[[OSError | ClientError], OSError]) -> None:
        self.status = reply.status
        self.headers: Mapping[str, str] = reply.headers
        self._reply, self._meant = reply, meant

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the content as it arrives; errors are those of `post`."""
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

    async def read_all(self) -> ServerResponse:
        """Return the whole response; errors are those of `post`."""
        import aiohttp

        try:
            return ServerResponse(self.status, self.headers, await _read_whole(self._reply))
        except (aiohttp.ClientError, OSError) as error:
            failure = self._meant(error)
        try:
            raise failure
        finally:
            del failure

    def close(self) -> None:
        """Release the connection for reuse, or close it if content is left."""
        self._reply.release()


def _let_go(error: BaseException | None) -> None:
    """Remove the tracebacks from an error and its causes, to free memory.

    The library's connections keep their errors, and through the tracebacks the connections and all responses would be
    kept. Garbage is rarely collected during a run.
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
            raise ConnectionError(f"the response is longer than {LONGEST_REPLY:,} bytes")
    return bytes(content)


def _origin(url: SplitResult) -> str:
    return f"{url.scheme}://{url.netloc.rpartition('@')[2]}"


def _proxy(url: SplitResult) -> SplitResult | None:
    found = getproxies().get(url.scheme) or getproxies().get("all")
    port = url.port or (443 if url.scheme == "https" else 80)
    if not found or proxy_bypass(f"{url.hostname}:{port}"):
        return None
    return check_address(found if "://" in found else f"http://{found}", wanted="a proxy such as http://host:3128")


class Deadline:
    """Raises TimeoutError in a task that takes too long. Shared by many tasks of one event loop."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._running: dict[asyncio.Task[Any], tuple[float, int]] = {}
        """The end time of each task, earliest first, and how often it was cancelled before."""
        self._late: dict[asyncio.Task[Any], int] = {}
        self._timer: asyncio.TimerHandle | None = None

    def __enter__(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        end = self._loop.time() + self._seconds
        self._running[task] = end, task.cancelling()
        if self._timer is None:
            self._timer = self._loop.call_at(end, self._end_late)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        task = asyncio.current_task()
        assert task is not None
        if self._running.pop(task, None) is None:
            before = self._late.pop(task)
            if task.uncancel() <= before and kind is asyncio.CancelledError:
                raise TimeoutError from error

    def _end_late(self) -> None:
        now, self._timer = self._loop.time(), None
        for task, (end, cancelled) in list(self._running.items()):
            if end > now:
                self._timer = self._loop.call_at(end, self._end_late)
                return
            del self._running[task]
            self._late[task] = cancelled
            task.cancel()
