"""Secrets: what a study, its environment or its server holds of them stands in nothing that leaves memory."""

import io
import json
import os
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from unittest.mock import patch

import pytest

from listener import listening
from snellen.cli import main
from snellen.errors import ModelError, StudyError, UnusableModelError
from snellen.models import open_model
from snellen.models.base import Model, Response
from snellen.models.entry import ModelEntry
from snellen.models.fake import FakeModel
from snellen.models.secrets import describe_unset, is_secret_name
from snellen.study import Study

SECRETS = {
    "key": "sk-proj-1aa9f3a77c0",
    "another provider's key": "gsk1bb9f3a77c0",
    "a password of the shell": "pw1cc9f3a77c0",
    "user": "login1dd9f3a77c0",
    "query": "query1ee9f3a77c0",
    "header": "head1ff9f3a77c0",
    "extra_body": "body1gg9f3a77c0",
    "deep in extra_body": "deep1hh9f3a77c0",
    "looks like a key": "sk-live-1ii9f3a77c0",
}
SHELL = {"WARD_KEY": SECRETS["key"], "GROQ_API_KEY": SECRETS["another provider's key"],
         "DATABASE_PASSWORD": SECRETS["a password of the shell"]}  # fmt: skip
STUDY = """
benchmarks = ["phantoms:items=2"]
tests = ["image-needed"]
canary = false
out = "out"
[[models]]
name = "openai/m"
base_url = "{url}?key={query}"
api_key_env = "WARD_KEY"
headers = {{X-Ward = "Bearer {header}"}}
retries = 0
[models.extra_body]
apiKey = "{extra_body}"
a = [{{b = {{access_token = "{deep in extra_body}"}}}}]
c = "{looks like a key}"
"""


def run(folder, line):
    """What a command prints in a folder, whatever its end."""
    printed = io.StringIO()
    with (
        chdir(folder), redirect_stdout(printed), redirect_stderr(printed), patch.dict(os.environ, SHELL),
        patch.object(sys, "argv", ["snellen", *line.split()]),
    ):  # fmt: skip
        try:
            main()
        except SystemExit as end:
            print("status", end.code)
    return printed.getvalue()


@pytest.mark.parametrize("status", [200, 400, 401])
def test_no_secret_of_an_exam_leaves_memory(tmp_path, status):
    """A server that repeats all of them, in answers or in errors; then every byte that was printed and written."""
    with listening(says=f"Answer: A. {' '.join(SECRETS.values())}", status=status) as server:
        url = f"http://ward:{SECRETS['user']}@{server.url.removeprefix('http://')}/v1"
        text = STUDY.format(url=url, **SECRETS)
        (tmp_path / "study.toml").write_text(text)
        lines = ["plan study.toml", "run study.toml --yes", "score out", "export out --to jsonl --file out.jsonl"]
        printed = "".join(run(tmp_path, line) for line in lines)
    assert len(server.heard) >= 1
    sent = "".join(server.heard)
    assert all(SECRETS[name] in sent for name in ("query", "header", "extra_body", "deep in extra_body"))
    written = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "study.toml"]
    assert {"results.json", "report.html", "out.jsonl"} <= {path.name for path in written} or status != 200
    held = {path.name: path.read_bytes() for path in written} | {"the terminal": printed.encode()}
    assert [(place, name) for place in held for name in SECRETS if SECRETS[name].encode() in held[place]] == []
    assert "[hidden]" in (held["out.jsonl"].decode() if status == 200 else printed)


def test_what_is_no_secret_is_recorded_as_it_is(tmp_path):
    """The record of a study without secrets in it stays as it was."""
    extra = {"max_tokens": 7, "reasoning": {"effort": "none"}, "stop_token_ids": [1, 2], "seed": 3, "user": "ward 7"}
    with listening() as server:
        entry = ModelEntry(name="openai/m", base_url=f"{server.url}/v1", extra_body=extra, headers={"X-Team": "a1"})
        assert entry.itself().about == {"extra_body": extra, "headers": ["X-Team"]}


def test_a_plug_in_that_repeats_a_key_of_the_environment(tmp_path, monkeypatch):
    """Nothing of it is stored, be it a response, an error or a bug."""
    key = "zz9f3a77c0-of-nobody"
    monkeypatch.setenv("NOBODY_API_KEY", key)

    class Telling(Model):
        name = "nobody/telling"

        async def answer(self, request):
            if not request.images:
                raise (ModelError if "A." in request.text else ValueError)(f"refused {key}")
            return Response(f"Answer: A {key}", served_by=key, reasoning=key)

    models = [FakeModel(lambda request: f"Answer: A {key}", name="nobody/fake"), Telling()]
    how = {"benchmarks": ["phantoms:items=3"], "tests": ["image-needed"], "canary": False}
    progress = Study(models=models, out=tmp_path / "out", **how).ask(lambda progress: None)
    assert not [path for path in (tmp_path / "out").rglob("*") if path.is_file() and key.encode() in path.read_bytes()]
    assert key not in str(progress.errors) + str(progress.unusable)


PASTED = (
    *("sk-proj-9f3a77c0", "gsk_8sK2mQ9vT4xLw7Rb", "AKIAIOSFODNN7EXAMPLE", "AIzaSyD4x9fake7key", "hf_AbCdEfGhIjKlMnOp"),
    *("a key with blanks", "ключ"),
)


@pytest.mark.parametrize("model", ["openai/m", "bedrock/m", "inspect/openai/m"])
@pytest.mark.parametrize("pasted", PASTED[:5])
def test_a_key_in_the_place_of_its_variable_is_not_repeated(monkeypatch, model, pasted):
    """It is said what is wanted; the name of a variable that is not set is named."""
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    with pytest.raises(UnusableModelError, match="looks like a key; expected the NAME of the variable") as told:
        open_model(model, api_key_env=pasted)
    assert pasted not in str(told.value)
    with pytest.raises(UnusableModelError, match="api_key_env names CLINIC_KEY_2, which is not set"):
        open_model(model, api_key_env="CLINIC_KEY_2")


def test_names_of_variables_and_keys_are_told_apart():
    """By their letters, not by where they stand."""
    assert all(each not in describe_unset(each) for each in PASTED)
    for name in ("OPENAI_API_KEY", "WARD_7_TOKEN", "my_key", "KEY2", "AZURE_OPENAI_API_KEY_EU_WEST_1"):
        assert name in describe_unset(name)
    named = ("authorization", "X-API-Key", "apikey", "client_secret", "password", "accessToken", "token", "Credentials")
    assert all(map(is_secret_name, named))
    plain = ("max_tokens", "max_completion_tokens", "tokenizer", "stop_token_ids", "keyboard", "author", "keys", "seed")
    assert not any(map(is_secret_name, plain))


@pytest.mark.parametrize("field", ["base_url", "api_key_env", "extra_body", "headers"])
def test_a_field_of_the_wrong_kind_is_not_quoted(field):
    """A key may stand in it; nor does an entry show it."""
    wrong = {"base_url": [SECRETS["key"]], "api_key_env": [SECRETS["key"]]}.get(field, SECRETS["key"])
    with pytest.raises(StudyError, match=f"expected {field} to be") as told:
        ModelEntry(name="openai/m", **{field: wrong})
    assert SECRETS["key"] not in str(told.value)
    right = {"extra_body": {"a": SECRETS["key"]}, "headers": {"a": SECRETS["key"]}}.get(field, SECRETS["key"])
    assert SECRETS["key"] not in repr(Study(models=[ModelEntry(name="openai/m", **{field: right})]))


def test_an_address_is_shown_without_what_it_hides_through_inspect(monkeypatch):
    """As of every other server."""
    monkeypatch.setenv("OPENAI_API_KEY", SECRETS["key"])
    at = f"http://ward:{SECRETS['user']}@127.0.0.1:9/v1?key={SECRETS['query']}"
    model = open_model("inspect/openai/m", base_url=at)
    assert (model.at, model.address) == ("http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1, through Inspect")
    assert json.dumps(model._mask_secret(at)).count("[hidden]") >= 2
