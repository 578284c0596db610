"""Gemini: efforts, blocked prompts, and what Google's errors say in their details."""

import pytest

from models.recording import REQUEST, Answer, answered
from models.wires.google import says
from snellen.errors import BusyError, RejectedError, UnusableModelError
from snellen.models import open_model
from snellen.models.google import Google
from snellen.prompts import Request, Settings


def asked(answer, *, model="gemini-3-flash", below="", request=REQUEST, **reach):
    """The response to a question, and what the server was sent."""
    return answered(lambda url: Google(model, base_url=url + below, key="key-of-a-test", **reach), answer, request)


def refused(body, status):
    """An answer with an error of Google's."""
    return Answer({"error": {"code": status, "message": "No.", **body}}, status)


def config(model, **settings):
    """The settings as they are sent."""
    _, sent = asked(says(), model=model, request=Request("m", "?", settings=Settings(**settings), replicate=2))
    return sent.body.get("generationConfig")


def test_settings_by_googles_names():
    """Every setting is sent by Google's name for it; a repetition has a seed of its own."""
    given = config("gemini-3-flash", top_p=0.9, seed=3, logprobs=4, stop=("END", "STOP"), max_tokens=9, temperature=0)
    assert given == {
        **{"temperature": 0, "topP": 0.9, "maxOutputTokens": 9, "stopSequences": ["END", "STOP"], "seed": 5},
        **{"responseLogprobs": True, "logprobs": 4},
    }
    assert config("gemini-3-flash") is None


def test_temperature_that_google_ignores_is_not_sent():
    """Newer models take no temperature and top_p: neither is sent, and both are named."""
    chosen = Settings(temperature=0.0, top_p=0.9, seed=3)
    for model in ("gemini-3.6-flash", "gemini-3.5-flash-lite", "gemini-4-pro", "gemini-flash-latest"):
        assert Google(model, key="key-of-a-test").untaken(chosen) == ("temperature", "top_p")
        assert config(model, temperature=0.0, seed=3) == {"seed": 5}
    for model in ("gemini-3.5-flash", "gemini-3.1-pro-preview", "gemini-2.5-flash-lite", "gemma-3-27b-it"):
        assert Google(model, key="key-of-a-test").untaken(chosen) == ()


def test_effort_is_a_level_or_a_budget():
    """An effort is a level from Gemini 3 on and a budget of tokens before; none of two efforts mean the same."""
    assert config("gemini-3.1-pro-preview", reasoning_effort="low") == {
        "thinkingConfig": {"includeThoughts": True, "thinkingLevel": "LOW"}
    }
    efforts = ("none", "minimal", "low", "medium", "high")
    sent = [config("gemini-2.5-flash", reasoning_effort=each)["thinkingConfig"] for each in efforts]
    assert sent[0] == {"thinkingBudget": 0}
    assert [each["thinkingBudget"] for each in sent] == [0, 512, 1024, 8192, 24576]


@pytest.mark.parametrize(
    ("model", "effort"), [("gemini-2.0-flash", "low"), ("gemma-3-27b-it", "low"), ("gemini-2.5-pro", "none")]
)
def test_efforts_that_cannot_be_made_are_not_asked(model, effort):
    """A model that does not think, or cannot stop to, is not asked as if the effort had been made."""
    with pytest.raises(RejectedError, match="it was not asked"):
        config(model, reasoning_effort=effort)


@pytest.mark.parametrize(
    ("reason", "finish"), [("PROHIBITED_CONTENT", "prohibited_content"), ("OTHER", "content_filter")]
)
def test_a_blocked_prompt_is_held_back(reason, finish):
    """A prompt that is blocked comes back as filtered, whatever the reason, with its tokens."""
    blocked = {"promptFeedback": {"blockReason": reason}, "usageMetadata": {"promptTokenCount": 9}, "modelVersion": "g"}
    response, _ = asked(blocked)
    assert (response.text, response.finish, response.usage.input_tokens) == ("", finish, 9)


def test_counts_and_log_probabilities():
    """Thoughts count to the output, images to the input, and log-probabilities come as they are."""
    reply = says()
    reply["usageMetadata"] |= {
        "thoughtsTokenCount": 30,
        "promptTokensDetails": [{"modality": "IMAGE", "tokenCount": 258}],
    }
    reply["candidates"][0]["logprobsResult"] = {"chosenCandidates": [{"token": "B", "logProbability": -0.1}]}
    response, _ = asked(reply)
    assert response.usage == (7, 32, 258, 30)
    assert response.logprobs == '{"chosenCandidates":[{"token":"B","logProbability":-0.1}]}'


def test_a_wrong_key_is_told_by_a_400():
    """Google says 400 to a wrong key: nothing else is asked."""
    details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
    with pytest.raises(UnusableModelError, match="Check GOOGLE_API_KEY or GEMINI_API_KEY"):
        asked(refused({"status": "INVALID_ARGUMENT", "details": details}, 400))
    with pytest.raises(UnusableModelError, match="answered 400"):
        asked(refused({"status": "FAILED_PRECONDITION"}, 400))
    with pytest.raises(RejectedError, match="answered 400"):
        asked(refused({"status": "INVALID_ARGUMENT"}, 400))


def test_a_wait_in_the_body_is_heard():
    """A wait that stands in the details of an error is passed on."""
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}]
    with pytest.raises(BusyError) as caught:
        asked(refused({"status": "RESOURCE_EXHAUSTED", "details": details}, 429))
    assert caught.value.retry_after == 34.5


def test_key_and_place(monkeypatch):
    """The key goes in a header of its own, to the version that the address names or else to v1beta."""
    _, sent = asked(says())
    assert (sent.path, sent.headers["x-goog-api-key"]) == (
        "/v1beta/models/gemini-3-flash:generateContent",
        "key-of-a-test",
    )
    _, sent = asked(says(), model="tunedModels/eye-1", below="/v1")
    assert sent.path == "/v1/tunedModels/eye-1:generateContent"
    with pytest.raises(UnusableModelError, match="Set GOOGLE_API_KEY or GEMINI_API_KEY, or GOOGLE_GEMINI_BASE_URL"):
        open_model("google/gemini-3-flash")
    monkeypatch.setenv("GEMINI_API_KEY", "key-of-google")
    assert (
        open_model("google/gemini-3-flash").address
        == "https://generativelanguage.googleapis.com, key from GEMINI_API_KEY"
    )


def test_own_fields_are_laid_over_at_every_depth():
    """A field of the user's in generationConfig leaves the settings beside it."""
    own = {"generationConfig": {"mediaResolution": "MEDIA_RESOLUTION_HIGH"}, "safetySettings": []}
    request = Request("m", "?", settings=Settings(max_tokens=9))
    _, sent = asked(says(), request=request, extra_body=own)
    assert sent.body["generationConfig"] == {"maxOutputTokens": 9, "mediaResolution": "MEDIA_RESOLUTION_HIGH"}
