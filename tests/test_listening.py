"""Listening: who may call a server, and for how many there is room."""

import asyncio
import json

import pytest

from snellen import listening
from snellen.errors import StudyError
from snellen.listening import Callers, Refusal, find_lack_of_room, parse_body
from snellen.models.fake import FakeModel
from snellen.tools import serve
from snellen.tools.guard.query import read_query

PAGE = "https://evil.example"


@pytest.mark.parametrize(
    ("host", "names", "headers", "code"),
    [
        ("127.0.0.1", (), {"Host": "127.0.0.1:8900"}, ""),
        ("127.0.0.1", (), {"Host": "LOCALHOST"}, ""),
        ("127.0.0.1", (), {"Host": "[::1]:8900"}, ""),
        ("127.0.0.1", (), {}, "wrong_host"),
        ("127.0.0.1", (), {"Host": ""}, "wrong_host"),
        ("127.0.0.1", (), {"Host": "["}, "wrong_host"),
        ("127.0.0.1", (), {"Host": "user@127.0.0.1"}, "wrong_host"),
        ("127.0.0.1", (), {"Host": "192.0.2.7"}, "wrong_host"),
        ("127.0.0.1", (), {"Host": "guard:8900"}, "wrong_host"),
        ("127.0.0.1", ("Guard",), {"Host": "guard:8900"}, ""),
        ("192.0.2.7", (), {"Host": "192.0.2.7"}, ""),
        ("192.0.2.7", (), {"Host": "192.0.2.8"}, "wrong_host"),
        ("2001:db8::7", (), {"Host": "[2001:db8::7]:80"}, ""),
        ("0.0.0.0", (), {"Host": "192.0.2.7"}, ""),
        ("::", (), {"Host": "[2001:db8::7]"}, ""),
        ("0.0.0.0", (), {"Host": "evil.example"}, "wrong_host"),
        ("0.0.0.0", (), {"Host": "192.0.2.7.evil.example"}, "wrong_host"),
        ("127.0.0.1", (), {"Host": "localhost", "Origin": PAGE}, "wrong_origin"),
        ("127.0.0.1", (), {"Host": "localhost", "Origin": "null"}, "wrong_origin"),
        ("127.0.0.1", (), {"Host": "localhost", "Origin": f"{PAGE}@localhost"}, "wrong_origin"),
        ("127.0.0.1", (), {"Host": "localhost", "Origin": "http://localhost:3000", "Sec-Fetch-Site": "cross-site"}, ""),
        ("127.0.0.1", (), {"Host": "localhost", "Sec-Fetch-Site": "cross-site"}, "wrong_origin"),
        ("127.0.0.1", (), {"Host": "localhost", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, ""),
        ("127.0.0.1", (), {"Host": "evil.example", "Sec-Fetch-Site": "same-origin"}, "wrong_host"),
        ("127.0.0.1", (), {"Host": "localhost", "Origin": "null", "Sec-Fetch-Site": "same-origin"}, ""),
    ],
)
def test_callers(host, names, headers, code):
    """Programs that use the server's own names pass, and pages of its own; a name that leads here does not."""
    told = said = ""
    try:
        Callers.from_host(host, names).check(headers)
    except Refusal as refusal:
        told, said = refusal.code, str(refusal)
    assert (told, "--allow-host" in said) == (code, code == "wrong_host")


@pytest.mark.parametrize("name", ["", "http://guard", "guard/v1", "me@guard"])
def test_a_name_is_a_name(name):
    """What is no name of a host is told before anything listens."""
    with pytest.raises(StudyError, match="name of a host"):
        Callers.from_host("127.0.0.1", [name])


@pytest.mark.parametrize(
    ("connected", "status"),
    [
        ([], None),
        (["192.0.2.8"] * 3, None),
        (["192.0.2.7"] * 2, 429),
        (["::ffff:192.0.2.7"] * 2, 429),
        (["192.0.2.8"] * 4, 503),
    ],
)
def test_room(monkeypatch, connected, status):
    """One client takes its share, all together what there is, and nobody more."""
    monkeypatch.setattr(listening, "MOST_PER_CLIENT", 2)
    monkeypatch.setattr(listening, "MOST_CONNECTIONS", 4)
    refusal = find_lack_of_room("192.0.2.7", connected)
    assert (refusal and refusal.status) == status


def test_an_ipv6_client_is_its_network(monkeypatch):
    """Whoever has a network of addresses is one client."""
    monkeypatch.setattr(listening, "MOST_PER_CLIENT", 2)
    assert find_lack_of_room("2001:db8::7", ["2001:db8::1", "2001:db8::2"]).status == 429
    assert find_lack_of_room("2001:db8::7", ["2001:db8:1::1", "2001:db8:2::2"]) is None


def test_a_client_with_too_many_connections_is_told(monkeypatch):
    """The connection that is one too many is answered with 429 and closed; the first goes on."""
    monkeypatch.setattr(listening, "MOST_PER_CLIENT", 1)

    async def main():
        async with await serve.start(models={"fake": FakeModel(lambda request: "B")}) as server:
            port = int(server.url.split(":")[2].split("/")[0])
            first = await asyncio.open_connection("127.0.0.1", port)
            first[1].write(b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n")
            begun = await first[0].readuntil(b"}]}")
            second = await asyncio.open_connection("127.0.0.1", port)
            told = await second[0].read()
            first[1].write(b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n")
            again = await first[0].readline()
            for _, writer in (first, second):
                writer.close()
            return begun, told, again

    begun, told, again = asyncio.run(main())
    assert (begun.split()[1], told.split()[1], again.split()[1]) == (b"200", b"429", b"200")
    assert json.loads(told.partition(b"\r\n\r\n")[2])["error"]["code"] == "too_many_connections"


@pytest.mark.parametrize(
    ("body", "reads"), [(b"[" + b"{}," * 600_000 + b"{}]", False), (b'["%s"]' % (b"A" * 5_000_000), True)]
)
def test_small_bodies_that_become_large_are_not_read(body, reads):
    """Two megabytes of empty objects would take a hundred times the memory of an image of that size."""
    if reads:
        assert len(parse_body(body)[0]) == 5_000_000
    else:
        with pytest.raises(ValueError, match="more than"):
            parse_body(body)
    assert read_query(b'{"messages": %s}' % body) is None or reads


def test_one_client_does_not_fill_the_memory(monkeypatch):
    """Of the bytes that are held, half at most are one client's."""
    monkeypatch.setattr(listening, "MOST_HELD", 2_000)

    class Sent:
        content_length = None

        def __init__(self, remote, size):
            self.remote, self.content, self._size = remote, self, size

        async def iter_any(self):
            yield b"x" * self._size

    async def main():
        bodies = listening.Bodies()
        async with bodies.body(Sent("192.0.2.7", 900)), bodies.body(Sent("192.0.2.8", 900)) as other:
            with pytest.raises(Refusal, match="limit of memory"):
                async with bodies.body(Sent("192.0.2.7", 200)):
                    pass
        async with bodies.body(Sent("192.0.2.7", 1000)) as later:
            return len(other), len(later)

    assert asyncio.run(main()) == (900, 1000)
