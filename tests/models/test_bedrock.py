"""Bedrock's Converse: how requests are signed, what each model is asked for, and what is said where it cannot be."""

import sys
from datetime import UTC, datetime

import pytest
from botocore.credentials import ReadOnlyCredentials

from models.machine import home, theirs
from models.recording import Answer, asked, recording
from models.wires.bedrock import client, says
from snellen.errors import ModelError, RejectedError, TransientError, UnusableModelError
from snellen.models import bedrock
from snellen.models.bedrock import Bedrock
from snellen.prompts import Request, Settings

PROFILE = "arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-opus-4-7"
__all__ = ["home"]


@pytest.fixture(autouse=True)
def signing(home, monkeypatch):
    """A machine that has credentials and a region."""
    for name, value in {"ACCESS_KEY_ID": "AKID", "SECRET_ACCESS_KEY": "hush-hush", "REGION": "us-east-1"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)


@pytest.mark.parametrize("model", ["anthropic.claude-3-5-sonnet-20241022-v2:0", PROFILE])
def test_signed_as_it_arrives(model, monkeypatch):
    """The signature is that of AWS's own library for the request as the server got it, at the same path."""
    monkeypatch.setenv("AWS_SESSION_TOKEN", "a-session")
    with recording(Answer(says())) as server:
        asked(Bedrock(model, base_url=server.url))
        client(server.url).converse(modelId=model, messages=[{"role": "user", "content": [{"text": "A or B?"}]}])
    ours, sdk = server.sent
    assert (ours.path, ours.body) == (sdk.path, sdk.body)
    headers = {name: ours.headers[name] for name in ("Host", "Content-Type")}
    at = datetime.strptime(ours.headers["X-Amz-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    place = ("eu-west-1" if model == PROFILE else "us-east-1", "bedrock")
    known = ReadOnlyCredentials("AKID", "hush-hush", "a-session")
    signed = theirs(known, "POST", server.url + ours.path, ours.raw, headers, place, at)
    assert {name: ours.headers[name] for name in signed} == signed


def test_where_it_is_asked(monkeypatch):
    """In the region's own address by signature; a token takes the signature's place."""
    model = Bedrock("amazon.nova-2-lite-v1:0")
    assert model.address == "https://bedrock-runtime.us-east-1.amazonaws.com, signed by AWS_ACCESS_KEY_ID"
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "a-token")
    with recording(Answer(says())) as server:
        asked(Bedrock("m", base_url=server.url))
    (sent,) = server.sent
    assert sent.headers["Authorization"] == "Bearer a-token"
    assert "X-Amz-Date" not in sent.headers


def test_what_is_missing(monkeypatch):
    """Without a region or credentials nothing is asked, and the error says what to set."""
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    with pytest.raises(UnusableModelError, match=r"needs credentials.*AWS_PROFILE"):
        Bedrock("m")
    monkeypatch.delenv("AWS_REGION")
    with pytest.raises(UnusableModelError, match=r"needs a region\. Set AWS_REGION"):
        Bedrock("m")


ADAPTIVE = {"thinking": {"type": "adaptive", "display": "summarized"}, "output_config": {"effort": "low"}}
EFFORTS = {
    "us.anthropic.claude-opus-4-7": ADAPTIVE,
    "anthropic.claude-sonnet-4-20250514-v1:0": {"thinking": {"type": "enabled", "budget_tokens": 2048}},
    "us.amazon.nova-2-lite-v1:0": {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "low"}},
    "openai.gpt-oss-120b-1:0": {"reasoning_effort": "low"},
}


@pytest.mark.parametrize(("model", "expected"), EFFORTS.items())
def test_effort(model, expected):
    """Each family is told an effort in its own field."""
    opened, request = Bedrock(model), Request("m", "A or B?", settings=Settings(reasoning_effort="low"))
    opened.check(request)
    assert opened.body(request)["additionalModelRequestFields"] == expected


def test_what_cannot_be_asked():
    """An effort that a model does not have is refused unsent; what else it does not take is named."""
    for model, effort in {"meta.llama4-scout": "low", "openai.gpt-oss-20b": "none", "amazon.nova-2": "minimal"}.items():
        with pytest.raises(RejectedError, match="has no"):
            asked(Bedrock(model), reasoning_effort=effort)
    wanted = Settings(temperature=0.0, max_tokens=5, seed=1, logprobs=2, reasoning_effort="high")
    assert Bedrock("us.amazon.nova-2-lite-v1:0").untaken(wanted) == ("seed", "logprobs", "temperature", "max_tokens")
    assert Bedrock("meta.llama4-scout").untaken(wanted) == ("seed", "logprobs")
    assert Bedrock("us.anthropic.claude-opus-4-7").untaken(wanted) == ("seed", "logprobs", "temperature")


ERRORS = {
    "no such model": (400, "ValidationException", "The provided model identifier is invalid.", UnusableModelError),
    "was not accepted": (400, "ValidationException", "Too many images.", RejectedError),
    "key was not accepted": (400, "ExpiredTokenException:http://x", "expired", UnusableModelError),
    "answered 424": (424, "ModelErrorException", "The model failed.", TransientError),
}


@pytest.mark.parametrize("words", ERRORS)
def test_errors(words):
    """AWS's own names of errors, which stand in a header, are understood."""
    status, kind, message, expected = ERRORS[words]
    answer = Answer({"message": message}, status, {"x-amzn-ErrorType": kind})
    with recording(answer) as server, pytest.raises(expected, match=words):
        asked(Bedrock("m", base_url=server.url))


class Renewed:
    """Credentials that are others at each request."""

    method = "a role"
    refresh_needed = True

    def __init__(self, *keys):
        self.keys = iter(keys)

    def get_frozen_credentials(self):
        return next(self.keys)


def test_credentials_that_run_out(monkeypatch):
    """Credentials that are renewed sign the next request, and no error shows them."""
    keys = [ReadOnlyCredentials(name, f"secret-{n}", f"token-{n}") for n, name in ((1, "one"), (2, "two"))]
    monkeypatch.setattr(bedrock, "find_credentials", lambda: Renewed(*keys))
    with recording(Answer(says()), Answer({"message": "not token-2 nor secret-2"}, 403)) as server:
        model = Bedrock("m", base_url=server.url)
        asked(model)
        with pytest.raises(ModelError) as caught:
            asked(model)
    first, second = (each.headers["Authorization"] for each in server.sent)
    assert ("Credential=one/" in first, "Credential=two/" in second) == (True, True)
    assert "not [hidden] nor [hidden]" in str(caught.value)


def test_where_credentials_and_the_region_are_found(home, monkeypatch):
    """Those of the chosen profile count, and before them the variables; a profile of a program is asked."""
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "REGION"):
        monkeypatch.delenv(f"AWS_{name}")
    (home / "credentials").write_text("[lab]\naws_access_key_id=L\naws_secret_access_key=s\n")
    (home / "said.json").write_text('{"Version": 1, "AccessKeyId": "P", "SecretAccessKey": "q"}')
    (home / "config").write_text(
        f"[profile lab]\nregion = us-west-2\n[default]\ncredential_process = cat {home / 'said.json'}\n"
    )
    assert (bedrock.find_credentials().access_key, bedrock.find_region()) == ("P", "")
    monkeypatch.setenv("AWS_PROFILE", "lab")
    assert (bedrock.find_credentials().access_key, bedrock.find_region()) == ("L", "us-west-2")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "ca-central-1")
    assert bedrock.find_region() == "ca-central-1"


def test_a_broken_file(home, monkeypatch):
    """A file that cannot be read is named, without quoting what may be a secret in it."""
    monkeypatch.delenv("AWS_REGION")
    (home / "credentials").write_text("hush-hush\n")
    with pytest.raises(UnusableModelError, match="credentials") as caught:
        Bedrock("m")
    assert "hush-hush" not in str(caught.value)


def test_without_the_extra(monkeypatch):
    """Without AWS's own library nothing is signed, and the error says what to install."""
    monkeypatch.setitem(sys.modules, "botocore.session", None)
    with pytest.raises(UnusableModelError, match=r"snellen\[bedrock\]"):
        Bedrock("m")
