"""The lean HTTP client, against loopback servers that write exact bytes: right ones, odd ones and hostile ones."""

import asyncio
import gc
import hashlib
import re
import socket
import ssl
import threading
import tracemalloc
from base64 import b64encode
from contextlib import asynccontextmanager, suppress
from itertools import pairwise

import hypothesis
import hypothesis.strategies as st
import pytest
import trustme

from snellen.errors import UnusableModelError
from snellen.models import endpoint
from snellen.models.endpoint import CutOffError, Endpoint, NoConnectionError
from snellen.models.openai import OpenAI
from snellen.prompts import Request

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=1\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: u\r\n\r\n"
PASSWORD = "p4ss-w0rd"


class Server:
    """What a loopback server saw: each request's head and body, how many came, and which connections have ended."""

    def __init__(self):
        self.heads, self.bodies = [], []
        self.connections = 0
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
        held[asyncio.current_task()] = writer
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await talk(server, reader, writer)
        finally:
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
    there = Endpoint(url, headers or {}, **{"timeout": 20.0, **settings})
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
    """What counts as a whole reply."""

    @pytest.mark.parametrize(
        ("raw", "status", "content", "kept"),
        [
            (OK, 200, b"hi", True),
            (b"HTTP/1.1 200\r\nCONTENT-length:2 \r\n\r\nhi", 200, b"hi", True),
            (b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi", 200, b"hi", False),
            (b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", 200, b"hi", False),
            (b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi", 200, b"hi", True),
            (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n" + OK, 200, b"hi", True),
            (b"HTTP/1.1 204 No Content\r\n\r\n", 204, b"", True),
            (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n", 304, b"", True),
            (b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n", 500, b"", True),
            (CHUNKED, 200, b"abc0123456789", True),
        ],
    )
    @pytest.mark.parametrize("bytewise", [False, True])
    def test_framed(self, raw, status, content, kept, bytewise):
        """Length, chunks or status end a reply, whole or byte by byte; connections are kept where they may be."""
        pieces = [raw[i : i + 1] for i in range(len(raw))] if bytewise else [raw]
        replies, server = posted(writing(*pieces), times=2)
        assert [(reply.status, reply.content) for reply in replies] == [(status, content)] * 2
        assert server.connections == (1 if kept else 2)

    @pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\nX: y\r\n\r\n", b"HTTP/1.0 200 OK\r\n\r\n"])
    @pytest.mark.parametrize("content", [[b"some ", b"words"], []])
    def test_ended_by_the_connection(self, head, content):
        """Without a length, even without any header, the reply is what came until the server hung up."""
        replies, _ = posted(writing(head, *content, hang_up=True), times=2)
        assert [reply.content for reply in replies] == [b"".join(content)] * 2

    @hypothesis.given(st.sets(st.integers(1, len(CHUNKED) - 1)))
    @hypothesis.settings(max_examples=30)
    def test_chunks_cut_anywhere(self, cuts):
        """However the network cuts a chunked reply, its content is the same."""
        at = [0, *sorted(cuts), len(CHUNKED)]
        (reply,), _ = posted(writing(*(CHUNKED[a:b] for a, b in pairwise(at))))
        assert reply.content == b"abc0123456789"

    def test_headers(self):
        """Names are in lower case, foreign bytes survive, the last of a repeated header stands, trailers do not."""
        head = b"HTTP/1.1 200 OK\r\nRetry-After: 1\r\nRETRY-AFTER:  2 \r\nX: \xe9\r\nEmpty:\r\n"
        (reply,), _ = posted(writing(CHUNKED.replace(b"HTTP/1.1 200 OK\r\n", head)))
        expected = {"retry-after": "2", "x": "é", "empty": "", "transfer-encoding": "chunked"}
        assert {name: value.strip() for name, value in reply.headers.items()} == expected


class TestBrokenReplies:
    """What is no whole reply raises OSError, and its connection is not used again."""

    @pytest.mark.parametrize(
        "raw",
        [
            b"<html>hello</html>",
            b"\x00\xff" * 100,
            b"HTTP/2 200 OK\r\n\r\n",
            b"HTTP/1.1 200 OK\nContent-Length: 2\n\nhi",
            b"HTTP/1.1 200 OK\r\nX: a\r\n folded\r\nContent-Length: 2\r\n\r\nhi",
            b"HTTP/1.1 200 OK\r\nX y: 1\r\nContent-Length: 2\r\n\r\nhi",
            b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi",
            b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\nhi",
            b"HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nhi",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
            b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nhi",
        ],
    )
    def test_no_http(self, raw):
        """Garbage, folded headers and contradictory lengths are errors at once, while the server still waits."""
        with pytest.raises(ConnectionError, match=r"not HTTP|another protocol"):
            posted(writing(raw))

    @pytest.mark.parametrize(
        "raw",
        [
            b"",
            b"HTTP/1.1 200 OK\r\nX: y\r\n",
            b"HTTP/1.1 100 Continue\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhi",
            CHUNKED[:-2],
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhi",
        ],
    )
    def test_cut(self, raw):
        """A server that hangs up within a reply, even within its headers, has not given it."""
        with pytest.raises(CutOffError, match="before the reply was whole"):
            posted(writing(raw, hang_up=True))

    @pytest.mark.parametrize("before", [b"", b"HTTP/1.1 100 Continue\r\nX: 1\r\n\r\n"])
    @pytest.mark.parametrize(("opening", "more"), [(b"X: ", b"y" * 900), (b"", b"A: b\r\n" * 99), (b"", b"y" * 900)])
    def test_endless_headers(self, monkeypatch, before, opening, more):
        """Headers that never end are cut off, whether one value, many headers or one name."""
        monkeypatch.setattr(endpoint, "LONGEST_HEAD", 10_000)
        with pytest.raises(ConnectionError, match="headers are longer than 10,000 bytes"):
            posted(endless(before + b"HTTP/1.1 200 OK\r\n" + opening, more))

    def test_endless_news_before_the_answer(self, monkeypatch):
        """A server that only ever says 1xx is cut off."""
        monkeypatch.setattr(endpoint, "LONGEST_HEAD", 10_000)
        with pytest.raises(ConnectionError, match="headers are longer than 10,000 bytes"):
            posted(endless(b"", b"HTTP/1.1 102 Processing\r\n\r\n" * 10))

    @pytest.mark.parametrize(
        ("opening", "more"),
        [
            (b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n", b"y" * 900),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\ny\r\n" * 100),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"T: u\r\n" * 100),
            (b"HTTP/1.1 200 OK\r\n\r\n", b"y" * 900),
        ],
    )
    def test_too_long(self, monkeypatch, opening, more):
        """A reply over the limit fails and hangs up, however it is framed."""
        monkeypatch.setattr(endpoint, "LONGEST_REPLY", 50_000)
        with pytest.raises(ConnectionError, match="longer than 50,000 bytes"):
            posted(endless(opening, more))

    def test_failed_connections_keep_nothing(self, monkeypatch):
        """What came of replies that were too long is let go with their connections, without the garbage collector."""
        monkeypatch.setattr(endpoint, "LONGEST_REPLY", 1_000_000)
        kept = []

        async def main():
            talk = endless(b"HTTP/1.1 200 OK\r\n\r\n", b"y" * 100_000)
            async with serving(talk) as server, opened(server.url) as there:
                for _ in range(8):
                    try:
                        await there.post([b"{}"])
                    except ConnectionError as error:
                        kept.append(error)
                return tracemalloc.get_traced_memory()[0]

        gc.disable()
        tracemalloc.start()
        try:
            assert asyncio.run(main()) < 2_000_000
        finally:
            tracemalloc.stop()
            gc.enable()
        assert len(kept) == 8

    @pytest.mark.parametrize("times", [1, 2])
    def test_timeout(self, times):
        """No reply in time raises TimeoutError and hangs up; the next post does not meet the late reply."""

        async def talk(server, reader, writer):
            while True:
                if await server.read(reader) < times:
                    await reader.read()
                    return
                writer.write(OK)

        async def main():
            async with serving(talk) as server, opened(server.url, timeout=0.3) as there:
                for _ in range(times):
                    with pytest.raises(TimeoutError):
                        await there.post([b"{}"])
                await server.left.wait()
                there._timeout = 20  # so that a busy machine does not make the last reply late as well
                reply = await there.post([b"{}"])
                return reply.content, server.connections

        assert asyncio.run(main()) == (b"hi", times + 1)


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


class TestConnections:
    """When a connection is kept, left and replaced."""

    @pytest.mark.parametrize("abort", [False, True])
    def test_closed_while_idle(self, abort):
        """A kept connection that the server closed is replaced without a word."""

        async def talk(server, reader, writer):
            await server.read(reader)
            writer.write(OK)
            await writer.drain()
            if abort:
                writer.transport.abort()

        async def main():
            async with serving(talk) as server, opened(server.url) as there:
                for _ in range(3):
                    assert (await there.post([b"{}"])).content == b"hi"
                    await server.left.wait()
                return server.connections

        assert asyncio.run(main()) == 3

    @pytest.mark.parametrize(("start", "expected"), [(b"", 3), (b"HTTP/1.1 2", None)])
    def test_closed_on_the_next_request(self, start, expected):
        """A kept connection that takes a request and ends is stale; once a byte of a reply came, it is a failure."""

        async def talk(server, reader, writer):
            if await server.read(reader) in (0, 2):
                writer.write(OK)
                await server.read(reader)
                writer.write(start)

        async def main():
            async with serving(talk) as server, opened(server.url) as there:
                await there.post([b"one"])
                if expected is None:
                    with pytest.raises(ConnectionError, match="before the reply was whole"):
                        await there.post([b"two"])
                    return server.bodies
                assert (await there.post([b"two"])).content == b"hi"
                return server.bodies

        assert asyncio.run(main()) == [b"one", b"two", b"two"][: expected or 2]

    def test_fresh_connection_that_ends_is_not_tried_again(self):
        """A server that hangs up on a new connection is asked once only."""

        async def main():
            async with serving(writing(hang_up=True)) as server, opened(server.url) as there:
                with pytest.raises(ConnectionError):
                    await there.post([b"{}"])
                return server.connections

        assert asyncio.run(main()) == 1

    @pytest.mark.parametrize("more", [b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad", b"HTTP/1.1 2", b"garbage"])
    @pytest.mark.parametrize("apart", [False, True])
    def test_data_nobody_asked_for(self, more, apart):
        """A second answer, with the first or after it, ends the connection and reaches no other post."""
        talk = writing(OK, more) if apart else writing(OK + more)

        async def main():
            async with serving(talk) as server, opened(server.url) as there:
                for connections in (1, 2, 3):
                    reply = await there.post([b"{}"])
                    assert (reply.content, reply.headers) == (b"hi", {"content-length": "2"})
                    await server.left.wait()
                    server.left.clear()
                    assert server.connections == connections

        asyncio.run(main())

    def test_cancelled(self):
        """A post that is cancelled hangs up, and the next one has a connection of its own."""

        async def main():
            async with serving(silent) as server, opened(server.url) as there:
                post = asyncio.create_task(there.post([b"{}"]))
                await server.asked.wait()
                post.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await post
                await server.left.wait()

        asyncio.run(main())

    @pytest.mark.parametrize("kept", [False, True])
    def test_close_with_posts_under_way(self, kept):
        """Closing fails the posts under way, which are not sent again, and the endpoint may be used afterwards."""

        async def talk(server, reader, writer):
            while True:
                if server.connections > 3 or (await server.read(reader) < 3 and kept):
                    writer.write(OK)

        async def main():
            async with serving(talk) as server, opened(server.url) as there:
                if kept:
                    await asyncio.gather(*(there.post([b"{}"]) for _ in range(3)))
                posts = [asyncio.create_task(there.post([b"{}"])) for _ in range(3)]
                await server.until(3 * (1 + kept))
                await there.close()
                failures = await asyncio.gather(*posts, return_exceptions=True)
                return [type(failure) for failure in failures], server.connections

        assert asyncio.run(main()) == ([ConnectionError] * 3, 3)

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
                there = Endpoint(f"http://127.0.0.1:{listening.getsockname()[1]}/", {}, timeout=20)
                return [asyncio.run(main(there, close=last or close)) for last in (False, True)]

        assert twice() == [b"hi", b"hi"]
        for connection in held:
            connection.close()
        gc.collect()

    def test_many_at_once(self):
        """Two hundred posts in parallel come back each with its own answer, over no more connections than posts."""

        async def echo(server, reader, writer):
            while True:
                body = server.bodies[await server.read(reader)]
                await asyncio.sleep(0)
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))

        async def main():
            async with serving(echo) as server, opened(server.url) as there:
                sent = [b"%d" % number * (1 + number % 7) for number in range(200)]
                for _ in range(2):
                    replies = await asyncio.gather(*(there.post([body[:1], body[1:]]) for body in sent))
                    assert [reply.content for reply in replies] == sent
                return server.connections

        assert asyncio.run(main()) <= 200


class TestRequests:
    """What is put on the wire, and where to."""

    @pytest.mark.parametrize(
        ("path", "line"),
        [
            ("", "POST / HTTP/1.1"),
            ("/v1/chat?api-version=1&x=a%20b", "POST /v1/chat?api-version=1&x=a%20b HTTP/1.1"),
            ("?a=b", "POST /?a=b HTTP/1.1"),
            ("/a b/é#part", "POST /a%20b/%C3%A9 HTTP/1.1"),
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
        expected = [line, f"Host: 127.0.0.1:{server.port}", "X: y z", "Accept-Encoding: identity", "Content-Length: 3"]
        assert server.heads[0].rstrip().split("\r\n") == expected
        assert server.bodies == [b"abc"]

    @pytest.mark.parametrize(
        ("url", "address"),
        [
            ("http://a.test/v1", ("a.test", 80)),
            ("https://a.test/v1", ("a.test", 443)),
            ("http://a.test:8000", ("a.test", 8000)),
            ("https://[::1]/v1", ("::1", 443)),
            ("http://bücher.test/", ("xn--bcher-kva.test", 80)),
        ],
    )
    def test_where_it_connects_to(self, monkeypatch, url, address):
        """The scheme's port where none is given; a host in other letters by its ASCII name."""
        reached = []

        async def connect(loop, protocol, host, port, **settings):
            reached.append((host, port))
            raise ConnectionRefusedError(111, "no")

        monkeypatch.setattr(asyncio.BaseEventLoop, "create_connection", connect)
        with pytest.raises(NoConnectionError):
            asyncio.run(Endpoint(url, {}, timeout=1).post([]))
        assert reached == [address]

    def test_ipv6(self):
        """An IPv6 address in brackets is connected to and named in brackets."""

        async def main():
            async with serving(writing(OK), host="::1") as server, opened(f"http://[::1]:{server.port}/") as there:
                await there.post([b"{}"])
                return f"\r\nHost: [::1]:{server.port}\r\n" in server.heads[0]

        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError:
            pytest.skip("no IPv6 here")
        assert asyncio.run(main())

    @pytest.mark.parametrize("value", ["sec\r\nX: ret", "sec\nret", "sec\0ret", "secrét", "sec\x7fret"])
    def test_header_that_cannot_be_sent(self, value):
        """It is refused by name, without its value."""
        with pytest.raises(ValueError, match="'Authorization'") as caught:
            Endpoint("http://127.0.0.1/", {"Authorization": value}, timeout=1)
        assert "sec" not in str(caught.value)

    @pytest.mark.parametrize("name", ["", "A B", "A:", "A\r\nB", "Ä"])
    def test_header_name_that_cannot_be_sent(self, name):
        """A name that would break the request is refused."""
        with pytest.raises(ValueError, match="cannot be sent"):
            Endpoint("http://127.0.0.1/", {name: "x"}, timeout=1)

    @pytest.mark.parametrize(
        "url",
        ["", "nonsense", "ftp://h/", "http://", "http://me:{}@h:x/", "http://me:{}/@h/", "ftp://me:{}@h", "//me:{}@h",
         "http://[::1", "http://me:{}@[x/", "http://a..b/", "http://me:{}@℀.test/", "http://h:99999/"],
    )  # fmt: skip
    def test_no_address(self, url):
        """What cannot be an address is refused, and no password is shown, nor a part of one."""
        with pytest.raises(ValueError, match=r"expected an address such as") as caught:
            Endpoint(url.format(PASSWORD), {}, timeout=1)
        assert PASSWORD not in str(caught.value)
        assert caught.value.__suppress_context__ or caught.value.__context__ is None

    def test_nobody_listens(self):
        """A refused connection is an OSError that says so."""
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            with pytest.raises(NoConnectionError, match="Connect call failed"):
                asyncio.run(Endpoint(f"http://127.0.0.1:{taken.getsockname()[1]}", {}, timeout=9).post([]))

    def test_unknown_host(self, monkeypatch):
        """A name that does not resolve is an OSError that says so."""

        def unknown(*names, **settings):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

        monkeypatch.setattr(socket, "getaddrinfo", unknown)
        with pytest.raises(OSError, match="Name or service not known"):
            asyncio.run(Endpoint("http://nowhere.test", {}, timeout=9).post([]))

    def test_connection_that_is_not_taken_up(self, monkeypatch):
        """A server that cannot be reached in time is a failed connection, not a late reply."""

        async def connect(*names, **settings):
            await asyncio.Event().wait()

        monkeypatch.setattr(asyncio.BaseEventLoop, "create_connection", connect)
        with pytest.raises(ConnectionError, match=r"no connection within 0\.02 s"):
            asyncio.run(Endpoint("http://127.0.0.1", {}, timeout=0.02).post([]))


class TestLargeRequests:
    """Bodies of many megabytes."""

    PARTS = (b"head", bytes(range(256)) * 40_000, b"-", b"0123456789" * 1_000_000, b"tail")

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
                tracemalloc.start()
                try:
                    assert (await there.post(self.PARTS)).content == b"hi"
                    return tracemalloc.get_traced_memory()[1]
                finally:
                    tracemalloc.stop()

        assert asyncio.run(main()) < 4_000_000
        assert arrived.digest() == hashlib.sha256(b"".join(self.PARTS)).digest()

    def test_answer_before_the_end(self):
        """A server that answers after the headers is heard, and its connection, out of step now, is left."""

        async def talk(server, reader, writer):
            server.heads.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
            await asyncio.Event().wait()

        async def main():
            async with serving(talk) as server, opened(server.url) as there:
                statuses = [(await there.post(self.PARTS)).status for _ in range(2)]
                return statuses, server.connections

        assert asyncio.run(main()) == ([413, 413], 2)


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
                    for parts in ([b"{}"], TestLargeRequests.PARTS):
                        assert (await there.post(parts)).content == b"hi"
                return server

        server = asyncio.run(main())
        assert (server.bodies, server.connections) == ([b"{}", b"".join(TestLargeRequests.PARTS)], 1)

    def test_ended_by_the_connection(self, trusted):
        """A reply without a length ends with the connection here too, and a later post opens another."""

        async def main():
            talk = writing(b"HTTP/1.1 200 OK\r\n\r\n", b"words", hang_up=True)
            async with serving(talk, tls=trusted) as server, opened(f"https://127.0.0.1:{server.port}/v1") as there:
                return [(await there.post([b"{}"])).content for _ in range(2)]

        assert asyncio.run(main()) == [b"words"] * 2

    def test_untrusted(self, authority):
        """A certificate that nobody vouches for is refused, and the model says that this is the trouble."""

        async def main():
            async with serving(writing(OK), tls=authority[1]) as server:
                url = f"https://127.0.0.1:{server.port}/v1"
                async with opened(url) as there:
                    with pytest.raises(ssl.SSLCertVerificationError):
                        await there.post([b"{}"])
                model = OpenAI("m", base_url=url)
                with pytest.raises(UnusableModelError, match="is not trusted"):
                    await model.answer(Request(model.name, "?"))
                await model.close()
                return server.heads

        assert asyncio.run(main()) == []

    def test_name_on_the_certificate(self, trusted):
        """A trusted certificate for another name is refused."""

        async def main():
            talk = writing(OK)
            async with serving(talk, tls=trusted) as server, opened(f"https://localhost:{server.port}/v1") as there:
                with pytest.raises(ssl.SSLCertVerificationError, match="ostname mismatch"):
                    await there.post([b"{}"])

        asyncio.run(main())


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
                async with opened("http://you:hidden@server.test:81/v1?a=b") as there:
                    assert (await there.post([b"{}"])).content == b"hi"
                return proxy.heads[0]

        head = asyncio.run(main())
        assert head.startswith("POST http://server.test:81/v1?a=b HTTP/1.1\r\nHost: server.test:81\r\n")
        assert (AUTHORIZATION in head, "Proxy-Authorization" in head) == (bool(login), bool(login))

    @pytest.mark.parametrize("secure", [False, True])
    def test_tunnel(self, monkeypatch, trusted, secure):
        """A https server is reached through a tunnel, which is kept; the proxy's login stays with the proxy."""

        async def main():
            tls = trusted if secure else None
            async with serving(writing(OK), tls=trusted) as server, serving(relaying(), tls=tls) as proxy:
                monkeypatch.setenv("https_proxy", f"http{'s' * secure}://{LOGIN}@127.0.0.1:{proxy.port}")
                async with opened(f"https://127.0.0.1:{server.port}/v1") as there:
                    for parts in ([b"{}"], TestLargeRequests.PARTS):
                        assert (await there.post(parts)).content == b"hi"
                return server, proxy

        server, proxy = asyncio.run(main())
        target = f"127.0.0.1:{server.port}"
        assert proxy.heads == [f"CONNECT {target} HTTP/1.1\r\nHost: {target}{AUTHORIZATION}\r\n"]
        assert server.bodies == [b"{}", b"".join(TestLargeRequests.PARTS)]
        assert all(head.startswith("POST /v1 HTTP/1.1") and "Proxy" not in head for head in server.heads)

    def test_untrusted_behind_a_tunnel(self, monkeypatch, authority):
        """The certificate that counts is the server's, not the way there."""

        async def main():
            async with serving(writing(OK), tls=authority[1]) as server, serving(relaying()) as proxy:
                monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{proxy.port}")
                async with opened(f"https://127.0.0.1:{server.port}/v1") as there:
                    with pytest.raises(ssl.SSLCertVerificationError):
                        await there.post([b"{}"])
                return server.heads

        assert asyncio.run(main()) == []

    def test_close_while_connecting(self, monkeypatch, trusted):
        """A connection that stands only after the endpoint was closed is not used."""

        async def main():
            closed = asyncio.Event()
            async with serving(writing(OK), tls=trusted) as server, serving(relaying(closed.wait)) as proxy:
                monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{proxy.port}")
                there = Endpoint(f"https://127.0.0.1:{server.port}/v1", {}, timeout=20)
                post = asyncio.create_task(there.post([b"{}"]))
                await proxy.asked.wait()
                await there.close()
                closed.set()
                with pytest.raises(ConnectionError, match="closed while"):
                    await post
                return server.heads

        assert asyncio.run(main()) == []

    @pytest.mark.parametrize(
        ("answer", "said"),
        [
            (b"HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno", "the proxy 127.0.0.1 answered 403"),
            (b"HTTP/1.1 407 Login\r\nProxy-Authenticate: Basic\r\n\r\n", "the proxy 127.0.0.1 answered 407"),
            (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 502 Bad\r\n\r\n", "the proxy 127.0.0.1 answered 502"),
            (b"garbage", "not HTTP"),
        ],
    )
    def test_tunnel_refused(self, monkeypatch, answer, said):
        """A proxy that opens no way is named, with its answer and without our login, and its connection is closed."""

        async def main():
            async with serving(writing(answer)) as proxy:
                monkeypatch.setenv("https_proxy", f"http://{LOGIN}@127.0.0.1:{proxy.port}")
                async with opened("https://server.test/v1") as there:
                    with pytest.raises(ConnectionError, match=said) as caught:
                        await there.post([b"{}"])
                    await proxy.left.wait()
                return str(caught.value), proxy.heads[0]

        error, head = asyncio.run(main())
        assert PASSWORD not in error
        assert head.startswith("CONNECT server.test:443 HTTP/1.1\r\n")

    def test_tunnel_without_an_answer(self, monkeypatch):
        """A proxy that says nothing is given up as a connection that was not taken up, and hung up on."""

        async def main():
            async with serving(silent) as proxy:
                monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{proxy.port}")
                async with opened("https://[::1]/v1", timeout=0.3) as there:
                    with pytest.raises(ConnectionError, match=r"no connection within 0\.3 s"):
                        await there.post([b"{}"])
                    await proxy.left.wait()
                return proxy.heads[0]

        assert asyncio.run(main()).startswith("CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\n")

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
            Endpoint("http://server.test/", {}, timeout=1)
        assert PASSWORD not in str(caught.value)
