"""OpenAI's Responses: settings, refusals, what failed and what was flagged."""

import asyncio

import orjson
import pytest

from models.recording import Answer, answered
from models.wires.openai_responses import message, responded, says
from snellen.errors import RejectedError, TransientError
from snellen.models.openai import OpenAIResponses
from snellen.prompts import Request, Settings


def asked(answer, **settings):
    """The response to a question, and the body that was sent."""
    request = Request("m", "A or B?", settings=Settings(**settings))
    opened = lambda url: OpenAIResponses("gpt-5", base_url=f"{url}/v1", key="key-of-a-test")  # noqa: E731
    response, sent = answered(opened, answer, request)
    return response, sent.body


def official(model="gpt-5"):
    """A model at OpenAI's own address, which is never asked here."""
    return OpenAIResponses(model, key="key-of-a-test")


def test_settings():
    """Effort, length and log-probabilities go by this interface's names, and nothing is left at the server."""
    _, sent = asked(says(), reasoning_effort="low", max_tokens=9, logprobs=3, top_p=0.9)
    del sent["input"]
    assert sent == {
        **{"model": "gpt-5", "store": False, "reasoning": {"effort": "low"}, "max_output_tokens": 9, "top_p": 0.9},
        **{"top_logprobs": 3, "include": ["message.output_text.logprobs"]},
    }


def test_what_cannot_be_set_is_named():
    """There is neither seed nor stop; the official models that reason take no temperature; others take no effort."""
    chosen = Settings(seed=3, stop=("END",), temperature=0.0)
    assert official().untaken(chosen) == ("temperature", "stop", "seed")
    assert official("gpt-4.1").untaken(chosen) == ("seed", "stop")
    _, sent = asked(says(), seed=3, stop=("END",))
    assert not {"seed", "stop"} & set(sent)
    with pytest.raises(RejectedError, match="no reasoning effort"):
        asyncio.run(official("gpt-4.1").answer(Request("m", "?", settings=Settings(reasoning_effort="low"))))


def test_a_refusal_is_one():
    """A refusal in the reply is its text, and says so."""
    response, _ = asked(responded(message({"type": "refusal", "refusal": "I cannot help with that."})))
    assert (response.text, response.finish) == ("I cannot help with that.", "refusal")


def test_thoughts_stay_apart():
    """Summaries, thoughts in full and commentary are reasoning; what is encrypted is not shown."""
    thought = {
        **{"id": "r", "type": "reasoning", "encrypted_content": "gAAAA", "summary": [{"type": "s", "text": "First."}]},
        "content": [{"type": "reasoning_text", "text": "Then."}],
    }
    aside = {**message({"type": "output_text", "text": "Looking.", "annotations": []}), "phase": "commentary"}
    said = message(
        {"type": "output_text", "text": "B", "annotations": [], "logprobs": [{"token": "B", "logprob": -0.1}]}
    )
    reply = responded(thought, aside, said)
    reply["usage"]["output_tokens_details"]["reasoning_tokens"] = 64
    response, _ = asked(reply)
    assert (response.text, response.reasoning) == ("B", "First.\n\nThen.\n\nLooking.")
    assert response.usage == (7, 2, None, 64)
    assert orjson.loads(response.logprobs) == [{"token": "B", "logprob": -0.1}]


def test_flagged_prompts_are_filtered():
    """A prompt that was flagged is a filtered response, whether a status says so or the reply; other 400s are none."""
    flagged = {
        "code": "invalid_prompt",
        "message": "Your prompt was flagged as potentially violating our usage policy.",
    }
    for answer in (Answer({"error": flagged}, 400), Answer({**responded(status="failed"), "error": flagged})):
        response, _ = asked(answer)
        assert (response.text, response.finish) == ("", "content_filter")
    with pytest.raises(RejectedError):
        asked(Answer({"error": {"code": "invalid_prompt", "message": "It is empty."}}, 400))


def test_what_failed_or_has_not_ended_is_no_answer():
    """A failed reply says why; one that is under way is none."""
    failed = {**responded(status="failed"), "error": {"code": "server_error", "message": "Try again."}}
    with pytest.raises(TransientError, match="server_error"):
        asked(failed)
    with pytest.raises(TransientError, match="is not complete"):
        asked(responded(status="in_progress"))
