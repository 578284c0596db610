"""Models that Inspect AI reaches, asked through it: its mock, and its OpenAI client against a recording server."""

import asyncio

import orjson
import pytest

from models.recording import Answer, recording
from models.wires.openai import images, says
from snellen.errors import BusyError, OutageError, RejectedError, StudyError, TransientError, UnusableModelError
from snellen.models import open_model
from snellen.models.base import CUT_OFF, check_sent
from snellen.models.client.client import Client
from snellen.prompts import Example, Request, Settings

KEY = "key-of-the-gateway"


def question(picture, **more):
    return Request("m", "A or B?", **{"system": "Be brief.", "images": (picture(),), **more})


def through(request, *replies, **reach):
    """What comes back, one after the other, through Inspect's OpenAI client, and what the server was sent."""

    async def converse():
        came = []
        for _ in replies:
            came += await asyncio.gather(model.answer(request), return_exceptions=True)
        await model.close()
        return came

    with recording(*replies) as server:
        model = open_model("inspect/openai-api/gateway/m", base_url=f"{server.url}/v1", key=KEY, **reach)
        return asyncio.run(converse()), server.sent


def test_words_images_and_settings_arrive(picture):
    """Everything of a request is sent once, in order; what comes back is kept, log-probabilities too."""
    chosen = Settings(temperature=0.5, top_p=0.9, seed=3, max_tokens=9, stop=("END",), logprobs=2)
    example = Example("One?", (picture(1),), "Answer: A")
    request = question(picture, settings=chosen, examples=(example,), replicate=2)
    reply = says("Answer: B", input_tokens=70, output_tokens=3, model="m-2026")
    place = {"token": "B", "logprob": -0.5, "bytes": [66], "top_logprobs": [{"token": "B", "logprob": -0.5}]}
    reply["choices"][0]["logprobs"] = {"content": [place]}
    [response], [sent] = through(request, Answer(reply), extra_body={"custom": 3})
    check_sent(request, response)
    assert (response.text, response.finish, response.served_by) == ("Answer: B", "stop", "m-2026")
    assert response.usage[:2] == (70, 3)
    assert orjson.loads(response.logprobs)[0]["logprob"] == -0.5
    body = sent.body
    assert images(body) == [image.base64.decode() for image in request.every_image]
    assert [message["role"] for message in body["messages"]] == ["system", "user", "assistant", "user"]
    names = ("temperature", "top_p", "seed", "max_tokens", "stop", "logprobs", "top_logprobs", "custom")
    assert [body[name] for name in names] == [0.5, 0.9, 5, 9, ["END"], True, 2, 3]


STATUSES = {
    **dict.fromkeys((401, 403, 404), UnusableModelError),
    **dict.fromkeys((400, 422), RejectedError),
    **dict.fromkeys((429, 529), BusyError),
    **{500: TransientError, 503: OutageError},
}


def test_statuses(picture):
    """Each status is what it is, is asked once, and the key is never said."""
    replies = [Answer({"error": {"message": f"{KEY}, and why"}}, status) for status in STATUSES]
    errors, sent = through(question(picture), *replies)
    assert len(sent) == len(STATUSES)
    for error, (status, kind) in zip(errors, STATUSES.items(), strict=True):
        assert (type(error), error.status) == (kind, status)
        assert "and why" in str(error)
        assert KEY not in str(error)


def test_endings(picture):
    """A reply that was cut off says so; one without words that ended as it should is empty."""
    [cut, empty], _ = through(question(picture), Answer(says("Because", "length")), Answer(says("", "stop")))
    assert cut.finish in CUT_OFF
    assert empty.is_empty


def test_inspects_mock(answers, picture, monkeypatch):
    """Thoughts, refusals and counts are read from Inspect's own output; its mock stays on this machine."""
    from inspect_ai import model as inspect

    thinks = inspect.ContentReasoning(reasoning="because")
    hidden = inspect.ContentReasoning(reasoning="c2VjcmV0", redacted=True)
    said = inspect.ContentText(text="I cannot help.", refusal=True)
    output = inspect.ModelOutput(
        model="mock",
        choices=[
            inspect.ChatCompletionChoice(
                message=inspect.ChatMessageAssistant(content=[thinks, hidden, said]), stop_reason="stop"
            )
        ],
        usage=inspect.ModelUsage(
            input_tokens=5, output_tokens=7, total_tokens=22, input_tokens_cache_read=10, reasoning_tokens=2
        ),
    )
    opened = inspect.get_model("mockllm/model", custom_outputs=[output])
    monkeypatch.setattr("inspect_ai.model.get_model", lambda *named, **more: opened)
    model = open_model("inspect/mockllm/model")
    request = question(picture)
    [response] = answers(model, request)
    check_sent(request, response)
    assert (response.text, response.finish, response.reasoning) == ("I cannot help.", "refusal", "because")
    assert response.usage == (15, 7, None, 2)
    assert model.host == ""


def test_where_images_go():
    """The host is Inspect's address for the provider, or the provider's name where it gives none; holders keep it."""
    model = open_model("inspect/openai-api/gateway/m", base_url="https://gateway.example.org/v1", key=KEY)
    assert Client(model).host == "gateway.example.org"
    assert KEY not in model.address


def test_what_inspect_does_not_know():
    """A provider that Inspect has not, or a missing one, is said in a sentence."""
    with pytest.raises(UnusableModelError, match="inspect/nobody/m cannot be opened"):
        open_model("inspect/nobody/m")
    with pytest.raises(UnusableModelError, match="as in inspect/anthropic/m"):
        open_model("inspect/m")
    with pytest.raises(StudyError, match="takes no headers"):
        open_model("inspect/mockllm/m", headers={"X-Team": "eyes"})
