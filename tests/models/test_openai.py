"""The client for OpenAI-compatible servers, against real servers on the loopback: ours, and ones that misbehave."""

import asyncio
import json
import socket
import time
from base64 import b64decode, b64encode
from contextlib import asynccontextmanager, suppress
from email.utils import formatdate
from functools import partial

import numpy as np
import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from models.recording import pass_time
from snellen.errors import ModelError, OutageError, RejectedError, TransientError, UnusableModelError
from snellen.images import EncodedImage, encode
from snellen.models.base import Response, Usage, check_sent
from snellen.models.chat import read_completion
from snellen.models.client.client import Client
from snellen.models.client.provider import Access
from snellen.models.fake import FakeModel
from snellen.models.openai import OpenAI
from snellen.prompts import Request, Settings
from snellen.tools import serve
from strategies import JSON

KEY = "very-secret-0123456789"


@asynccontextmanager
async def serving(handler):
    """A server whose only endpoint is the handler."""
    app = web.Application(client_max_size=100_000_000)
    app.router.add_post("/{tail:.*}", handler)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


def completion(message, **more):
    """A chat completion that holds the message."""
    return {"model": "m", "choices": [{"message": message, "finish_reason": "stop", **more}]}


def asked(handler, request=None, *, at=lambda url: url, opened=lambda model: model, **settings):
    """What the client makes of the handler's reply to one request, at the server's address or another for it."""

    async def main():
        async with serving(handler) as url:
            model = opened(OpenAI(settings.pop("name", "m"), base_url=at(url), **{"key": KEY, **settings}))
            try:
                return await model.answer(request or Request(model.name, "A or B?"))
            finally:
                await model.close()

    return asyncio.run(main())


def hearing(body=None, *, status=200):
    """A handler that always sends this, and what it hears: pairs of a request and its body."""
    heard = []

    async def handler(http):
        heard.append((http, await http.read()))
        said = completion({"content": "B"}) if body is None else body
        return web.json_response(said, status=status)

    return handler, heard


def replying(body, *, status=200, headers=None):
    """A handler that always sends this body, as JSON unless it is bytes."""

    async def handler(http):
        await http.read()
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        return web.Response(body=raw, status=status, headers=headers, content_type="application/json")

    return handler


def failure(handler, **settings):
    """The error the client raises; it never holds the key."""
    with pytest.raises(ModelError) as caught:
        asked(handler, **settings)
    assert KEY not in str(caught.value)
    return caught.value


def picture(size=8):
    """A small noisy PNG."""
    return encode(np.random.default_rng(size).integers(0, 256, (size, size), dtype=np.uint8))


class TestReplies:
    """What a 200 is read as."""

    def test_plain_reply(self):
        """Text, finish reason, serving model and token counts are read, and the latency is measured."""
        usage = {
            "prompt_tokens": 7,
            "completion_tokens": 2,
            "prompt_tokens_details": {"image_tokens": 3},
            "completion_tokens_details": {"reasoning_tokens": 1},
        }
        reply = asked(replying({**completion({"content": "Answer: B"}), "usage": usage}))
        assert reply.latency > 0
        assert (reply.text, reply.finish, reply.served_by, reply.usage) == ("Answer: B", "stop", "m", Usage(7, 2, 3, 1))

    @pytest.mark.parametrize(
        ("message", "text", "finish", "reasoning"),
        [
            ({"content": None, "refusal": "I can't help."}, "I can't help.", "refusal", ""),
            (
                {"content": [{"text": "Answer"}, {"type": "other"}, {"text": ": B"}]},
                "Answer: B",
                "stop",
                "",
            ),
            ({"content": "B", "reasoning_content": "A is wrong"}, "B", "stop", "A is wrong"),
            ({"content": "B", "reasoning": "A is wrong"}, "B", "stop", "A is wrong"),
        ],
    )
    def test_where_the_words_stand(self, message, text, finish, reasoning):
        """Refusal, parts and reasoning are read by whichever name they come; counts that are missing are never 0."""
        reply = asked(replying(completion(message)))
        assert (reply.text, reply.finish, reply.reasoning) == (text, finish, reasoning)
        assert reply.usage == Usage(None, None, None, None)


COMPLETION = {
    "model": "m",
    "choices": [
        {
            "message": {"content": "Answer: B", "refusal": None, "reasoning_content": "because", "tool_calls": None},
            "finish_reason": "stop",
        }
    ],
    "usage": {
        "prompt_tokens": 7,
        "completion_tokens": 2,
        "prompt_tokens_details": {"image_tokens": 3},
        "completion_tokens_details": {"reasoning_tokens": 1},
    },
}
TEXT = (str, type(None))
MESSAGE = ("choices", 0, "message")
FIELDS = {
    ("model",): TEXT,
    ("choices",): (),
    ("choices", 0): (),
    ("choices", 0, "finish_reason"): TEXT,
    MESSAGE: (),
    (*MESSAGE, "content"): (*TEXT, list),
    (*MESSAGE, "refusal"): TEXT,
    (*MESSAGE, "reasoning_content"): (*TEXT, list),
}
COUNTS = (
    *(("usage",), ("usage", "prompt_tokens"), ("usage", "completion_tokens"), ("usage", "prompt_tokens_details")),
    *(("usage", "prompt_tokens_details", "image_tokens"), ("usage", "completion_tokens_details")),
    ("usage", "completion_tokens_details", "reasoning_tokens"),
)
"""Where the fields of a completion stand, and the types that each may have besides its own."""


def changed(path, value):
    """The completion with another value at one place, as a server would send it."""
    body = json.loads(json.dumps(COMPLETION))
    at = body
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return json.dumps(body).encode()


class TestLies:
    """Whatever a server puts into its fields, a reply is read or refused; nothing else is raised."""

    @given(st.sampled_from(sorted(FIELDS, key=str)), JSON)
    def test_a_field_of_another_type(self, path, value):
        """A field of the wrong type makes the reply unusable; one of the right type gives what can be stored."""
        if isinstance(value, FIELDS[path]):
            with suppress(ValueError):
                check_sent(Request("openai/m", "?"), read_completion(changed(path, value)))
        else:
            with pytest.raises(ValueError, match="expected a chat completion"):
                read_completion(changed(path, value))

    @given(st.sampled_from(COUNTS), JSON | st.integers(2**40, 2**65) | st.floats(allow_nan=False, allow_infinity=False))
    def test_a_count_that_cannot_be(self, path, value):
        """The response is kept, and that count is unknown."""
        response = read_completion(changed(path, value))
        check_sent(Request("openai/m", "?"), response)
        assert response.text == read_completion(json.dumps(COMPLETION).encode()).text

    def test_half_a_character(self):
        """A lone surrogate is written out, in the text and in the log-probabilities; the response is kept."""
        body = b'{"choices": [{"message": {"content": "half \\ud83d, whole \\ud83d\\ude00"}, "finish_reason": "stop",'
        body += b'"logprobs": {"content": [{"token": "\\ud83d", "logprob": -0.5}]}}]}'
        response = read_completion(body)
        assert response.text == "half \\ud83d, whole \U0001f600"
        check_sent(Request("openai/m", "?"), response)
        assert json.loads(response.logprobs)[0]["token"] == "\\ud83d"

    @given(JSON | st.fixed_dictionaries({"choices": st.lists(JSON | st.fixed_dictionaries({"message": JSON}))}))
    def test_any_json(self, body):
        """No JSON at all makes reading fail in another way."""
        with suppress(ValueError):
            check_sent(Request("openai/m", "?"), read_completion(json.dumps(body).encode()))

    @pytest.mark.parametrize(
        "raw",
        [
            b"[" * 100_000 + b"]" * 100_000,
            b'{"choices": ' + b"[" * 1000 + b"]" * 1000 + b"}",
            b'{"choices": [{"message": {"content": "B"}}], "usage": {"prompt_tokens": NaN}}',
            b'{"choices": [{"message": {"content": "B"}}], "usage": {"prompt_tokens": 1e400}}',
            b"\xff\xfe",
        ],
    )
    @pytest.mark.parametrize("status", [200, 500])
    def test_hostile_bytes(self, raw, status):
        """Deep nesting, NaN and numbers that nothing can hold fail the request and no more."""
        assert isinstance(failure(replying(raw, status=status)), TransientError)

    def test_nul(self):
        """A NUL character is text like any other."""
        assert read_completion(changed((*MESSAGE, "content"), "A\0B")).text == "A\0B"

    @pytest.mark.parametrize("code", [["x"], {"a": 1}, 5, None])
    def test_error_of_another_shape(self, code):
        """An error whose fields have odd types still raises what its status stands for."""
        error = failure(replying({"error": {"code": code, "message": code}}, status=400))
        assert isinstance(error, RejectedError)


class TestNoWords:
    """A reply without words is a failed call, unless the provider says how it ended."""

    @pytest.mark.parametrize("content", [None, "", " \n", [], [{"type": "image_url"}], [{"text": None}]])
    @pytest.mark.parametrize("finish", [None, "tool_calls"])
    def test_how_it_ended_is_not_known(self, content, finish):
        """It cannot be read, and is never an answer that could be marked wrong."""
        with pytest.raises(ValueError, match="expected a chat completion, but the response holds no text"):
            read_completion(json.dumps(completion({"content": content}, finish_reason=finish)).encode())

    @pytest.mark.parametrize("content", [None, "", " \n", []])
    def test_the_model_ended_it(self, content):
        """An empty reply is a reply; one that calls a tool is none."""
        body = completion({"content": content})
        assert read_completion(json.dumps(body).encode()).is_empty
        body["choices"][0]["message"]["tool_calls"] = [{"id": "1"}]
        with pytest.raises(ValueError, match="a call of a tool"):
            read_completion(json.dumps(body).encode())

    @pytest.mark.parametrize("finish", ["length", "max_tokens", "content_filter", "SAFETY"])
    def test_why_there_are_none(self, finish):
        """Cut off while thinking or held back, it is a reply that says so."""
        body = completion({"content": "", "reasoning": "Let me see"}, finish_reason=finish)
        reply = read_completion(json.dumps(body).encode())
        assert (reply.text, reply.finish, reply.reasoning) == ("", finish, "Let me see")

    def test_finish_reason_error(self):
        """What came before the server failed is not an answer."""
        error = failure(replying(completion({"content": "Answer: "}, finish_reason="error")))
        assert type(error) is TransientError
        assert "finish_reason is 'error'" in str(error)

    def test_asked_again(self):
        """The next try's words are the reply."""
        bodies = [completion({"content": ""}, finish_reason=None), completion({"content": "B"})]

        async def handler(http):
            return web.json_response(bodies.pop(0))

        assert asked(handler, opened=partial(Client, first_wait=0.0)).text == "B"


class TestBroken:
    """What is not a chat completion is an error worth another try, never an empty answer."""

    @pytest.mark.parametrize(
        "body",
        [
            b"<html>bad gateway</html>",
            b"",
            b'{"choices": [{"mess',
            {"choices": []},
            {"choices": None},
            {"object": "list"},
            [],
            {"choices": [{"message": None}]},
            {"choices": [{"message": "B"}]},
            {"choices": ["B"]},
            {"error": {"message": "overloaded"}},
        ],
    )
    def test_no_completion(self, body):
        """A 200 that holds no message raises TransientError and shows what came."""
        error = failure(replying(body))
        assert isinstance(error, TransientError)
        assert "expected a chat completion" in str(error)

    def test_connection_dropped_before_reply(self):
        """A server that hangs up seems down."""

        async def hang_up(http):
            http.transport.close()
            return web.Response()

        error = failure(hang_up)
        assert (type(error), error.reached) == (OutageError, True)

    def test_timeout(self):
        """No reply in time raises TransientError that says how long was waited."""

        async def never(http):
            pass_time(asyncio.get_running_loop())
            await asyncio.Event().wait()

        error = failure(never, timeout=100)
        assert type(error) is TransientError
        assert "no response within 100 s" in str(error)

    def test_connection_refused(self):
        """A port nobody listens on raises OutageError that names the address, without a password in it."""
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            error = self.unreached(f"http://user:{KEY}@127.0.0.1:{taken.getsockname()[1]}/v1")
        assert (type(error), error.reached) == (OutageError, False)
        assert "cannot reach http://127.0.0.1:" in str(error)

    @pytest.mark.parametrize("address", ["localhost:8000/v1", "nonsense", "ftp://127.0.0.1/v1"])
    def test_no_web_address(self, address):
        """An address that cannot be one is hopeless, not worth six tries."""
        error = self.unreached(address)
        assert isinstance(error, UnusableModelError)
        assert "OPENAI_BASE_URL" in str(error)

    @staticmethod
    def unreached(address):
        """The error for an address where nothing answers."""

        async def main():
            model = OpenAI("m", base_url=address, key=KEY)
            try:
                await model.answer(Request(model.name, "?"))
            finally:
                await model.close()

        with pytest.raises(ModelError) as caught:
            asyncio.run(main())
        assert KEY not in str(caught.value)
        return caught.value


class TestRefusals:
    """What a status stands for."""

    @pytest.mark.parametrize("status", [401, 403])
    def test_wrong_key(self, status):
        """The message says which variable to check; the key the server echoes is masked, as are others' keys."""
        said = {"error": {"message": f"Incorrect API key provided: {KEY}, or sk-proj-abcdefghij."}}
        error = failure(replying(said, status=status))
        assert isinstance(error, UnusableModelError)
        assert "OPENAI_API_KEY" in str(error)
        assert "abcdefghij" not in str(error)

    @pytest.mark.parametrize("status", [400, 401, 404, 418, 429, 500, 503])
    def test_key_is_masked_wherever_the_text_is_cut(self, status):
        """No piece of the key survives at the end of a shortened message."""
        for shift in range(282, 306, 6):
            error = failure(replying(b"x" * shift + KEY.encode() + b"y" * 100, status=status))
            assert "very-secret" not in str(error), shift

    def test_key_is_masked_in_a_broken_reply(self):
        """No piece of the key survives in the excerpt of a reply that could not be read."""
        for shift in range(180, 210, 4):
            assert "very-secret" not in str(failure(replying(b"x" * shift + KEY.encode()))), shift

    @pytest.mark.parametrize(
        ("status", "body"),
        [
            (404, {"error": {"message": "no", "code": "model_not_found"}}),
            (400, {"error": {"message": "no", "code": "model_not_found"}}),
            (404, b"nothing here"),
            (429, {"error": {"message": "no", "code": "insufficient_quota"}}),
        ],
    )
    def test_hopeless(self, status, body):
        """An unknown model or endpoint and an empty account raise UnusableModelError."""
        assert isinstance(failure(replying(body, status=status)), UnusableModelError)

    @pytest.mark.parametrize(
        ("headers", "expected"),
        [
            ({"Retry-After": "7"}, 7.0),
            ({"Retry-After": "1.5"}, 1.5),
            ({"retry-after-ms": "250", "Retry-After": "1"}, 0.25),
            ({"Retry-After": "soon"}, None),
            ({"retry-after-ms": "-20"}, 0.0),
            ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ],
    )
    def test_wait_that_the_server_wishes(self, headers, expected):
        """Retry-After is read as seconds, milliseconds or a date; what cannot be read is no wish."""
        assert failure(replying({}, status=429, headers=headers)).retry_after == expected

    def test_wait_until_a_date(self, monkeypatch):
        """A date in the future is a wait until then."""
        monkeypatch.setattr(time, "time", lambda: 1_800_000_000.0)
        headers = {"Retry-After": formatdate(1_800_000_090, usegmt=True)}
        assert failure(replying({}, status=503, headers=headers)).retry_after == 90

    def test_official_endpoint_needs_a_key(self):
        """Without a key the official endpoint is not even asked."""
        with pytest.raises(UnusableModelError, match="OPENAI_API_KEY"):
            OpenAI("gpt-5")

    @pytest.mark.parametrize("status", [200, 301, 400, 401, 404, 429, 500, 503])
    def test_nothing_of_the_address_is_shown(self, status):
        """A server that gives back all it was sent betrays no login, query, fragment or token in a path."""
        hidden = ("p@s5word", "s3cret&x", "fr4gment", "t0ken-abc", b64encode(b"user:p@s5word").decode())

        async def echo(http):
            sent = f"{http.path_qs} {http.path} {http.headers['Authorization']} {' '.join(hidden)}"
            return web.json_response({"error": {"message": sent}}, status=status, headers={"Location": f"/x/{sent}"})

        def at(url):
            base = url.removesuffix("/v1").replace("//", "//user:p@s5word@")
            return f"{base}/t0ken-abc?api-key=s3cret%26x#fr4gment"

        opened = []
        error = failure(echo, at=at, key=None, opened=lambda model: opened.append(model) or model)
        for secret in (*hidden, "s3cret%26x"):
            assert secret not in f"{error} {opened[0].revision} {opened[0].address}"

    def test_query_is_sent(self):
        """A query of the address stands behind the path of every request; what follows # does not."""
        handler, heard = hearing()
        asked(handler, at=lambda url: f"{url}/?api-version=2024&k=v#x")
        assert [http.path_qs for http, _ in heard] == ["/v1/chat/completions?api-version=2024&k=v"]

    @pytest.mark.parametrize(
        ("base", "key", "address"),
        [
            (None, "k", "https://api.openai.com/v1, key from OPENAI_API_KEY"),
            ("http://h:8000/v1/", "", "http://h:8000/v1, no key"),
            ("https://u:p@h/api/v1", "k", "https://h/api/v1, login from its address"),
        ],
    )
    def test_where_a_key_goes(self, monkeypatch, base, key, address):
        """The model says where it is asked and by which key."""
        monkeypatch.setenv("OPENAI_API_KEY", key)
        assert OpenAI("m", base_url=base).address == address

    def test_user_and_password_in_the_address(self):
        """They go to the server in place of the key, and into no error."""
        handler, heard = hearing(status=400)
        error = failure(handler, at=lambda url: url.replace("//", "//me:hidden-word@"))
        assert heard[0][0].headers["Authorization"] == f"Basic {b64encode(b'me:hidden-word').decode()}"
        assert type(error) is RejectedError
        assert "hidden-word" not in str(error)

    def test_key_with_a_line_break(self, monkeypatch):
        """The line break that a key file leaves behind does no harm."""
        monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\n")
        handler, heard = hearing()
        asked(handler, key=None)
        assert heard[0][0].headers["Authorization"] == f"Bearer {KEY}"


class TestBody:
    """What is put on the wire."""

    @staticmethod
    def sent(request):
        """The raw body and headers that arrive at the server."""
        handler, heard = hearing()
        asked(handler, request)
        return heard[0][1], heard[0][0].headers

    def test_text_alone(self):
        """Without images the content is a plain string and unset settings are left out."""
        body, headers = self.sent(Request("openai/m", 'Is "this" A\n or B?'))
        expected = {"model": "m", "messages": [{"role": "user", "content": 'Is "this" A\n or B?'}]}
        assert json.dumps(expected, separators=(",", ":")).encode() == body
        assert (headers["Content-Type"], headers["Content-Length"]) == ("application/json", str(len(body)))

    def test_stitched_body_is_the_json_it_stands_for(self):
        """System, images and settings stitched from pieces equal the same structure written by a JSON encoder."""
        images = (picture(8), picture(9))
        settings = Settings(temperature=0.0, max_tokens=5, seed=3, reasoning_effort="low")
        body, _ = self.sent(Request("openai/m", "“Wo?” \\ \x00", "Sei kurz.", images, settings))
        parts = [
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{image.base64.decode()}"}}
            for image in images
        ]
        expected = {
            "model": "m",
            "messages": [
                {"role": "system", "content": "Sei kurz."},
                {"role": "user", "content": [*parts, {"type": "text", "text": "“Wo?” \\ \x00"}]},
            ],
            "temperature": 0.0,
            "max_tokens": 5,
            "seed": 3,
            "reasoning_effort": "low",
        }
        assert json.loads(body) == expected
        assert json.dumps(expected, separators=(",", ":"), ensure_ascii=False).encode() == body

    @pytest.mark.parametrize("replicate", [0, 4])
    def test_every_repetition_has_a_seed_of_its_own(self, replicate):
        """A server that honours the seed would otherwise answer every repetition alike."""
        body, _ = self.sent(Request("openai/m", "?", settings=Settings(seed=3), replicate=replicate))
        assert json.loads(body)["seed"] == 3 + replicate

    @pytest.mark.parametrize(
        ("name", "wanted", "sent"),
        [("gpt-5", 0.0, None), ("o4-mini", 0.5, None), ("gpt-5", 1.0, 1.0), ("gpt-4o", 0.0, 0.0)],
    )
    def test_a_temperature_that_would_be_refused_is_not_sent(self, monkeypatch, name, wanted, sent):
        """The official models that reason take none but 1; all requests of a study that names another would fail."""
        handler, heard = hearing()
        chosen = Settings(temperature=wanted, max_tokens=9)
        untaken = []

        def official(url):
            monkeypatch.setattr(OpenAI, "access", Access(url, key_variables=("OPENAI_API_KEY",)))

        def opened(model):
            untaken.extend(model.untaken(chosen))
            return Client(model)

        asked(handler, Request("m", "?", settings=chosen), at=official, opened=opened, name=name)
        arrived = json.loads(heard[0][1])
        assert untaken == ([] if sent is not None else ["temperature"])
        assert (arrived.get("temperature"), arrived["max_completion_tokens"]) == (sent, 9)
        elsewhere = OpenAI(name, base_url="http://127.0.0.1:9/v1", key=KEY)
        assert elsewhere.untaken(Settings(temperature=wanted)) == (), "what other servers take is not known"

    def test_large_image_arrives_whole(self):
        """Five megabytes arrive byte for byte, without a warning, and the receipt says so."""
        image = EncodedImage(np.random.default_rng(1).bytes(5_000_000), "image/png", 1, 1)
        handler, heard = hearing()
        request = Request("openai/m", "?", images=(image,))
        reply = asked(handler, request)
        check_sent(request, reply)
        url = json.loads(heard[0][1])["messages"][0]["content"][0]["image_url"]["url"]
        assert b64decode(url.partition(",")[2]) == image.data


class TestOurServer:
    """The client and `snellen serve` together."""

    @staticmethod
    def run(models, request=None, *, name="fake", key=None, wanted=None):
        """The reply to a request while the models are served to those who have the key that is `wanted`."""

        async def main():
            async with await serve.start(models=models, key=wanted) as running:
                model = OpenAI(name, base_url=running.url, key=key)
                try:
                    return await model.answer(request or Request(model.name, "?"))
                finally:
                    await model.close()

        return asyncio.run(main())

    def test_request_and_reply_cross_unchanged(self):
        """The served model sees the words, settings and image bytes that were sent; its reply comes back whole."""
        seen = []

        def speak(request):
            seen.append(request)
            return Response("Ｂ ist’s.", finish="length", reasoning="because", usage=Usage(9, 3, 1, 2))

        sent = Request("openai/fake", "Wo?", "Kurz.", (picture(12),), Settings(temperature=0.5, seed=4, max_tokens=9))
        reply = self.run({"fake": FakeModel(speak)}, sent)
        assert (reply.text, reply.finish, reply.reasoning, reply.usage, reply.served_by) == (
            "Ｂ ist’s.", "length", "because", Usage(9, 3, 1, 2), "fake",
        )  # fmt: skip
        (got,) = seen
        assert (got.text, got.system, got.settings) == (sent.text, sent.system, sent.settings)
        assert [image.data for image in got.images] == [image.data for image in sent.images]
        check_sent(sent, reply)

    def test_refusal_crosses(self):
        """A refusal is still a refusal at the other end."""
        reply = self.run({"fake": FakeModel(lambda request: Response("I won't.", finish="refusal"))})
        assert (reply.text, reply.finish) == ("I won't.", "refusal")

    @pytest.mark.parametrize(("name", "key"), [("fake", "another"), ("absent", KEY)])
    def test_wrong_key_and_unknown_model(self, name, key):
        """Both raise UnusableModelError, and no key is in the text."""
        with pytest.raises(UnusableModelError) as caught:
            self.run({"fake": FakeModel(lambda request: "B")}, name=name, key=key, wanted=KEY)
        assert KEY not in str(caught.value)
        assert ("OPENAI_API_KEY" in str(caught.value)) == (key != KEY)

    def test_many_requests_share_few_connections(self):
        """Two hundred requests, four at a time, need no more than four connections."""
        peers = set()

        async def handler(http):
            peers.add(http.transport.get_extra_info("peername"))
            await http.read()
            return web.json_response(completion({"content": "B"}))

        async def main():
            async with serving(handler) as url:
                model = OpenAI("m", base_url=url)
                four = asyncio.Semaphore(4)

                async def one(number):
                    async with four:
                        return await model.answer(Request(model.name, str(number)))

                replies = await asyncio.gather(*map(one, range(200)))
                await model.close()
                return replies

        assert [reply.text for reply in asyncio.run(main())] == ["B"] * 200
        assert len(peers) <= 4

    def test_trouble_then_success_through_retrying(self):
        """A 500 and a 429 that asks for 7 seconds are waited out; the third try's reply is the reply."""
        statuses, waits = [500, 429], []

        async def handler(http):
            await http.read()
            if statuses:
                return web.json_response({"error": "busy"}, status=statuses.pop(0), headers={"Retry-After-Ms": "7000"})
            return web.json_response(completion({"content": "B"}))

        async def sleep(seconds):
            waits.append(seconds)

        opened = partial(Client, sleep=sleep, clock=lambda: sum(waits))
        assert asked(handler, opened=opened).text == "B"
        assert waits == [pytest.approx(7, abs=0.5)] * 2

    def test_closing_twice(self):
        """A client may be closed more than once, or unused."""

        async def main():
            model = OpenAI("m", base_url="http://127.0.0.1:1/v1")
            await model.close()
            await model.close()
            return model

        assert asyncio.run(main()).name == "openai/m"


def test_a_key_that_the_server_repeats_is_masked_in_what_is_stored():
    """Wherever it stands in the response; a key that is a plain word is left, since responses use such words."""
    echo = {
        "model": KEY,
        "choices": [
            {
                "finish_reason": f"stop {KEY}",
                "message": {"content": f"none: {KEY}", "reasoning_content": KEY},
                "logprobs": {"content": [{"token": KEY, "logprob": 0.0}]},
            }
        ],
    }
    response = asked(replying(echo))
    assert KEY not in repr(response)
    assert (response.text, response.finish) == ("none: [hidden]", "stop [hidden]")
    assert asked(replying(echo), key="none").text == f"none: {KEY}"
