"""The table of servers that speak OpenAI's chat completions."""

import pytest

from models.recording import Answer, answered
from models.wires.openai import says
from snellen.errors import PluginError, RejectedError, UnusableModelError
from snellen.models import MEMBERS, open_model
from snellen.models import openai as backends
from snellen.models.chat import ChatModel
from snellen.models.openai import Azure, OpenAI, OpenAIResponses
from snellen.prompts import Request, Settings

SERVERS = [
    each
    for each in vars(backends).values()
    if isinstance(each, type)
    and issubclass(each, ChatModel)
    and each not in (ChatModel, OpenAI, OpenAIResponses, Azure)
]


def of(server, reply, request):
    """The response of a server's model, and the body that it was sent."""
    response, sent = answered(lambda url: server("m", base_url=url, key="key-of-a-test"), reply, request)
    return response, sent.body


def test_every_line_is_a_provider(monkeypatch):
    """Each is a provider by its name, at its own address; those elsewhere need the key that the error names."""
    for server in SERVERS:
        assert MEMBERS[server.provider].startswith("snellen.models.openai:")
        if server.needs_key:
            with pytest.raises(UnusableModelError, match=f"Set {server.access.key_variables[0]}"):
                server("org/model")
            monkeypatch.setenv(server.access.key_variables[-1], "key-of-a-test")
        opened = server("org/model")
        assert (opened.name, opened.at) == (f"{server.provider}/org/model", server.access.official)
        assert bool(opened.host) is server.needs_key
        monkeypatch.setenv(server.access.address_variable, "http://elsewhere.example:1/v1")
        assert server("org/model").at == "http://elsewhere.example:1/v1"


def test_servers_of_one_study_have_addresses_of_their_own(monkeypatch):
    """Two servers stand beside each other, each by its own variable."""
    monkeypatch.setenv("OLLAMA_BASE_URL", "http://127.0.0.1:7/v1")
    monkeypatch.setenv("LLAMA_CPP_BASE_URL", "http://127.0.0.1:8/v1")
    assert [open_model(f"{name}/m").at for name in ("ollama", "llama-cpp", "sglang")] == [
        *("http://127.0.0.1:7/v1", "http://127.0.0.1:8/v1", "http://localhost:30000/v1")
    ]


def test_what_a_server_lacks_is_not_sent():
    """A setting that a server does not have is named and left out; one that it calls otherwise is sent by that name."""
    chosen = Settings(seed=3, logprobs=2, max_tokens=9)
    request = Request("m", "A or B?", settings=chosen, replicate=1)
    _, sent = of(backends.mistral, says(), request)
    del sent["messages"]
    assert sent == {"model": "m", "random_seed": 4, "max_tokens": 9}
    assert backends.mistral("m", key="k").untaken(chosen) == ("logprobs",)
    _, sent = of(backends.deepseek, says(), request)
    assert (sent.get("seed"), sent["top_logprobs"], sent["max_tokens"]) == (None, 2, 9)


def test_efforts_that_a_server_takes_for_others_are_refused():
    """DeepSeek takes medium for high: the two would be one condition under two names."""
    _, sent = of(backends.deepseek, says(), Request("m", "?", settings=Settings(reasoning_effort="high")))
    assert sent["reasoning_effort"] == "high"
    with pytest.raises(RejectedError, match="has no effort medium, only low and high"):
        of(backends.deepseek, says(), Request("m", "?", settings=Settings(reasoning_effort="medium")))


def test_thinking_among_the_parts():
    """Thinking that comes as a part of the message is reasoning and no text."""
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "because"}]}, {"type": "text", "text": "B"}]
    response, _ = of(backends.mistral, says(parts), Request("m", "A or B?"))
    assert (response.text, response.reasoning) == ("B", "because")


def test_an_account_without_credit_is_found_at_once():
    """402 means that nothing will be answered."""
    broke = Answer({"error": {"code": 402, "message": "Insufficient credits"}}, 402)
    with pytest.raises(UnusableModelError, match="no quota left"):
        of(backends.openrouter, broke, Request("m", "?"))


@pytest.mark.parametrize(
    ("spec", "meant"), [("opnrouter/x", "openrouter"), ("gemini/gemini-3-pro", "google"), ("llamacpp/m", "llama-cpp")]
)
def test_an_unknown_provider_names_the_nearest_and_the_gateway(spec, meant):
    """Who mistypes a provider, or names one that is not there, is told what to write instead."""
    with pytest.raises(PluginError, match=f"Did you mean '{meant}'\\?.*openrouter/VENDOR/MODEL.*openai/MODEL with"):
        open_model(spec)
