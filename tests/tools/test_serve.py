"""snellen serve: the endpoint as any OpenAI-compatible client meets it."""

import asyncio
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import zlib
from base64 import b64encode
from io import BytesIO

import aiohttp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen import listening
from snellen.errors import RejectedError, SnellenError, TransientError, UnusableModelError
from snellen.images import encode
from snellen.models.base import Response
from snellen.models.fake import FakeModel
from snellen.models.organisms import ORGANISMS, open_organism
from snellen.prompts import Request, Settings
from snellen.tools import serve

PNG = encode(np.arange(64, dtype=np.uint8).reshape(8, 8))
URI = f"data:image/png;base64,{b64encode(PNG.data).decode()}"
QUESTION = "Which?\n\nA. Cyst\nB. Drusen\n\nEnd with 'Answer: X'."


def chat(content="A or B?", *, model="fake", **more):
    """A body that asks one question."""
    return {"model": model, "messages": [{"role": "user", "content": content}], **more}


def served(body, *, function=lambda request: "B", models=None, key=None, headers=None):
    """Status, headers and text of the reply to one body; bytes are sent as they are."""

    async def main():
        async with (
            await serve.start(models=models or {"fake": FakeModel(function)}, key=key) as server,
            aiohttp.ClientSession() as session,
        ):
            raw = body if isinstance(body, bytes) else json.dumps(body).encode()
            async with session.post(f"{server.url}/chat/completions", data=BytesIO(raw), headers=headers) as reply:
                return reply.status, reply.headers, await reply.text()

    return asyncio.run(main())


def refused(body, **settings):
    """Status, code and message of an error."""
    status, headers, text = served(body, **settings)
    error = json.loads(text)["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert headers["Content-Type"].startswith("application/json")
    return status, error["code"], error["message"]


def fetched(path, *, key=None, headers=None):
    """Status and JSON of another path."""

    async def main():
        async with (
            await serve.start(models={"fake": FakeModel(str)}, key=key) as server,
            aiohttp.ClientSession(headers=headers) as session,
            session.get(server.url.removesuffix("/v1") + path) as reply,
        ):
            return reply.status, json.loads(await reply.text())

    return asyncio.run(main())


class TestCompletions:
    """A question and its answer."""

    def test_reply_has_openais_shape(self):
        """Role, content, finish reason, model, id and token counts stand where clients look for them."""
        status, _, text = served(chat([{"type": "text", "text": "12345678"}]), function=lambda request: "Four")
        reply = json.loads(text)
        assert status == 200
        assert reply["object"] == "chat.completion"
        assert reply["model"] == "fake"
        assert reply["id"].startswith("chatcmpl-")
        (choice,) = reply["choices"]
        assert choice["message"] == {"role": "assistant", "content": "Four", "refusal": None}
        assert (choice["index"], choice["finish_reason"]) == (0, "stop")
        assert reply["usage"] == {
            "prompt_tokens": 2,
            "completion_tokens": 1,
            "total_tokens": 3,
            "prompt_tokens_details": {"image_tokens": 0, "cached_tokens": 0},
        }

    def test_model_sees_everything_that_was_sent(self):
        """System and developer words, user words, images and settings make one request."""
        seen = []
        messages = [
            {"role": "system", "content": "Be brief."},
            {"role": "developer", "content": [{"type": "text", "text": "Be kind."}]},
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": URI}}]},
            {"role": "user", "content": [{"type": "text", "text": "1"}, {"type": "text", "text": "2"}]},
        ]
        body = {"model": "fake", "messages": messages, "temperature": 1, "top_p": 0.5, "max_completion_tokens": 7}
        extra = {"seed": 3, "user": "me", "stop": ["x"], "n": 1, "reasoning_effort": "low"}
        status, _, text = served({**body, **extra}, function=lambda request: seen.append(request) or "B")
        expected = Request(
            "fake/function",
            "1\n\n2",
            "Be brief.\n\nBe kind.",
            (PNG,),
            Settings(temperature=1, top_p=0.5, max_tokens=7, seed=3, reasoning_effort="low"),
            seen[0].revision,
        )
        assert (status, seen) == (200, [expected])
        assert json.loads(text)["usage"]["prompt_tokens_details"]["image_tokens"] == 1

    @pytest.mark.parametrize("name", ["refuser", "organism/refuser"])
    def test_organisms_by_either_name(self, name):
        """An organism is found with and without its prefix, and answers as it does without HTTP."""
        models = {"organism/refuser": open_organism("refuser")}
        _, _, text = served(chat(model=name), models=models)
        direct = asyncio.run(models["organism/refuser"].answer(Request("organism/refuser", "A or B?", revision="1")))
        assert json.loads(text)["choices"][0]["message"]["content"] == direct.text

    def test_seed_stands_in_for_the_replicate(self):
        """`organism/random` repeats itself under one seed and draws anew under others."""
        models = {"organism/random": open_organism("random")}

        def drawn(**more):
            _, _, text = served(chat(QUESTION, model="random", **more), models=models)
            return json.loads(text)["choices"][0]["message"]["content"]

        assert drawn(seed=1) == drawn(seed=1)
        assert drawn() == drawn()
        assert len({drawn(seed=seed)[-1] for seed in range(12)}) == 2

    def test_stream(self):
        """A streamed reply adds up to the whole one, ends with its finish reason, the usage if wanted, and [DONE]."""
        body = chat(stream=True, stream_options={"include_usage": True})
        words = "It is drusen.\n\nAnswer: B — ≥ 2"
        status, headers, text = served(body, function=lambda request: Response(words, finish="length"))
        lines = text.removesuffix("\n\n").split("\n\n")
        assert (status, headers["Content-Type"], lines[-1]) == (200, "text/event-stream", "data: [DONE]")
        chunks = [json.loads(line.removeprefix("data: ")) for line in lines[:-1]]
        *pieces, usage = chunks
        assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}
        assert pieces[0]["choices"][0]["delta"]["role"] == "assistant"
        assert "".join(piece["choices"][0]["delta"].get("content", "") for piece in pieces) == words
        assert [piece["choices"][0]["finish_reason"] for piece in pieces] == [None] * (len(pieces) - 1) + ["length"]
        assert (usage["choices"], usage["usage"]["completion_tokens"]) == ([], 8)

    def test_many_at_once(self):
        """A slow model does not hold up the others."""

        async def main():
            class Slow(FakeModel):
                async def answer(self, request):
                    await hold.wait()
                    return await super().answer(request)

            hold = asyncio.Event()
            models = {"slow": Slow(lambda request: "late"), "fast": FakeModel(lambda request: "early")}
            async with await serve.start(models=models) as server, aiohttp.ClientSession() as session:

                async def ask(name):
                    async with session.post(f"{server.url}/chat/completions", json=chat(model=name)) as reply:
                        return (await reply.json())["choices"][0]["message"]["content"]

                slow = asyncio.create_task(ask("slow"))
                early = await asyncio.gather(*(ask("fast") for _ in range(20)))
                hold.set()
                return early, await slow

        assert asyncio.run(main()) == (["early"] * 20, "late")


class TestRefusals:
    """What cannot be answered is refused in words, in OpenAI's shape."""

    def test_unknown_model(self):
        """The models that there are, are named."""
        status, code, message = refused(chat(model="gpt-5"))
        assert (status, code) == (404, "model_not_found")
        assert "'gpt-5'" in message
        assert "fake" in message

    @pytest.mark.parametrize("raw", [b"", b"{", b"\xff", b'{"model": "fake", "n": NaN}'])
    def test_bad_json(self, raw):
        """A body that is not JSON is a 400."""
        assert refused(raw)[:2] == (400, "invalid_json")

    @pytest.mark.parametrize(
        ("body", "named"),
        [
            ([], "object"),
            ({"messages": []}, "'model'"),
            ({"model": 5}, "'model'"),
            ({"model": "fake"}, "'messages'"),
            ({"model": "fake", "messages": []}, "'messages'"),
            ({"model": "fake", "messages": "hello"}, "'messages'"),
            ({"model": "fake", "messages": ["hello"]}, "role"),
            ({"model": "fake", "messages": [{"role": "assistant", "content": "B"}]}, "'assistant'"),
            ({"model": "fake", "messages": [{"role": ["user"], "content": "B"}]}, "role"),
            ({"model": "fake", "messages": [{"role": "user"}]}, "NoneType"),
            (chat(5), "int"),
            (chat(["hello"]), "list"),
            (chat([{"type": "input_audio"}]), "'input_audio'"),
            (chat([{"type": "text", "text": 5}]), "'text'"),
            (chat(n=2), "'n' must be 1"),
            (chat(n=True), "'n' must be 1"),
            (chat(n=[[]] * 9), "'n' must be 1, got a list"),
            (chat(stream="no"), "'stream' must be true or false"),
            (chat(stream_options={"include_usage": 1}), "'include_usage' must be true or false"),
            (chat(reasoning_effort=["low"]), "'reasoning_effort'"),
            (chat(temperature=-1), "temperature"),
            (chat(top_p=[1]), "'top_p'"),
            (chat(seed=2**70), "'seed' must be a whole number"),
            (chat(temperature="hot"), "'temperature'"),
            (chat(seed=1.5), "'seed'"),
            (chat(max_tokens=True), "'max_tokens'"),
            (chat(max_tokens=0), "at least 1"),
            (chat(stream_options="usage"), "'stream_options'"),
        ],
    )
    def test_bad_body(self, body, named):
        """The message names what is wrong."""
        status, _, message = refused(body)
        assert status == 400
        assert named in message

    @pytest.mark.parametrize(
        "url",
        [
            "https://example.org/x.png",
            "file:///etc/hostname",
            "",
            None,
            5,
            "data:image/png,abc",
            "data:image/png;base64",
            "data:image/png;base64,@@@@",
            "data:image/png;base64,é",
            f"data:image/png;base64,{b64encode(b'no picture').decode()}",
            f"data:image/png;base64,{b64encode(PNG.data[:-20]).decode()}",
        ],
    )
    def test_bad_image(self, url):
        """An image from elsewhere, in broken base64 or damaged is a 400, and nothing is fetched."""
        body = chat([{"type": "image_url", "image_url": {"url": url}}])
        assert refused(body)[:2] == (400, "invalid_image")

    def test_large_bodies(self, monkeypatch):
        """A body over the limit, or a text that organisms would read for minutes, is a 413 that names the limit."""
        assert served(chat([{"type": "text", "text": "?"}], user="x" * 3_000_000))[0] == 200
        monkeypatch.setattr(listening, "MAX_BODY", 2_000_000)
        message = "The messages have 1,000,000 characters; at most 200,000 are accepted."
        assert refused(chat("x" * 1_000_000)) == (413, "request_too_large", message)
        assert refused(b"x" * 2_100_000) == (413, "request_too_large", "The body is larger than 2 MB.")

    @pytest.mark.parametrize("depth", [1000, 100_000])
    @pytest.mark.parametrize("field", ["messages", "n", "model", "temperature", "stop"])
    def test_deep_json(self, depth, field):
        """Nesting without end is a 400, wherever it stands, or is left alone where nothing is read."""
        raw = b'{"model": "fake", "messages": [{"role": "user", "content": "?"}], "%b": %b%b}'
        status, _, text = served(raw % (field.encode(), b"[" * depth, b"]" * depth))
        assert status == (200 if (field, depth) == ("stop", 1000) else 400)
        assert ("error" in json.loads(text)) == (status == 400)

    @pytest.mark.parametrize("size", [(60_000, 60_000), (2**31 - 1, 1), (0, 5)])
    def test_image_of_gigantic_size(self, size):
        """An image that says it is gigantic, or has no size, is a 400 and is not decoded."""
        header = struct.pack(">4sIIBBBBB", b"IHDR", *size, 8, 0, 0, 0, 0)
        at = PNG.data.index(b"IHDR")
        bomb = PNG.data[:at] + header + struct.pack(">I", zlib.crc32(header)) + PNG.data[at + len(header) + 4 :]
        url = f"data:image/png;base64,{b64encode(bomb).decode()}"
        assert refused(chat([{"type": "image_url", "image_url": {"url": url}}]))[:2] == (400, "invalid_image")

    def test_slow_body(self, monkeypatch):
        """A client that does not send what it announced is told so after a while, and others are served."""
        monkeypatch.setattr(listening, "SLOWEST_BODY", 0.05)

        async def main():
            models = {"fake": FakeModel(lambda request: "B")}
            async with await serve.start(models=models) as server, aiohttp.ClientSession() as session:
                host, port = server.url.removeprefix("http://").removesuffix("/v1").split(":")
                reader, writer = await asyncio.open_connection(host, int(port))
                writer.write(b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
                head = await reader.readuntil(b"\r\n\r\n")
                length = re.search(rb"Content-Length: (\d+)", head)
                error = json.loads(await reader.readexactly(int(length[1])))["error"]
                writer.close()
                await writer.wait_closed()
                monkeypatch.undo()
                async with session.post(f"{server.url}/chat/completions", json=chat()) as reply:
                    return head.split()[1], error["code"], reply.status

        assert asyncio.run(main()) == (b"408", "request_timeout", 200)

    def test_bug_of_a_model(self):
        """What a model raises is a 500 in the same shape, and names the error."""
        status, code, message = refused(chat(), function=lambda request: 1 / 0)
        assert (status, code) == (500, "model_failed")
        assert "ZeroDivisionError" in message

    def test_key(self):
        """Without the right key nothing is answered, and the key is not in the response; with it, all is."""
        for headers in ({}, {"Authorization": "Bearer wröng"}, {"Authorization": "Basic secret"}):
            status, code, message = refused(chat(), key="secret", headers=headers)
            assert (status, code, "secret" in message) == (401, "invalid_api_key", False)
            assert fetched("/v1/models", key="secret", headers=headers)[0] == 401
        assert served(chat(), key="secret", headers={"Authorization": "Bearer secret"})[0] == 200

    @pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "https://evil.example"}])
    def test_pages_of_others(self, headers):
        """Without a key, a page of another site is refused, by whatever name it comes."""
        assert served(chat(), headers=headers)[0] == 403

    @pytest.mark.parametrize(
        ("error", "status"),
        [(RejectedError("no"), 400), (TransientError("busy"), 503), (UnusableModelError("never"), 500)],
    )
    def test_model_that_fails(self, error, status):
        """A model's error becomes the status it stands for, with its words."""

        def fail(request):
            raise error

        got, _, message = refused(chat(), function=fail)
        assert (got, message) == (status, str(error))

    @pytest.mark.parametrize(("path", "status"), [("/", 404), ("/v1/chat/completions", 405)])
    def test_other_paths(self, path, status):
        """Other paths and methods are refused in the same shape."""
        got, reply = fetched(path)
        assert (got, path in reply["error"]["message"]) == (status, True)

    @given(st.recursive(st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5), lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["model", "messages", "role", "content", "type", "text", "n"]), inner)
    )))  # fmt: skip
    def test_any_json_is_understood_or_refused(self, body):
        """No JSON at all can make the parser of bodies fail otherwise than by refusing."""
        try:
            chat_read = serve.read_chat(json.dumps(body).encode())
        except serve.Refusal:
            return
        assert chat_read.model == body["model"]


class TestRunning:
    """Starting, listing and ending."""

    def test_models_are_listed(self):
        """GET /v1/models lists what is served."""
        status, reply = fetched("/v1/models")
        assert (status, [row["id"] for row in reply["data"]]) == (200, ["fake"])

    def test_port_in_use(self):
        """A port that is taken is named in the error."""
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            with pytest.raises(SnellenError, match=f"port {port}"):
                asyncio.run(serve.start(port=port, models={}))

    def test_closed_server_answers_no_more(self):
        """After closing, nobody listens."""

        async def main():
            server = await serve.start(models={})
            await server.close()
            async with aiohttp.ClientSession() as session:
                await session.get(f"{server.url}/models")

        with pytest.raises(aiohttp.ClientConnectorError):
            asyncio.run(main())

    def test_serves_until_interrupted(self):
        """`serve` prints where it listens and how to use it, and Ctrl-C ends it without a traceback."""
        # A shell that starts the tests in the background has Ctrl-C ignored in all they start.
        listening = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
        program = f"{listening}; from snellen.tools.serve import serve; serve('127.0.0.1', 0)"
        with subprocess.Popen(
            [sys.executable, "-u", "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            try:
                first, second = process.stdout.readline(), process.stdout.readline()
                os.kill(process.pid, signal.SIGINT)
                _, complaints = process.communicate()
            finally:
                process.kill()
        assert all(name in first for name in ORGANISMS)
        assert "OPENAI_BASE_URL=http://127.0.0.1:" in second
        assert (process.returncode, complaints) == (0, "")
