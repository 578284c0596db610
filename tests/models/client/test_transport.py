"""Posting to one server, against loopback servers that write exact bytes: right ones, odd ones and hostile ones."""

import asyncio
import gc
import gzip
import hashlib
import re
import socket
import ssl
import subprocess
import sys
import threading
import tracemalloc
from base64 import b64encode
from contextlib import asynccontextmanager, suppress
from functools import wraps

import pytest
import trustme

from models.recording import pass_time
from snellen.errors import TransientError, UnusableModelError
from snellen.models.client import transport
from snellen.models.client.client import Client
from snellen.models.client.transport import CutOffError, NoConnectionError, Transport, WrongProtocolError
from snellen.models.openai import OpenAI
from snellen.prompts import Request

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
PASSWORD = "p4ss-w0rd"
LARGE = (b"head", bytes(range(256)) * 40_000, b"-", b"0123456789" * 1_000_000, b"tail")


def in_loop(test):
    """The test, run in an event loop of its own."""
    return wraps(test)(lambda *given, **more: asyncio.run(test(*given, **more)))


class Server:
    """What a loopback server saw: each request's head and body, and how many connections came and are open."""

    def __init__(self):
        self.heads, self.bodies = [], []
        self.connections, self.open = 0, 0
        self.port = 0
        self.asked, self.left = asyncio.Event(), asyncio.Event()

    @property
    def url(self):
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def read(self, reader):
        """The next request's number, from 0."""
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"\r\nContent-Length: (\d+)\r\n", head)
        self.bodies.append(await reader.readexactly(int(length[1])) if length else b"")
        self.heads.append(head.decode())
        self.asked.set()
        return len(self.heads) - 1

    async def until_none_is_open(self):
        """Wait until every connection has ended."""
        while self.open:
            self.left.clear()
            await self.left.wait()

    async def until(self, count):
        """Wait until so many requests have come."""
        while len(self.heads) < count:
            self.asked.clear()
            await self.asked.wait()


@asynccontextmanager
async def serving(talk, *, tls=None, host="127.0.0.1", sock=None):
    """A server where `talk(server, reader, writer)` holds each connection, which is closed when it returns."""
    server, held = Server(), {}

    async def connected(reader, writer):
        server.connections += 1
        server.open += 1
        held[asyncio.current_task()] = writer
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await talk(server, reader, writer)
        finally:
            server.open -= 1
            server.left.set()
            writer.close()

    where = {"sock": sock} if sock else {"host": host, "port": 0}
    listening = await asyncio.start_server(connected, **where, ssl=tls)
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listening.close()
        await asyncio.sleep(0)  # for a connection that has just come
        for task, writer in held.items():
            task.cancel()
            writer.transport.abort()
        await asyncio.gather(*held, *(writer.wait_closed() for writer in held.values()), return_exceptions=True)
        await listening.wait_closed()


@asynccontextmanager
async def opened(url, headers=None, **settings):
    """An endpoint that is closed at the end."""
    there = Transport(url, headers or {}, **{"timeout": 200.0, **settings})
    try:
        yield there
    finally:
        await there.close()


def writing(*pieces, hang_up=False):
    """A script that answers every request with these pieces, each sent by itself."""

    async def talk(server, reader, writer):
        while True:
            await server.read(reader)
            for piece in pieces:
                writer.write(piece)
                for _ in range(3):
                    await asyncio.sleep(0)
            if hang_up:
                return

    return talk


async def silent(server, reader, writer):
    """Reads requests and never answers."""
    while True:
        await server.read(reader)


def posted(talk, *, times=1, **settings):
    """The replies to so many posts, one after the other, and the server's view of them."""

    async def main():
        async with serving(talk) as server, opened(server.url, **settings) as there:
            return [await there.post([b"{", b"}"]) for _ in range(times)], server

    return asyncio.run(main())


class TestReplies:
    """What counts as a reply."""

    @pytest.mark.parametrize(
        ("raw", "status", "content", "kept"),
        [
            (OK, 200, b"hi", True),
            (b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi", 200, b"hi", False),
            (b"HTTP/1.1 100 Continue\r\n\r\n" + OK, 200, b"hi", True),
            (b"HTTP/1.1 204 No Content\r\n\r\n", 204, b"", True),
            (b"HTTP/1.1 307 No\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n", 307, b"", True),
            (b"HTTP/1.1 500 Oh\r\nContent-Length: 2\r\n\r\nno", 500, b"no", True),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", 200, b"hi", True),
        ],
    )
    def test_whole(self, raw, status, content, kept):
        """Errors and redirects come back as they are; connections are kept where they may be."""
        replies, server = posted(writing(raw), times=2)
        assert [(reply.status, reply.content) for reply in replies] == [(status, content)] * 2
        assert server.connections == (1 if kept else 2)

    def test_headers_in_any_case(self):
        """A header is found however the server spells it."""
        (reply,), _ = posted(writing(OK.replace(b"Content", b"RETRY-after: 2\r\nContent")))
        assert (reply.headers.get("retry-after"), reply.headers.get("location")) == ("2", None)

    def test_cookies_are_not_kept(self):
        """A cookie that the server sets is not sent back."""
        _, server = posted(writing(OK.replace(b"Content", b"Set-Cookie: a=b; Path=/\r\nContent")), times=2)
        assert "cookie" not in server.heads[1].lower()

    def test_packed(self):
        """A reply that is packed though nobody asked for it is unpacked; we ask for none."""
        packed = gzip.compress(b"words")
        head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)
        (reply,), server = posted(writing(head + packed))
        assert reply.content == b"words"
        assert "\r\nAccept-Encoding: identity\r\n" in server.heads[0]


class TestNoReplies:
    """What is no whole reply raises OSError."""

    @pytest.fixture(autouse=True)
    def short_probe(self, monkeypatch):
        """None of these servers speaks TLS, and none is waited for to say so."""
        monkeypatch.setattr(transport, "PROBING", 0.01)

    @pytest.mark.parametrize("raw", [b"<html>hello</html>", b"\x00\xff" * 100, b"HTTP/1.1 200 OK\r\nX y: 1\r\n\r\n"])
    def test_no_http(self, raw):
        """Garbage is an error at once, while the server still waits."""
        with pytest.raises(ConnectionError, match="not HTTP"):
            posted(writing(raw))

    @in_loop
    async def test_hung_up(self):
        """A server that hangs up on a request is asked no second time; whether it speaks TLS is tried once."""
        async with serving(writing(hang_up=True)) as server, opened(server.url) as there:
            for _ in range(3):
                with pytest.raises(CutOffError, match="closed the connection"):
                    await there.post([b"{}"])
            assert (len(server.heads), server.connections) == (3, 4)

    @pytest.mark.parametrize(
        "raw",
        [
            b"HTTP/1.1 200 OK\r\nX: y\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhi",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhi",
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nhi",
        ],
    )
    def test_cut(self, raw):
        """A server that hangs up within a reply, or packs it wrongly, has not given it."""
        with pytest.raises(ConnectionError):
            posted(writing(raw, hang_up=True))

    @pytest.mark.parametrize("more", [b"y" * 900, b"A: b\r\n" * 99])
    def test_endless_headers(self, more):
        """Headers that never end are cut off."""
        with pytest.raises(ConnectionError, match="not HTTP"):
            posted(endless(b"HTTP/1.1 200 OK\r\nX: ", more))

    @pytest.mark.parametrize(
        ("opening", "more"),
        [
            (b"Content-Length: 1000000000\r\n\r\n", b"y" * 900),
            (b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\ny\r\n" * 100),
            (b"\r\n", b"y" * 900),
        ],
    )
    def test_too_long(self, monkeypatch, opening, more):
        """A reply over the limit fails, however it is framed."""
        monkeypatch.setattr(transport, "LONGEST_REPLY", 50_000)
        with pytest.raises(ConnectionError, match="longer than 50,000 bytes"):
            posted(endless(b"HTTP/1.1 200 OK\r\n" + opening, more))

    def test_a_line_without_end(self, monkeypatch):
        """A file of a batch is read line by line; a line over the limit fails."""
        monkeypatch.setattr("snellen.models.client.provider.LONGEST_REPLY", 50_000)

        async def main():
            async with serving(endless(b"HTTP/1.1 200 OK\r\n\r\n{}\n", b"y" * 900)) as server:
                model = OpenAI("m", base_url=f"http://127.0.0.1:{server.port}/v1")
                try:
                    return [line async for line in model.iter_lines("/files/1/content")]
                finally:
                    await model.close()

        with pytest.raises(TransientError, match="longer than 50,000 bytes"):
            asyncio.run(main())

    def test_packed_too_long(self, monkeypatch):
        """A reply that is short only as long as it is packed is not unpacked beyond the limit."""
        packed = gzip.compress(bytes(50_000_000))
        head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)
        monkeypatch.setattr(transport, "LONGEST_REPLY", 1_000_000)
        tracemalloc.start()
        try:
            with pytest.raises(ConnectionError, match="longer than 1,000,000 bytes"):
                posted(writing(head + packed))
            assert tracemalloc.get_traced_memory()[1] < 10_000_000
        finally:
            tracemalloc.stop()

    @pytest.mark.parametrize(
        "raw",
        [
            b"HTTP/1.1 200 OK\r\n\r\n" + b"y" * 400_000,
            b"HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\n" + b"y" * 200_000,
            b"<html>" + b"y" * 200_000,
        ],
    )
    def test_failures_do_not_pile_up(self, monkeypatch, raw):
        """Two hundred failed replies leave no connection open and nothing in memory, without the garbage collector."""
        monkeypatch.setattr(transport, "LONGEST_REPLY", 300_000)
        kept = []

        async def talk(server, reader, writer):
            await server.read(reader)
            writer.write(raw)
            await writer.drain()

        async def main():
            async with serving(talk) as server, opened(server.url) as there:
                for number in range(100):
                    if number == 20:
                        gc.collect()
                        before = tracemalloc.get_traced_memory()[0]
                    with pytest.raises(ConnectionError) as caught:
                        await there.post([b"{}"])
                    kept.append(caught.value)
                await server.until_none_is_open()
                return tracemalloc.get_traced_memory()[0] - before, len(server.heads)

        gc.disable()
        tracemalloc.start()
        try:
            grown, requests = asyncio.run(main())
        finally:
            tracemalloc.stop()
            gc.enable()
        assert requests == len(kept) == 100
        assert grown < 10_000_000

    @in_loop
    async def test_timeout(self):
        """No reply in time raises TimeoutError and hangs up; the next post does not meet the late reply."""

        async def talk(server, reader, writer):
            if await server.read(reader) == 0:
                pass_time(asyncio.get_running_loop())
                await reader.read()
            else:
                writer.write(OK)
                await reader.read()

        async with serving(talk) as server, opened(server.url) as there:
            with pytest.raises(TimeoutError):
                await there.post([b"{}"])
            await server.left.wait()
            assert ((await there.post([b"{}"])).content, server.connections) == (b"hi", 2)


def endless(opening, more):
    """A script that never stops writing, until the client hangs up."""

    async def talk(server, reader, writer):
        await server.read(reader)
        writer.write(opening)
        while True:
            writer.write(more)
            await writer.drain()
            await asyncio.sleep(0)

    return talk


def is_connected(there):
    """Whether an endpoint still takes a kept connection for open."""
    kept = there._session.connector._conns.values()
    return any(protocol.is_connected() for each in kept for protocol, _ in each)


class TestConnections:
    """When a connection is kept, left and replaced."""

    @in_loop
    async def test_closed_while_idle(self):
        """A kept connection that the server has closed is replaced without a word."""

        async def talk(server, reader, writer):
            await server.read(reader)
            writer.write(OK)

        async with serving(talk) as server, opened(server.url) as there:
            for _ in range(3):
                assert (await there.post([b"{}"])).content == b"hi"
                for _ in iter(lambda: is_connected(there), False):
                    await asyncio.sleep(0)
            assert server.connections == 3

    @in_loop
    async def test_cancelled(self):
        """A post that is cancelled hangs up."""
        async with serving(silent) as server, opened(server.url) as there:
            post = asyncio.create_task(there.post([b"{}"]))
            await server.asked.wait()
            post.cancel()
            with pytest.raises(asyncio.CancelledError):
                await post
            await server.left.wait()

    @in_loop
    async def test_close_with_posts_under_way(self):
        """Closing fails the posts under way, and the endpoint may be used afterwards."""

        async def talk(server, reader, writer):
            while True:
                if await server.read(reader) >= 3:
                    writer.write(OK)

        async with serving(talk) as server, opened(server.url) as there:
            posts = [asyncio.create_task(there.post([b"{}"])) for _ in range(3)]
            await server.until(3)
            await there.close()
            failures = await asyncio.gather(*posts, return_exceptions=True)
            assert all(isinstance(failure, ConnectionError) for failure in failures)
            assert (await there.post([b"{}"])).content == b"hi"

    @pytest.mark.parametrize("close", [True, False])
    @pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")  # of the endpoint that is not closed in time
    def test_another_event_loop(self, close):
        """After one event loop has ended, the endpoint works in the next, even if it was not closed before."""
        held = []

        def answer(listening):
            for _ in range(2):
                held.append(listening.accept()[0])
                held[-1].recv(65_536)
                held[-1].sendall(OK)

        async def main(there, *, close):
            reply = await there.post([b"{}"])
            if close:
                await there.close()
            return reply.content

        def twice():
            with socket.create_server(("127.0.0.1", 0)) as listening:
                threading.Thread(target=answer, args=(listening,), daemon=True).start()
                there = Transport(f"http://127.0.0.1:{listening.getsockname()[1]}/", {}, timeout=20)
                return [asyncio.run(main(there, close=last or close)) for last in (False, True)]

        assert twice() == [b"hi", b"hi"]
        for connection in held:
            connection.close()
        gc.collect()

    @in_loop
    async def test_many_at_once(self):
        """Posts in parallel go out all at once, and each comes back with its own answer."""
        count = 256

        async def echo(server, reader, writer):
            while True:
                number = await server.read(reader)
                await server.until(count)
                body = server.bodies[number]
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))

        async with serving(echo) as server, opened(server.url) as there:
            sent = [b"%d" % number * (1 + number % 7) for number in range(count)]
            for _ in range(2):
                replies = await asyncio.gather(*(there.post([body[:1], body[1:]]) for body in sent))
                assert [reply.content for reply in replies] == sent
            assert server.connections == count

    def test_library_is_loaded_with_the_first_post(self):
        """A command that posts nothing does not pay for the HTTP library."""
        code = (
            "import sys; from snellen.models.openai import OpenAI; OpenAI('m', base_url='https://h/v1'); "
            "print('aiohttp' in sys.modules)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout == "False\n"


class TestRequests:
    """What is put on the wire, and where to."""

    @pytest.mark.parametrize(
        ("path", "line"),
        [
            ("", "POST / HTTP/1.1"),
            ("/v1/chat?api-version=1&x=a%20b", "POST /v1/chat?api-version=1&x=a%20b HTTP/1.1"),
            ("?a=b", "POST /?a=b HTTP/1.1"),
            ("/a b/%2Fé#part", "POST /a%20b/%2F%C3%A9 HTTP/1.1"),
        ],
    )
    def test_request_line_and_host(self, path, line):
        """Path and query stand in the request line, made fit to be sent; a login never gets into the request."""

        async def main():
            async with serving(writing(OK)) as server:
                url = f"http://me:{PASSWORD}@127.0.0.1:{server.port}{path}"
                async with opened(url, {"X": "y z"}) as there:
                    await there.post([b"a", b"", b"bc"])
                return server

        server = asyncio.run(main())
        lines = server.heads[0].rstrip().split("\r\n")
        assert lines[0] == line
        assert {f"Host: 127.0.0.1:{server.port}", "X: y z", "Content-Length: 3"} < set(lines)
        assert not re.search("authorization|expect|chunked", server.heads[0], re.IGNORECASE)
        assert server.bodies == [b"abc"]

    @pytest.mark.parametrize("value", ["sec\r\nX: ret", "sec\nret", "sec\0ret", "secrét", "sec\x7fret"])
    def test_header_that_cannot_be_sent(self, value):
        """It is refused by name, without its value."""
        with pytest.raises(ValueError, match="'Authorization'") as caught:
            Transport("http://127.0.0.1/", {"Authorization": value}, timeout=1)
        assert "sec" not in str(caught.value)

    @pytest.mark.parametrize(
        "url",
        ["", "nonsense", "ftp://h/", "http://", "http://me:{}@h:x/", "http://me:{}/@h/", "ftp://me:{}@h", "//me:{}@h",
         "http://[::1", "http://me:{}@[x/", "http://a..b/", "http://me:{}@℀.test/", "http://h:99999/"],
    )  # fmt: skip
    def test_no_address(self, url):
        """What cannot be an address is refused, and no password is shown, nor a part of one."""
        with pytest.raises(ValueError, match=r"expected an address such as") as caught:
            Transport(url.format(PASSWORD), {}, timeout=1)
        assert PASSWORD not in str(caught.value)
        assert caught.value.__suppress_context__ or caught.value.__context__ is None

    @staticmethod
    def failure(url, **settings):
        """The error of a post that reaches nobody."""

        async def main():
            async with opened(url, **settings) as there:
                await there.post([])

        with pytest.raises(NoConnectionError) as caught:
            asyncio.run(main())
        return str(caught.value)

    def test_nobody_listens(self):
        """A refused connection says so."""
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            assert "Connect call failed" in self.failure(f"http://127.0.0.1:{taken.getsockname()[1]}")

    def test_unknown_host(self, monkeypatch):
        """A name that does not resolve says so."""

        def unknown(*names, **settings):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

        monkeypatch.setattr(socket, "getaddrinfo", unknown)
        assert "Name or service not known" in self.failure("http://nowhere.test")

    def test_connection_that_is_not_taken_up(self, monkeypatch):
        """A server that cannot be reached in time is a failed connection, not a late reply."""

        async def connect(*names, **settings):
            await asyncio.Event().wait()

        monkeypatch.setattr(asyncio.SelectorEventLoop, "sock_connect", connect)
        monkeypatch.setattr(transport, "CONNECTING", 0.02)
        assert self.failure("http://127.0.0.1") == "no connection within 0.02 s"


class TestLargeRequests:
    """Bodies of many megabytes."""

    def test_slow_reader(self):
        """Twenty megabytes arrive byte for byte at a slow server, with no second copy of them in memory."""
        arrived = hashlib.sha256()

        async def talk(server, reader, writer):
            head = await reader.readuntil(b"\r\n\r\n")
            left = int(re.search(rb"Content-Length: (\d+)", head)[1])
            while left:
                data = await reader.read(65_536)
                arrived.update(data)
                left -= len(data)
                await asyncio.sleep(0)
            writer.write(OK)
            await reader.read()

        async def main():
            async with serving(talk) as server, opened(server.url) as there:
                await there.close()
                tracemalloc.start()
                try:
                    assert (await there.post(LARGE)).content == b"hi"
                    return tracemalloc.get_traced_memory()[1]
                finally:
                    tracemalloc.stop()

        assert asyncio.run(main()) < 8_000_000
        assert arrived.digest() == hashlib.sha256(b"".join(LARGE)).digest()

    @in_loop
    async def test_answer_before_the_end(self):
        """A server that answers after the headers is heard, and its connection, out of step now, is left."""

        async def talk(server, reader, writer):
            server.heads.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
            await asyncio.Event().wait()

        async with serving(talk) as server, opened(server.url) as there:
            statuses = [(await there.post(LARGE)).status for _ in range(2)]
            assert (statuses, server.connections) == ([413, 413], 2)


@pytest.fixture(scope="module")
def authority():
    """A certificate authority, and what a server for 127.0.0.1 needs of it."""
    made = trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    made.issue_cert("127.0.0.1").configure_cert(context)
    return made, context


@pytest.fixture
def trusted(authority, monkeypatch, tmp_path):
    """The server's side of TLS, the authority trusted by ours."""
    authority[0].cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    return authority[1]


class TestTls:
    """https."""

    def test_trusted(self, trusted):
        """A trusted server is spoken to over one kept connection, large bodies included."""

        async def main():
            async with serving(writing(OK), tls=trusted) as server:
                async with opened(f"https://127.0.0.1:{server.port}/v1") as there:
                    for parts in ([b"{}"], LARGE):
                        assert (await there.post(parts)).content == b"hi"
                return server

        server = asyncio.run(main())
        assert (server.bodies, server.connections) == ([b"{}", b"".join(LARGE)], 1)

    @in_loop
    async def test_untrusted(self, authority):
        """A certificate that nobody vouches for is refused, and the model says that this is the trouble."""
        async with serving(writing(OK), tls=authority[1]) as server:
            model = OpenAI("m", base_url=f"https://127.0.0.1:{server.port}/v1")
            with pytest.raises(UnusableModelError, match="is not trusted"):
                await model.answer(Request(model.name, "?"))
            await model.close()
            assert server.heads == []

    @in_loop
    async def test_no_tls_there(self, trusted):
        """A server that speaks no TLS is said not to be reached."""

        async def talk(server, reader, writer):
            writer.write(OK)
            await reader.read()

        async with serving(talk) as server, opened(f"https://127.0.0.1:{server.port}/v1") as there:
            with pytest.raises(WrongProtocolError):
                await there.post([b"{}"])


PLAIN_TO_TLS = (
    b"400 The plain HTTP request was sent to HTTPS port",
    b"Client sent an HTTP request to an HTTPS server.",
    b"You're speaking plain HTTP to an SSL-enabled server port.",
)


def speaking(raw):
    """A server that speaks first."""

    async def talk(server, reader, writer):
        writer.write(raw)
        await reader.read()

    return talk


@pytest.mark.parametrize(
    ("talk", "scheme", "tls", "advice"),
    [
        (writing(OK), "http", True, "Write https:// in place of http://"),
        (speaking(b"\x15\x03\x01\x00\x02\x02\x46"), "http", False, "Write https:// in place of http://"),
        *(
            (writing(b"HTTP/1.1 400 Bad Request\r\nContent-Length: %d\r\n\r\n%b" % (len(said), said)),
             "http", False, "Use https://")
            for said in PLAIN_TO_TLS
        ),
        (speaking(b"SSH-2.0-OpenSSH_9.6\r\n"), "http", False, "the server's response is not HTTP"),
        (speaking(b"SSH-2.0-OpenSSH_9.6\r\n"), "https", False, "Write http:// in place of https://, or another port"),
        (speaking(b"HTTP/1.1 400 Bad Request\r\n\r\n"), "https", False, "Write http:// in place of https://"),
    ],
)  # fmt: skip
@in_loop
async def test_a_wrong_protocol_is_given_up_at_once(authority, talk, scheme, tls, advice):
    """A model under http:// on a TLS port, or the reverse, is asked once; the error says what to write."""

    async def wait(seconds):
        pytest.fail(f"asked again after {seconds} s")

    async with serving(talk, tls=authority[1] if tls else None) as server:
        model = Client(OpenAI("m", base_url=f"{scheme}://127.0.0.1:{server.port}/v1"), sleep=wait)
        with pytest.raises(UnusableModelError, match=advice):
            await model.answer(Request(model.name, "?"))
        await model.close()


@in_loop
async def test_a_server_that_spoke_http_before_is_asked_again():
    """Garbage once, from a server that has answered, is worth another try."""

    async def talk(server, reader, writer):
        while True:
            writer.write(b"garbage\r\n\r\n" if await server.read(reader) == 1 else OK)

    async with serving(talk) as server, opened(server.url) as there:
        assert (await there.post([b"{}"])).content == b"hi"
        with pytest.raises(ConnectionError) as caught:
            await there.post([b"{}"])
        assert not isinstance(caught.value, WrongProtocolError)
        assert (await there.post([b"{}"])).content == b"hi"


def relaying(before=None):
    """A proxy that opens the tunnels it is asked for, after `before()`."""

    async def talk(server, reader, writer):
        await server.read(reader)
        host, port = server.heads[-1].split()[1].rsplit(":", 1)
        if before:
            await before()
        there_reader, there_writer = await asyncio.open_connection(host, int(port))
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        try:
            await asyncio.gather(pump(reader, there_writer), pump(there_reader, writer))
        finally:
            there_writer.close()

    return talk


async def pump(reader, writer):
    """Pass on what comes until it ends."""
    while data := await reader.read(65_536):
        writer.write(data)
        await writer.drain()
    writer.close()


LOGIN = f"me:{PASSWORD}"
AUTHORIZATION = f"\r\nProxy-Authorization: Basic {b64encode(LOGIN.encode()).decode()}\r\n"


KEY = {"Authorization": "Bearer very-secret"}


class TestProxies:
    """The environment's proxies."""

    @pytest.mark.parametrize("variable", ["http_proxy", "HTTP_PROXY", "all_proxy"])
    @pytest.mark.parametrize("login", ["", f"{LOGIN}@"])
    @pytest.mark.parametrize("scheme", ["http://", ""])
    def test_plain(self, monkeypatch, variable, login, scheme):
        """The proxy is sent the whole address of the server, without its login, and the proxy's own login apart."""

        async def main():
            async with serving(writing(OK)) as proxy:
                monkeypatch.setenv(variable, f"{scheme}{login}127.0.0.1:{proxy.port}")
                async with opened("http://you:hidden@bücher.test:81/v1?a=b", KEY) as there:
                    for _ in range(2):
                        assert (await there.post([b"{}"])).content == b"hi"
                return proxy

        proxy = asyncio.run(main())
        assert proxy.connections == 1
        for head in proxy.heads:
            assert head.startswith("POST http://xn--bcher-kva.test:81/v1?a=b HTTP/1.1\r\n")
            assert "\r\nHost: xn--bcher-kva.test:81\r\n" in head
            assert "\r\nAuthorization: Bearer very-secret\r\n" in head
            assert (AUTHORIZATION in head, "Proxy-Authorization" in head) == (bool(login), bool(login))

    @pytest.mark.parametrize("secure", [False, True])
    def test_tunnel(self, monkeypatch, trusted, secure):
        """A https server is reached through a kept tunnel; the proxy sees its own login and not our key."""

        async def main():
            tls = trusted if secure else None
            async with serving(writing(OK), tls=trusted) as server, serving(relaying(), tls=tls) as proxy:
                monkeypatch.setenv("https_proxy", f"http{'s' * secure}://{LOGIN}@127.0.0.1:{proxy.port}")
                async with opened(f"https://127.0.0.1:{server.port}/v1", KEY) as there:
                    for parts in ([b"{}"], LARGE):
                        assert (await there.post(parts)).content == b"hi"
                return server, proxy

        server, proxy = asyncio.run(main())
        (head,) = proxy.heads
        assert head.startswith(f"CONNECT 127.0.0.1:{server.port} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n")
        assert AUTHORIZATION in head
        assert "very-secret" not in head
        assert server.bodies == [b"{}", b"".join(LARGE)]
        assert all(head.startswith("POST /v1 HTTP/1.1") and "Proxy" not in head for head in server.heads)

    @pytest.mark.parametrize(
        ("answer", "said"),
        [
            (b"HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno", "the proxy 127.0.0.1 answered 403"),
            (b"HTTP/1.1 407 Login\r\nProxy-Authenticate: Basic\r\n\r\n", "the proxy 127.0.0.1 answered 407"),
            (b"garbage", "not HTTP"),
        ],
    )
    def test_tunnel_refused(self, monkeypatch, answer, said):
        """A proxy that opens no way is named, with its answer and without our login, and its connection is closed."""

        async def main():
            async with serving(writing(answer)) as proxy:
                monkeypatch.setenv("https_proxy", f"http://{LOGIN}@127.0.0.1:{proxy.port}")
                async with opened("https://server.test/v1", KEY) as there:
                    with pytest.raises(ConnectionError, match=said) as caught:
                        await there.post([b"{}"])
                    await proxy.left.wait()
                return caught.value

        error = asyncio.run(main())
        assert PASSWORD not in str(error)
        assert (error.__cause__, error.__context__) == (None, None), "what the library says may hold the address"

    @pytest.mark.parametrize("exempt", ["127.0.0.1", "*", "elsewhere.test, 127.0.0.1:{}"])
    def test_exempt(self, monkeypatch, exempt):
        """What no_proxy names is connected to directly."""

        async def main():
            async with serving(writing(OK)) as server:
                monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
                monkeypatch.setenv("no_proxy", exempt.format(server.port))
                async with opened(server.url) as there:
                    await there.post([b"{}"])
                return server.heads[0]

        assert asyncio.run(main()).startswith("POST /v1 HTTP/1.1\r\n")

    @pytest.mark.parametrize("proxy", ["socks5://{}@h:1", "http://{}@h:x", "{}@", "http://me:{}/x@h"])
    def test_no_proxy_of_ours(self, monkeypatch, proxy):
        """A proxy that cannot be spoken to is refused at once, without its login."""
        monkeypatch.setenv("http_proxy", proxy.format(LOGIN))
        with pytest.raises(ValueError, match="expected a proxy such as http://host:3128") as caught:
            Transport("http://server.test/", {}, timeout=1)
        assert PASSWORD not in str(caught.value)


def test_a_proxy_elsewhere_is_a_host_that_images_go_to(monkeypatch):
    """Where the environment sends requests for this machine to a proxy on another, they leave this machine."""
    for name in ("http_proxy", "HTTP_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    assert OpenAI("m", base_url="http://localhost:8000/v1").host == ""
    monkeypatch.setenv("http_proxy", "http://proxy.example:3128")
    assert OpenAI("m", base_url="http://localhost:8000/v1").host == "proxy.example"
    monkeypatch.setenv("no_proxy", "localhost")
    assert OpenAI("m", base_url="http://localhost:8000/v1").host == ""
    monkeypatch.setenv("no_proxy", "localhost:80")
    assert OpenAI("m", base_url="http://localhost/v1").host == ""
