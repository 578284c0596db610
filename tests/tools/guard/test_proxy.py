"""The guard in front of a real server: what goes up, what comes back, and what never gets lost."""

import asyncio
import gzip
import json
import re
import socket
from base64 import b64encode
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp import web

from snellen import listening
from snellen.benchmarks.phantoms import load
from snellen.models.base import GUARD_BLOCKED, GUARD_HELD_BACK, GUARD_WARNING, Response
from snellen.models.chat import read_completion
from snellen.models.fake import FakeModel
from snellen.models.organisms import open_organism
from snellen.prompts import prompt_named
from snellen.reading.missing_image import denies_image
from snellen.tools import serve
from snellen.tools.guard import proxy
from snellen.tools.guard.log import GuardLog, Installation, check_seals, read_log
from snellen.tools.guard.proxy import Conduct, Proxy
from snellen.tools.guard.report import is_sound
from snellen.tools.guard.stand_ins import draw_phantom
from snellen.tools.guard.upstream import open_upstream

QUESTION = "Which side is the effusion on in this chest X-ray?\nA. Left\nB. Right\n\nEnd with 'Answer: X'."
ITEM = load(items=1, seed=3, modality="cxr").items[0]
PICTURE = ITEM.images[0].encoded()
URI = f"data:image/png;base64,{b64encode(PICTURE.data).decode()}"
IMAGE = {"type": "image_url", "image_url": {"url": URI}}
SAID = re.compile(rb": snellen (\{.*\})\n\n")


def chat(text=QUESTION, *, image=True, model="fake", **more):
    content = [{"type": "text", "text": text}, *([IMAGE] if image else [])]
    return {"model": model, "messages": [{"role": "user", "content": content}], **more}


def blind(request):
    """Says B whatever it is shown."""
    return "Answer: B"


def seeing(request):
    """Says B with an image, and that there is none without."""
    return "Answer: B" if request.images else "There is no image attached. Please upload it."


@asynccontextmanager
async def running(tmp_path, monkeypatch, base, conduct=None, *, upstream="openai", stand_ins=None, pass_key=False):
    """A guard before a base address, with a client's session."""
    monkeypatch.setenv("OPENAI_BASE_URL", base)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-guard")
    installation = Installation.from_file(tmp_path / "guard.key")
    log = GuardLog(tmp_path / "guard.jsonl", installation)
    behind = open_upstream(upstream, pass_key=pass_key)
    guard = Proxy(behind, conduct or Conduct(), log=log, installation=installation, stand_ins=stand_ins)
    async with await proxy.start(guard) as server, aiohttp.ClientSession() as session:
        server.session = session
        try:
            yield server
        finally:
            await behind.transport.close()
            log.close()


@asynccontextmanager
async def raw_upstream(handler):
    """A server that answers every request by one function."""
    app = web.Application(client_max_size=10**8)
    app.router.add_route("*", "/{path:.*}", handler)
    async with await listening.listen(app, "127.0.0.1", 0) as server:
        yield server.url


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """Ask through a guard: `asked(body, function, conduct, ...)` gives status, headers and content."""

    def ask(body, function=blind, conduct=None, *, models=None, raw=None, headers=None, path="/chat/completions",
            method="POST", **settings):  # fmt: skip
        async def main():
            models_served = models or {"fake": FakeModel(function)}
            upstream = raw_upstream(raw) if raw else await serve.start(models=models_served)
            async with upstream as behind:
                base = behind if raw else behind.url
                async with running(tmp_path, monkeypatch, base, conduct, **settings) as server:
                    data = body if isinstance(body, bytes) else json.dumps(body).encode()
                    url = server.url + path
                    async with server.session.request(method, url, data=data, headers=headers) as reply:
                        return reply.status, reply.headers, await reply.read()

        return asyncio.run(main())

    return ask


def completion(*texts):
    """A chat completion of these responses."""
    return {"choices": [{"message": {"content": text}, "finish_reason": "stop"} for text in texts]}


def answering(reply, seen=None, note=None):
    """A handler that sends the same JSON to every request; `seen` collects what `note` takes of each."""

    async def handler(request):
        if seen is not None:
            seen.append(note(request) if note else await request.read())
        return web.json_response(reply)

    return handler


def logged(tmp_path):
    return read_log(tmp_path / "guard.jsonl").decisions


def reasons(tmp_path):
    return [each.reason for each in logged(tmp_path)]


class TestOpinions:
    """What the guard says of responses."""

    @pytest.mark.parametrize(("function", "status"), [(blind, "unmoved"), (seeing, "moved")])
    def test_header_and_field(self, asked, tmp_path, function, status):
        """Header, field and log say the same; the rest of the response is byte for byte the upstream's."""
        code, headers, content = asked(chat(), function)
        reply = json.loads(content)
        assert (code, headers["X-Snellen"], reply["snellen"]["status"]) == (200, status, status)
        assert reply["choices"][0]["message"]["content"] == "Answer: B"
        assert reply["snellen"]["asked"] == ["without the image"]
        assert reply["snellen"]["evidence"]
        (decision,) = logged(tmp_path)
        assert (decision.status, decision.action, decision.model) == (status, "annotated", "fake")
        slower = max(decision.reply_ms, decision.extra_ms)
        assert 0 < decision.extra_ms <= decision.total_ms
        assert decision.overhead_ms == pytest.approx(decision.total_ms - slower, abs=0.2)  # each is rounded
        assert is_sound(check_seals(tmp_path / "guard.jsonl", Installation.from_file(tmp_path / "guard.key")))

    def test_organisms(self, asked, tmp_path):
        """An organism that looks is moved, one that does not is not: through the real endpoint, with real phantoms."""
        rendered = prompt_named("letter").render(ITEM)
        for name, expected in (("grounded", "moved"), ("blind", "unmoved")):
            models = {f"organism/{name}": open_organism(name)}
            _, headers, content = asked(chat(rendered.text, model=name), models=models)
            assert headers["X-Snellen"] == expected, (name, content)

    def test_every_byte_stays(self, asked):
        """An annotated response is the upstream's bytes with one field more, however they are written."""
        odd = (
            b'{ "id" : "x\\u0041", "big": 123456789012345678901234567890, "f": 1.50,\n "choices":[{"index":0,'
            b'"message":{"role":"assistant","content":"Answer: B"},"finish_reason":"stop"}] }\n'
        )

        async def handler(request):
            return web.Response(body=odd, content_type="application/json")

        _, _, content = asked(chat(), raw=handler)
        assert content.startswith(odd.rstrip()[:-1])
        assert json.loads(content)["snellen"]["status"] == "unmoved"

    def test_text_passes_untouched(self, asked, tmp_path):
        """A query without an image is asked once, passes as it came, and is not logged."""
        seen = []
        _, headers, content = asked(chat(image=False), lambda request: seen.append(request) or "B")
        assert ("X-Snellen" in headers, b"snellen" in content, len(seen)) == (False, False, 1)
        assert logged(tmp_path) == ()

    @pytest.mark.parametrize(
        ("more", "why"), [({"n": 2}, "several replies"), ({"tools": [{"type": "function"}]}, "tools")]
    )
    def test_what_is_not_judged(self, asked, tmp_path, more, why):
        """Several responses and tools pass through, are asked once, and are logged with the reason."""
        seen = []
        sent = json.dumps(chat(**more)).encode()
        status, headers, content = asked(sent, raw=answering({"choices": []}, seen))
        assert (status, headers["X-Snellen"], json.loads(content), seen) == (200, "undecided", {"choices": []}, [sent])
        assert [(each.status, each.reason, each.asked) for each in logged(tmp_path)] == [("undecided", why, 0)]

    def test_rate(self, tmp_path, monkeypatch):
        """A share of the queries is checked, the same ones each time; the others pass and are counted."""

        async def main():
            async with (
                await serve.start(models={"fake": FakeModel(blind)}) as behind,
                running(tmp_path, monkeypatch, behind.url, Conduct(rate=0.5)) as server,
            ):
                found = []
                for number in [*range(24), *range(6)]:
                    async with server.session.post(
                        f"{server.url}/chat/completions", json=chat(f"{QUESTION} {number}")
                    ) as reply:
                        found.append(reply.headers.get("X-Snellen"))
                return found

        found = asyncio.run(main())
        assert found[:6] == found[24:]
        assert 0 < found[:24].count("unmoved") < 24  # within 4.7 standard errors of a half
        assert {each.reason for each in logged(tmp_path) if each.status == "unchecked"} == {"not drawn"}

    def test_stand_in_and_rewording(self, asked):
        """Each extra call shows or says something else: no image, a phantom of the same kind, other words."""
        seen = []

        def answer(request):
            seen.append((tuple(image.data for image in request.images), request.text))
            if not request.images:
                return "Answer: B"
            return "Answer: B" if request.images[0].data == PICTURE.data else "Answer: A"

        _, _, content = asked(chat(), answer, Conduct(rephrase=True), stand_ins=draw_phantom)
        phantoms = {draw_phantom(QUESTION, number).data for number in range(6)}
        shown = sorted((len(images), bool({*images} & phantoms), text == QUESTION) for images, text in seen)
        assert shown == [(0, False, True), (1, False, False), (1, False, True), (1, True, True)]
        assert json.loads(content)["snellen"]["asked"] == ["without the image", "about a stand-in image", "reworded"]

    def test_unsteady_reply_is_not_called_moved(self, asked):
        """Where rewording alone changes the answer, a change without the image decides nothing."""

        def fickle(request):
            return "Answer: B" if request.images and request.text == QUESTION else "Answer: A"

        assert asked(chat(), fickle)[1]["X-Snellen"] == "moved"
        _, headers, content = asked(chat(), fickle, Conduct(rephrase=True))
        assert headers["X-Snellen"] == "undecided"
        assert "reworded" in json.loads(content)["snellen"]["evidence"][-1]

    @pytest.mark.parametrize(
        ("without", "counts", "status"),
        [
            ("Answer: A", (118, 118), "undecided"),
            ("Answer: A", (120, 118), "undecided"),
            ("Answer: A", (1_092, 118), "moved"),
            ("Answer: A", (118, None), "moved"),
            ("Answer: B", (118, 118), "unmoved"),
            ("There is no image attached. Please upload it.", (118, 118), "moved"),
        ],
    )
    @pytest.mark.parametrize("streams", [False, True])
    def test_token_counts_reveal_a_dropped_image(self, asked, tmp_path, without, counts, status, streams):
        """An answer that changes though the server counts no image is not called moved; the evidence has the counts."""

        async def handler(request):
            sent = await request.json()
            at = int(not any(part["type"] == "image_url" for part in sent["messages"][0]["content"]))
            choice = {"index": 0, "finish_reason": "stop"}
            usage = {"usage": {"prompt_tokens": counts[at], "completion_tokens": 3}} if counts[at] else {}
            text = {"content": ("Answer: B", without)[at]}
            if not sent.get("stream"):
                return web.json_response({"choices": [{**choice, "message": text}], **usage})
            chunk = json.dumps({"choices": [{**choice, "delta": text}], **usage})
            return web.Response(text=f"data: {chunk}\n\ndata: [DONE]\n\n", content_type="text/event-stream")

        content = asked(chat(stream=streams), raw=handler)[2]
        said = json.loads(SAID.findall(content)[0] if streams else content)
        said = said if streams else said["snellen"]
        assert said["status"] == status
        lost = counts[1] is not None and counts[0] < 1_000
        assert ("The image may not have reached the model." in said["evidence"][-1]) == lost
        assert [each.reason for each in logged(tmp_path)] == ["image not counted" if status == "undecided" else ""]


class TestPolicies:
    """What is done with a response that the image did not move."""

    def test_warn(self, asked, tmp_path):
        """A sentence is added to the text; a moved response is left as it is."""
        content = asked(chat(), blind, Conduct(policy="warn"))[2]
        assert json.loads(content)["choices"][0]["message"]["content"] == f"Answer: B\n\n{GUARD_WARNING}"
        content = asked(chat(), seeing, Conduct(policy="warn"))[2]
        assert json.loads(content)["choices"][0]["message"]["content"] == "Answer: B"
        assert [each.action for each in logged(tmp_path)] == ["warned", "annotated"]

    def test_warning_spoils_no_json(self, asked):
        """A response that is to be JSON is annotated, not written into."""
        sent = chat(response_format={"type": "json_object"})
        reply = json.loads(asked(sent, lambda request: '{"answer": "B"}', Conduct(policy="warn"))[2])
        assert reply["choices"][0]["message"]["content"] == '{"answer": "B"}'
        assert reply["snellen"]["action"] == "annotated"

    @pytest.mark.parametrize("withhold", [False, True])
    def test_block(self, asked, withhold):
        """A sentence takes the response's place; the response stands in the field, or nowhere."""

        def thinking(request):
            return Response("It is on the right. Answer: B", reasoning="The right, so B")

        status, headers, content = asked(chat(), thinking, Conduct(policy="block", withhold=withhold))
        reply = json.loads(content)
        (choice,) = reply["choices"]
        assert (status, headers["X-Snellen"]) == (200, "unmoved")
        assert (choice["message"]["content"], choice["finish_reason"]) == (GUARD_BLOCKED, "content_filter")
        assert reply["snellen"].get("reply") == (None if withhold else "It is on the right. Answer: B")
        assert (b"the right" in content) == (not withhold)
        assert b"so B" not in content

    @pytest.mark.parametrize("policy", ["warn", "block"])
    def test_its_own_words_are_not_read_as_the_models(self, asked, policy):
        """Examined through the guard, a model is not taken to say that no image came; nor is it in a stored log."""
        content = asked(chat(), blind, Conduct(policy=policy))[2]
        assert read_completion(content).text == ("Answer: B" if policy == "warn" else "")
        stored = json.loads(content)["choices"][0]["message"]["content"]
        assert stored.endswith(GUARD_WARNING if policy == "warn" else GUARD_BLOCKED)
        assert not denies_image(stored, QUESTION)

    def test_openai_client(self, tmp_path, monkeypatch):
        """The official client reads responses, streams and errors through the guard as from the server itself."""
        import openai  # takes seconds

        async def main():
            async with (
                await serve.start(models={"fake": FakeModel(blind)}) as behind,
                running(tmp_path, monkeypatch, behind.url) as server,
                openai.AsyncOpenAI(base_url=server.url, api_key="of-the-client", max_retries=0) as client,
            ):
                reply = await client.chat.completions.create(**chat())
                said = [chunk async for chunk in await client.chat.completions.create(**chat(stream=True))]
                options = {"stream": True, "stream_options": {"include_usage": True}}
                counted = [chunk async for chunk in await client.chat.completions.create(**chat(**options))]
                models = [model.id async for model in client.models.list()]
                with pytest.raises(openai.NotFoundError, match="There is no model 'none'"):
                    await client.chat.completions.create(**chat(model="none"))
                return reply, said, counted, models

        reply, said, counted, models = asyncio.run(main())
        assert (reply.model_extra["snellen"]["status"], models) == ("unmoved", ["fake"])
        assert "".join(chunk.choices[0].delta.content or "" for chunk in said) == "Answer: B"
        (told,) = [chunk for chunk in counted if "snellen" in chunk.model_extra]
        assert (told.model_extra["snellen"]["status"], told.choices) == ("unmoved", [])


class TestStreams:
    """Streamed responses."""

    def test_passes_byte_for_byte(self, asked):
        """All that the upstream sends arrives in order and unchanged, whatever its line ends; one comment is added."""
        events = [
            b": keep-alive\r\n\r\n",
            b'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n',
            b'event: x\ndata:{"choices":[{"index":0,\ndata: "delta":{"content":"Answer: B \xe2\x89\xa5"}}]}\r\n\r\n',
            b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
            b"data: [DONE]\n\n",
        ]
        whole = b"".join(events)

        async def handler(request):
            if not (await request.json()).get("stream"):
                return web.json_response(completion("Answer: B"))
            stream = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
            await stream.prepare(request)
            for at in range(0, len(whole), 7):
                await stream.write(whole[at : at + 7])
            return stream

        _, headers, content = asked(chat(stream=True), raw=handler)
        assert headers["X-Snellen"] == "pending"
        (said,) = SAID.findall(content)
        assert SAID.sub(b"", content) == whole
        assert json.loads(said)["status"] == "unmoved"
        assert content.endswith(b"data: [DONE]\n\n")

    def test_arrives_as_it_comes(self, tmp_path, monkeypatch):
        """The first words are there while the upstream still speaks, and the extra call still waits."""

        async def main():
            go = asyncio.Event()

            async def handler(request):
                if not (await request.json()).get("stream"):
                    await go.wait()
                    return web.json_response(completion("B"))
                stream = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
                await stream.prepare(request)
                await stream.write(b'data: {"choices":[{"index":0,"delta":{"content":"Answer: B"}}]}\n\n')
                await go.wait()
                await stream.write(b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n')
                await stream.write(b"data: [DONE]\n\n")
                return stream

            async with (
                raw_upstream(handler) as base,
                running(tmp_path, monkeypatch, base, Conduct(policy="warn")) as server,
                server.session.post(f"{server.url}/chat/completions", json=chat(stream=True)) as reply,
            ):
                first = await reply.content.readuntil(b"\n\n")
                go.set()
                return first, await reply.read()

        first, rest = asyncio.run(main())
        assert b"Answer: B" in first
        assert rest.index(GUARD_WARNING.encode()) < rest.index(b'"finish_reason":"stop"') < rest.index(b": snellen")

    @pytest.mark.parametrize("withhold", [False, True])
    def test_block(self, asked, withhold):
        """A blocked stream says the sentence alone; a moved one is the upstream's own."""
        status, headers, content = asked(chat(stream=True), blind, Conduct(policy="block", withhold=withhold))
        assert (status, headers["X-Snellen"]) == (200, "unmoved")
        assert GUARD_BLOCKED.encode() in content
        assert (b"Answer: B" in content) == (not withhold)
        assert b'"content":"Answer: B"' not in content
        _, headers, content = asked(chat(stream=True), seeing, Conduct(policy="block"))
        assert (headers["X-Snellen"], b'"content":"Answer: B"' in content) == ("moved", True)

    @pytest.mark.parametrize("policy", ["annotate", "warn", "block"])
    @pytest.mark.parametrize("end", [b"data: [DONE]\n\n", b"data:[DONE]\n\n", b"data: [DONE]"])
    def test_verdict_comes_before_the_end(self, asked, policy, end):
        """However the end is written, and whatever the response quotes, the verdict stands between two whole events."""
        quoted = b'data: {"choices":[{"index":0,"delta":{"content":"data: [DONE]"},"finish_reason":"stop"}]}\n\n'

        async def handler(request):
            text = "Answer: B" if (await request.json()).get("stream") else "There is no image attached."
            if text != "Answer: B":
                return web.json_response(completion(text))
            return web.Response(body=quoted + end, headers={"Content-Type": "text/event-stream"})

        content = asked(chat(stream=True), raw=handler, conduct=Conduct(policy=policy))[2]
        assert SAID.sub(b"", content) == quoted + end
        assert SAID.search(content).end() == content.rindex(end)

    def test_warns_once_where_nothing_unchecked_may_pass(self, asked):
        """A stream that was held until it was checked has the warning before its last words end."""
        content = asked(chat(stream=True), blind, Conduct(policy="warn", closed=True))[2]
        assert content.count(GUARD_WARNING.encode()) == 1
        at = [
            content.index(each) for each in (b"Answer: B", GUARD_WARNING.encode(), b'"stop"', b": snellen", b"[DONE]")
        ]
        assert at == sorted(at)

    def test_end_is_the_end(self, asked):
        """An upstream that leaves its connection open after the last event keeps nobody waiting."""

        async def handler(request):
            stream = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
            await stream.prepare(request)
            await stream.write(b'data: {"choices":[{"index":0,"delta":{"content":"B"},"finish_reason":"stop"}]}\n\n')
            await stream.write(b"data: [DONE]\n\n")
            await asyncio.Event().wait()

        content = asked(chat(stream=True), raw=handler, conduct=Conduct(patience=0.01))[2]
        assert content.endswith(b"data: [DONE]\n\n")

    def test_upstream_breaks_off(self, asked, tmp_path):
        """A stream that the upstream cuts is cut for the client too, after all that came."""

        async def handler(request):
            stream = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Content-Length": "10000"})
            await stream.prepare(request)
            await stream.write(b'data: {"choices":[{"index":0,"delta":{"content":"Answer: B"}}]}\n\n')
            request.transport.close()
            return stream

        for image in (True, False):
            with pytest.raises(aiohttp.ClientError):
                asked(chat(stream=True, image=image), raw=handler)
        status, _, content = asked(chat(stream=True), raw=handler, conduct=Conduct(policy="block"))
        assert (status, json.loads(content)["error"]["code"]) == (502, "upstream_broken")
        assert reasons(tmp_path) == ["upstream error"] * 2


class TestFailures:
    """Nothing that fails loses a response."""

    @pytest.mark.parametrize("status", [400, 401, 429, 500, 503])
    def test_upstream_errors_pass(self, asked, tmp_path, status):
        """Status, body and headers of the upstream's errors reach the client unchanged."""

        async def handler(request):
            return web.Response(status=status, body=b'{"error": 1 }', headers={"Retry-After": "7", "Set-Cookie": "a=b"})

        got, headers, content = asked(chat(), raw=handler)
        assert (got, content, headers["Retry-After"]) == (status, b'{"error": 1 }', "7")
        assert "Set-Cookie" not in headers
        assert [(each.reason, each.upstream_status) for each in logged(tmp_path)] == [("upstream error", status)]

    @pytest.mark.parametrize("raw", [b"", b"{", b'{"messages": 5}', b"[" * 100_000, b"\xff\xfe"])
    def test_odd_bodies_are_the_upstreams_business(self, asked, raw):
        """What the guard does not understand goes up as it is, and the upstream says what is wrong."""
        status, _, content = asked(raw)
        assert (status, "error" in json.loads(content)) == (400, True)

    @pytest.mark.parametrize("stream", [False, True])
    def test_closed_lets_pass_what_was_checked(self, asked, stream):
        """Whatever fails is held back, and nothing failed."""
        _, _, content = asked(chat(stream=stream), seeing, Conduct(closed=True))
        assert GUARD_HELD_BACK.encode() not in content

    @pytest.mark.parametrize("closed", [False, True])
    @pytest.mark.parametrize("stream", [False, True])
    def test_extra_call_fails(self, asked, tmp_path, closed, stream):
        """The response passes undecided, or is held back but kept in the field."""

        def failing(request):
            return "Answer: B" if request.images else 1 / 0

        _, headers, content = asked(chat(stream=stream), failing, Conduct(closed=closed))
        assert headers["X-Snellen"] == ("undecided" if closed or not stream else "pending")
        assert (GUARD_HELD_BACK.encode() in content) == closed
        assert b"Answer: B" in content
        (decision,) = logged(tmp_path)
        assert (decision.status, decision.reason) == ("undecided", "extra calls failed")
        assert decision.action == ("held back" if closed else "annotated")

    @pytest.mark.parametrize(
        ("status", "why"), [(429, "status 429"), (200, "no chat completion"), (None, "CutOffError")]
    )
    def test_why_an_extra_call_failed(self, asked, status, why):
        """The evidence tells an error, a page and a line that was cut apart."""

        async def handler(request):
            if b"image_url" in await request.read():
                return web.json_response(completion("B"))
            if status is None:
                request.transport.abort()
            return web.Response(status=status or 200, text="<html>")

        (said,) = json.loads(asked(chat(), raw=handler)[2])["snellen"]["evidence"]
        assert said == f"The response without the image did not come ({why})."

    def test_patience(self, asked, tmp_path):
        """A response does not wait for an extra call that hangs."""

        class Hanging(FakeModel):
            async def answer(self, request):
                if not request.images:
                    await asyncio.Event().wait()
                return await super().answer(request)

        content = asked(chat(), models={"fake": Hanging(blind)}, conduct=Conduct(patience=0.05))[2]
        assert json.loads(content)["snellen"]["status"] == "undecided"
        assert reasons(tmp_path) == ["patience"]

    @pytest.mark.parametrize("closed", [False, True])
    @pytest.mark.parametrize(
        ("part", "stream"),
        [(each, stream) for each in ("form_opinion", "log", "read_query", "without_image") for stream in (False, True)]
        + [("with_field", False)],
    )
    def test_guard_fails(self, asked, monkeypatch, capsys, part, stream, closed):
        """Whatever breaks inside, the response arrives, or stands in the field where that was chosen."""

        def broken(*given, **more):
            raise OSError("Mrs Jones, no space left")

        owner, name = {"log": (GuardLog, "add"), "without_image": (proxy.Query, part)}.get(part, (proxy, part))
        monkeypatch.setattr(owner, name, broken)
        status, _, content = asked(chat(stream=stream), seeing, Conduct(closed=closed))
        assert status == 200
        assert b"Answer: B" in content
        assert (GUARD_HELD_BACK.encode() in content) == closed
        said = capsys.readouterr().err
        assert ("Jones" in said, "The log cannot be written" in said) == (False, part == "log")
        assert said.count("The guard failed on a query: OSError.") == (part != "log")

    def test_guard_breaks(self, asked, monkeypatch, capsys):
        """An error that nobody foresaw is a 500 without a word of it; one line says what it was."""
        monkeypatch.setattr(Proxy, "_skip_check", lambda *given: {}["Mrs Jones"])
        status, _, content = asked(chat())
        assert (status, json.loads(content)["error"]["code"], b"Jones" in content) == (500, "guard_failed", False)
        assert "The guard failed on a query: KeyError." in capsys.readouterr().err
        assert asked(b"", path="/../health", method="GET")[2] == b'{"status":"ok"}'

    def test_long_replies_arrive_whole(self, asked):
        """They are not compared, and said to be too long for that."""
        long = "Answer: B. " + "word " * 20_000
        reply = json.loads(asked(chat(), lambda request: long)[2])
        assert reply["choices"][0]["message"]["content"] == long
        assert (reply["snellen"]["status"], proxy._refuse_unreached(TimeoutError()).status) == ("undecided", 504)

    def test_no_upstream(self, tmp_path, monkeypatch):
        """An upstream that is not there is a 502 that names no address."""

        async def main():
            async with (
                running(tmp_path, monkeypatch, "http://127.0.0.1:9/secret-path") as server,
                server.session.post(f"{server.url}/chat/completions", json=chat()) as reply,
            ):
                return reply.status, await reply.text()

        status, text = asyncio.run(main())
        assert (status, json.loads(text)["error"]["code"]) == (502, "upstream_unreachable")
        assert "secret" not in text
        assert reasons(tmp_path) == ["upstream error"]

    def test_reply_is_cut_off(self, asked, tmp_path):
        """A response that the upstream breaks off in the middle is a 502, logged once."""

        async def handler(request):
            reply = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "10000"})
            await reply.prepare(request)
            await reply.write(b'{"choices": [')
            request.transport.close()
            return reply

        status, _, content = asked(chat(), raw=handler)
        assert (status, json.loads(content)["error"]["code"]) == (502, "upstream_broken")
        assert reasons(tmp_path) == ["upstream error"]

    def test_held_back_page(self, asked):
        """Where the upstream answers with a page, what takes its place is called the JSON that it is."""

        async def handler(request):
            return web.Response(text="<html>", content_type="text/html")

        _, headers, content = asked(chat(), raw=handler, conduct=Conduct(closed=True))
        assert (headers["Content-Type"], GUARD_HELD_BACK.encode() in content) == ("application/json", True)

    def test_client_leaves(self, tmp_path, monkeypatch):
        """Who hangs up is no longer worked for: the calls to the upstream end."""

        async def main():
            left, here = asyncio.Event(), asyncio.Semaphore(0)

            async def handler(request):
                here.release()
                try:
                    await asyncio.Event().wait()
                finally:
                    left.set()

            async with raw_upstream(handler) as base, running(tmp_path, monkeypatch, base) as server:
                asking = asyncio.create_task(server.session.post(f"{server.url}/chat/completions", json=chat()))
                await here.acquire()
                asking.cancel()
                await left.wait()

        asyncio.run(main())
        assert reasons(tmp_path) == ["client left"]


def smuggled(content="Which side?", **more):
    """A body that says nothing of an image in the usual way."""
    return json.dumps({"model": "fake", "messages": [{"role": "user", "content": content, **more}]}).encode()


def beside(**more):
    """A body of words with another field beside its messages."""
    return json.dumps({**json.loads(smuggled()), **more}).encode()


WORDS = {"type": "text", "text": "Which side?"}
OTHER = "other parts"
IN_TEXT = "image in the text"
SMUGGLED = {
    "a part of unknown type": (smuggled([WORDS, {"type": "picture", "picture": URI}]), OTHER),
    "a part without a type": (smuggled([WORDS, {"image_url": {"url": URI}}]), OTHER),
    "an unknown type by reference": (smuggled([WORDS, {"type": "file_ref", "id": "file-1"}]), OTHER),
    "a file": (smuggled([WORDS, {"type": "file", "file": {"file_id": "file-1"}}]), OTHER),
    "a video": (smuggled([WORDS, {"type": "video_url", "video_url": {"url": URI}}]), OTHER),
    "a tool's result": (smuggled([WORDS, {"type": "tool_result", "content": [IMAGE]}]), OTHER),
    "words with more fields": (smuggled([{**WORDS, "image_url": {"url": URI}}]), OTHER),
    "words with a reference": (smuggled([{**WORDS, "image": "file-1"}]), OTHER),
    "words that are none": (smuggled([{"type": "text", "text": IMAGE}]), OTHER),
    "sound with more fields": (smuggled([WORDS, {"type": "input_audio", "image_url": URI}]), OTHER),
    "a message that calls itself an image": (smuggled([IMAGE, IMAGE], type="image"), OTHER),
    "a list in a list": (smuggled([WORDS, [IMAGE]]), OTHER),
    "one part and no list": (smuggled(IMAGE), OTHER),
    "a field of the message": (smuggled(images=[URI]), OTHER),
    "the content in capitals": (smuggled(Content=[IMAGE]), OTHER),
    "a role of its own": (json.dumps({"messages": [{"role": "image", "content": URI[-100:]}]}).encode(), OTHER),
    "a message that is none": (json.dumps({"model": "fake", "messages": ["Which side?", [IMAGE]]}).encode(), OTHER),
    "the messages in capitals": (beside(Messages=chat()["messages"]), OTHER),
    "images beside the messages": (beside(image_data=[{"data": URI}]), OTHER),
    "a reference beside the messages": (beside(attachment="file-1"), OTHER),
    "an earlier conversation": (beside(previous_response_id="resp_1"), OTHER),
    "a known field with an image": (beside(documents=[IMAGE]), OTHER),
    "a tool of the server's": (beside(tools=[{"type": "file_search"}]), OTHER),
    "words with a data URL": (smuggled(f"Which side? {URI}"), IN_TEXT),
    "words with base64": (smuggled(f"Which side? {URI.partition(',')[2]}"), IN_TEXT),
    "Markdown": (smuggled("Which side? ![x-ray](https://example.org/x-ray)"), IN_TEXT),
    "HTML": (smuggled("<IMG src='https://example.org/x-ray'> Which side?"), IN_TEXT),
    "an argument of a tool": (
        smuggled(tool_calls=[{"function": {"arguments": json.dumps({"image": URI})}}]), IN_TEXT,
    ),
    "a name": (smuggled(name=URI), IN_TEXT),
    "two messages": (json.dumps(chat()).encode()[:-1] + b', "messages": [{"role": "user", "content": "Hi"}]}',
                     "unreadable"),
    "two messages, one escaped": (
        json.dumps(chat()).encode()[:-1] + b', "mess\\u0061ges": [{"role": "user", "content": "Hi"}]}', "unreadable",
    ),
    "two contents": (b'{"messages": [{"role": "user", "content": [%s], "content": "Hi"}]}' % json.dumps(IMAGE).encode(),
                     "unreadable"),
    "a number that is none": (json.dumps(chat(temperature=float("nan"))).encode(), "unreadable"),
    "another encoding": (json.dumps(chat()).encode("utf-16"), "unreadable"),
    "a mark before it": (b"\xef\xbb\xbf" + json.dumps(chat()).encode(), "unreadable"),
    "a form": (b"--x\r\nContent-Disposition: form-data; name=image\r\n\r\nPNG\r\n--x--\r\n", "unreadable"),
    "too deep": (json.dumps(chat()).encode()[:-1] + b', "metadata": ' + b"[" * 1010 + b"]" * 1010 + b"}", "unreadable"),
    "nothing": (b"", "unreadable"),
}  # fmt: skip


class TestClosed:
    """What is not understood is held back, and every such query has a line in the log."""

    @pytest.mark.parametrize("streams", [False, True])
    def test_smuggled_images(self, tmp_path, monkeypatch, streams):
        """No way of sending an image that the guard does not check brings the response back, or leaves no line."""

        async def handler(request):
            choice = {"index": 0, "finish_reason": "stop"}
            if not streams:
                return web.json_response({"choices": [{**choice, "message": {"content": "A secret response"}}]})
            chunk = json.dumps({"choices": [{**choice, "delta": {"content": "A secret response"}}]})
            return web.Response(text=f"data: {chunk}\n\ndata: [DONE]\n\n", content_type="text/event-stream")

        async def main():
            conduct, found = Conduct(policy="block", closed=True, withhold=True), {}
            async with raw_upstream(handler) as base, running(tmp_path, monkeypatch, base, conduct) as server:
                for what, (sent, _) in SMUGGLED.items():
                    before = len(logged(tmp_path))
                    async with server.session.post(f"{server.url}/chat/completions", data=sent) as reply:
                        content = await reply.read()
                    lines = [(line.reason, line.action) for line in logged(tmp_path)[before:]]
                    found[what] = (b"secret" in content, GUARD_HELD_BACK.encode() in content, lines)
            return found

        expected = {what: (False, True, [(why, "held back")]) for what, (_, why) in SMUGGLED.items()}
        assert asyncio.run(main()) == expected

    @pytest.mark.parametrize(
        "sent",
        [
            smuggled(),
            smuggled([WORDS, {"type": "input_audio", "input_audio": {"data": "A" * 4000, "format": "wav"}}]),
            smuggled([{**WORDS, "cache_control": {"type": "ephemeral"}}], name="anna"),
            smuggled("The image, not sent, is at https://example.org/x-ray.png. ATGC: " + "ATGC" * 1000),
            beside(temperature=0, stop=["x"], top_k=5, min_p=0.1, chat_template_kwargs={"enable_thinking": False}),
            beside(tools=[{"type": "function", "function": {"name": "f"}}], tool_choice="auto", n=2),
            beside(response_format={"type": "json_schema", "json_schema": {"image": {"type": "string"}}}, odd=None),
        ],
    )
    def test_words_pass(self, asked, tmp_path, sent):
        """A query of words alone passes as it came, without a line."""
        seen = []
        handler = answering(completion("A response"), seen)
        _, headers, content = asked(sent, raw=handler, conduct=Conduct(policy="block", closed=True))
        assert seen == [sent]
        assert (b"A response" in content, b"snellen" in content, "X-Snellen" in headers) == (True, False, False)
        assert logged(tmp_path) == ()

    def test_the_upstream_reads_what_was_read(self, asked):
        """A body that was read as JSON goes up as JSON, whatever the client says that it is."""
        seen = []
        handler = answering(completion("B"), seen, lambda request: request.headers.getall("Content-Type"))
        for kind in ("multipart/form-data; boundary=x", "application/json; charset=utf-16", "text/plain"):
            asked(chat(), raw=handler, headers={"Content-Type": kind})
        assert seen == [["application/json"]] * 6

    def test_replies_that_nobody_asked_for(self, asked, tmp_path):
        """A second response beside the first is not passed with it: only one was compared."""
        handler = answering(completion("Answer: B", "A secret"))
        content = asked(chat(), raw=handler, conduct=Conduct(closed=True, withhold=True))[2]
        assert b"secret" not in content
        assert [(each.reason, each.action) for each in logged(tmp_path)] == [("unreadable", "held back")]

    @pytest.mark.parametrize(("conduct", "status"), [(Conduct(), 200), (Conduct(closed=True), 404),
                                                     (Conduct(policy="block"), 404)])  # fmt: skip
    def test_stored_replies(self, asked, conduct, status):
        """A response that the server keeps cannot be had from there through a guard that blocks or holds back."""
        path = "/chat/completions/chatcmpl-1"
        assert asked(b"", raw=answering({}), path=path, method="GET", pass_key=True, conduct=conduct)[0] == status


class TestSecurity:
    """Keys, other people's pages, sizes and slow clients."""

    def test_keys_stay_apart(self, asked, tmp_path):
        """The upstream gets the guard's key, never the client's; neither is in the log, nor any word or image."""
        seen = []
        handler = answering(completion("Mrs Jones has an effusion on the left."), seen, lambda each: dict(each.headers))
        headers = {"Authorization": "Bearer sk-of-the-client", "Cookie": "session=1", "Idempotency-Key": "once"}
        asked(chat("Mrs Jones, born 1950: which side? A. Left B. Right"), raw=handler, headers=headers)
        assert {each["Authorization"] for each in seen} == {"Bearer sk-of-the-guard"}
        assert not any("Cookie" in each for each in seen)
        assert sorted("Idempotency-Key" in {name.title() for name in each} for each in seen) == [False, True]
        written = (tmp_path / "guard.jsonl").read_text()
        for secret in ("Jones", "1950", "effusion", "sk-of", "session", URI[30:60], "side"):
            assert secret not in written
        (decision,) = logged(tmp_path)
        assert len(decision.query) == len(decision.reply) == 32

    def test_a_query_cannot_be_a_seal(self, asked, tmp_path):
        """The hash of a query that reads like a line of the log does not seal that line."""
        line = json.dumps({"status": "moved", **chat()}).encode()
        asked(line)
        (decision,) = logged(tmp_path)
        assert decision.query != Installation.from_file(tmp_path / "guard.key").hash_parts(line)

    def test_pass_key(self, asked):
        """With --pass-key the client's key goes up, for the extra calls too, and the guard's stays here."""
        seen = []
        handler = answering(completion("B"), seen, lambda request: request.headers.get("Authorization"))
        asked(chat(), raw=handler, headers={"Authorization": "Bearer mine"}, pass_key=True)
        asked(chat(image=False), raw=handler, pass_key=True)
        assert seen == ["Bearer mine", "Bearer mine", None]

    @pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}])
    def test_key_of_the_guard(self, asked, headers):
        """Where the guard has a key, nobody gets through without it."""
        assert asked(chat(), conduct=Conduct(key="right"), headers=headers)[0] == 401
        assert asked(chat(), conduct=Conduct(key="right"), headers={"Authorization": "Bearer right"})[0] == 200

    @pytest.mark.parametrize(
        ("headers", "code"),
        [
            ({"Host": "evil.example"}, "wrong_host"),
            ({"Host": "127.0.0.1.evil.example"}, "wrong_host"),
            ({"Origin": "https://evil.example", "Content-Type": "text/plain"}, "wrong_origin"),
            ({"Origin": "null"}, "wrong_origin"),
            ({"Sec-Fetch-Site": "cross-site"}, "wrong_origin"),
        ],
    )
    @pytest.mark.parametrize("pass_key", [False, True])
    def test_pages_of_others(self, asked, headers, code, pass_key):
        """A page in a browser on this computer cannot use the guard, its key or its upstream."""
        status, _, content = asked(chat(), headers=headers, pass_key=pass_key)
        assert (status, json.loads(content)["error"]["code"]) == (403, code)

    def test_names_that_are_allowed(self, asked):
        """A name that the user gave is answered."""
        headers = {"Host": "guard.internal:8900"}
        assert asked(chat(), headers=headers, conduct=Conduct(names=("guard.internal",)), pass_key=True)[0] == 200

    def test_other_models(self, asked, tmp_path):
        """A guard of one model serves that one."""
        assert asked(chat(), upstream="openai/fake")[0] == 200
        for other in (chat(model="dearer"), chat(Model="dearer"), chat(models=["dearer"]), chat(model=["dearer"])):
            status, _, content = asked(other, upstream="openai/fake")
            assert (status, json.loads(content)["error"]["code"]) == (404, "model_not_found")
        assert [(each.reason, each.action, each.model) for each in logged(tmp_path)[1:]] == [
            ("other model", "held back", "")
        ] * 4

    def test_bodies_that_only_others_can_read(self, asked, tmp_path):
        """NaN is no JSON, but some servers take it: no way round the one model, and not passed without a line."""
        sent = json.dumps(chat(temperature=float("nan"), model="dearer")).encode()
        assert asked(sent, raw=answering({"choices": []}), upstream="openai/fake")[0] == 400
        assert asked(sent, raw=answering({"choices": []}))[0] == 200
        assert [(each.reason, each.action, each.upstream_status) for each in logged(tmp_path)] == [
            ("unreadable", "held back", 0),
            ("unreadable", "passed", 200),
        ]

    @pytest.mark.parametrize("path", ["/files", "/models/../files", "/models/%2e%2e/files", "/chat/completions", "/"])
    def test_only_models_can_be_read(self, asked, path):
        """What else the guard's key may see at the provider is not passed on, whatever path is written."""
        seen = []
        handler = answering({}, seen, lambda request: request.path)
        assert asked(b"", raw=handler, path=path, method="GET")[0] in (403, 404)
        assert seen == []
        assert asked(b"", raw=handler, path="/models/org/name-1:7b", method="GET")[0] == 200
        assert seen == ["/v1/models/org/name-1:7b"]

    @pytest.mark.parametrize("path", ["/responses", "/embeddings", "/files"])
    def test_other_posts_are_refused(self, asked, path):
        """Images that would go up unchecked by another way are not passed."""
        assert asked(chat(), path=path)[0] in (404, 405)

    def test_redirects_are_not_followed(self, asked):
        """An upstream that sends the guard elsewhere is not obeyed, and the client is not sent there."""

        async def handler(request):
            return web.Response(status=307, headers={"Location": "https://evil.example/"})

        status, headers, content = asked(chat(), raw=handler)
        assert (status, "Location" in headers, b"evil" in content) == (502, False, False)

    def test_own_upstream(self, tmp_path, monkeypatch):
        """A guard whose upstream is itself says so instead of asking for ever."""

        async def main():
            with socket.create_server(("127.0.0.1", 0)) as free:
                port = free.getsockname()[1]
            monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{port}/v1")
            monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-guard")
            installation = Installation.from_file(tmp_path / "guard.key")
            log = GuardLog(tmp_path / "other.jsonl", installation)
            behind = open_upstream("openai")
            guard = Proxy(behind, Conduct(), log=log, installation=installation)
            async with (
                await proxy.start(guard, port=port) as again,
                aiohttp.ClientSession() as session,
                session.post(f"{again.url}/chat/completions", json=chat()) as reply,
            ):
                found = reply.status, (await reply.json())["error"]["code"]
                await behind.transport.close()
                return found

        assert asyncio.run(main()) == (508, "loop_detected")

    def test_size_limits(self, asked, monkeypatch):
        """A body over the limit is a 413, also if it is packed; bodies beyond what fits in memory are put off."""
        monkeypatch.setattr(listening, "MAX_BODY", 1_000_000)
        assert asked(b"x" * 1_000_001)[0] == 413
        assert asked(gzip.compress(b"x" * 5_000_000), headers={"Content-Encoding": "gzip"})[0] == 413
        monkeypatch.setattr(listening, "MOST_HELD", 1000)
        assert asked(b"x" * 1001)[0] == 503

    def test_200_connections_at_once(self, tmp_path, monkeypatch):
        """Two hundred clients are answered while two hundred others send nothing, or half a head."""

        async def main():
            async with (
                await serve.start(models={"fake": FakeModel(blind)}) as behind,
                running(tmp_path, monkeypatch, behind.url) as server,
                aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as many,
            ):
                port = int(server.url.split(":")[2].split("/")[0])
                idle = await asyncio.gather(*(asyncio.open_connection("127.0.0.1", port) for _ in range(200)))
                for _, writer in idle[::2]:
                    writer.write(b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.")

                async def ask(number):
                    body = chat(f"{QUESTION} {number}", image=number % 4 == 0)
                    async with many.post(f"{server.url}/chat/completions", json=body) as reply:
                        return reply.status, (await reply.json())["choices"][0]["message"]["content"]

                answers = await asyncio.gather(*map(ask, range(200)))
                for _, writer in idle:
                    writer.close()
                return answers

        assert asyncio.run(main()) == [(200, "Answer: B")] * 200

    @pytest.mark.parametrize(
        "sent",
        [
            b"Authorization: Bearer sk-of-the-client\x00\r\n\r\n",
            b"Content-Encoding: gzip\r\nContent-Length: 16\r\n\r\nsk-of-the-client",
            b"Transfer-Encoding: chunked\r\n\r\nsk-of-the-client\r\n",
        ],
    )
    def test_what_is_no_http_is_not_printed(self, tmp_path, monkeypatch, capfd, caplog, sent):
        """A damaged request is a 400; nothing of it is printed, where it could hold a key."""

        async def main():
            async with running(tmp_path, monkeypatch, "http://127.0.0.1:9") as server:
                port = int(server.url.split(":")[2].split("/")[0])
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n" + sent)
                begun = await reader.readline()
                writer.close()
                return begun.split()[1]

        assert asyncio.run(main()) == b"400"
        assert (capfd.readouterr().err, caplog.text) == ("", "")

    def test_client_that_does_not_read(self, tmp_path, monkeypatch):
        """A client that leaves a long response unread is cut off, and the guard goes on."""

        async def main():
            given_up = asyncio.Event()

            async def send(*given):
                monkeypatch.setattr(listening, "SLOWEST_READER", 0.1)  # now that the upstream has sent everything
                try:
                    await listening.send(*given)
                except TimeoutError:
                    given_up.set()
                    raise

            monkeypatch.setattr(proxy, "send", send)
            long = "word " * 2_000_000
            async with (
                await serve.start(models={"fake": FakeModel(lambda request: long)}) as behind,
                running(tmp_path, monkeypatch, behind.url) as server,
            ):
                port = int(server.url.split(":")[2].split("/")[0])
                reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
                body = json.dumps(chat(image=False)).encode()
                head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n"
                writer.write(head % len(body) + body)
                await given_up.wait()
                came = 0
                try:
                    while piece := await reader.read(1_000_000):
                        came += len(piece)
                except ConnectionError:
                    pass
                writer.close()
                async with server.session.get(f"{server.url}/models") as reply:
                    return came < len(long), reply.status

        assert asyncio.run(main()) == (True, 200)
