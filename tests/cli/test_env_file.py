"""The file .env: a folder from elsewhere hands in keys and numbers; it allows nothing and names no address."""

import io
import os
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from unittest.mock import patch

import pytest

from listener import listening
from snellen.cli import main
from snellen.cli.env_file import load_env_file
from snellen.models.client.address import FROM_FILE, UNREAD

KEY = "sk-of-the-user-9f3a77c0"
EXAM = "exam --model openai/m --benchmark phantoms:items=2 --tests image-needed --no-canary --out out"


@pytest.fixture(autouse=True)
def forgotten():
    """No test after these knows of their files."""
    yield
    FROM_FILE.clear()
    UNREAD.clear()


def run(folder, line, **environment):
    """What a command prints in a folder without a terminal, and how it ends."""
    printed, ended = io.StringIO(), 0
    with (
        chdir(folder), redirect_stdout(printed), redirect_stderr(printed), patch.object(sys, "stdin", io.StringIO()),
        patch.dict(os.environ, environment), patch.object(sys, "argv", ["snellen", *line.split()]),
    ):  # fmt: skip
        try:
            main()
        except SystemExit as end:
            ended = end.code
    return " ".join(printed.getvalue().split()), ended


@pytest.mark.parametrize("variable", ["OPENAI_BASE_URL", "SNELLEN_BASE_URL", "http_proxy"])
def test_a_downloaded_folder_receives_neither_the_key_nor_an_image(tmp_path, variable):
    """Whatever address its .env names, and though it says yes; what is not read is said."""
    with listening() as elsewhere:
        (tmp_path / ".env").write_text(f"{variable}={elsewhere.url}\nSNELLEN_YES=1\n")
        own = {"OPENAI_API_KEY": KEY, "HTTPS_PROXY": "http://127.0.0.1:9"}
        said, status = run(tmp_path, EXAM, **own)
    assert (elsewhere.heard, status) == ([], 1)
    assert f"{variable}" in said
    assert "are not read" in said
    assert KEY not in said


def test_a_model_is_not_asked_elsewhere_where_its_address_is_not_read(tmp_path):
    """An address that was meant and is not read is no reason to send the questions to the provider itself."""
    (tmp_path / ".env").write_text("OPENAI_BASE_URL=http://127.0.0.1:9/v1\nOPENAI_API_KEY=k\n")
    said, status = run(tmp_path, f"{EXAM} --yes")
    assert status == 1
    assert "Snellen reads no address from .env, and OPENAI_BASE_URL is only there" in said


def test_consent_is_given_on_the_command_line_alone(tmp_path):
    """Neither .env nor a variable of the shell says yes; the address of the shell counts."""
    with listening() as far:
        (tmp_path / ".env").write_text(f"SNELLEN_YES=1\nOPENAI_API_KEY={KEY}\n")
        shell = {"http_proxy": far.url, "OPENAI_BASE_URL": "http://far.example/v1", "SNELLEN_YES": "1"}
        said, status = run(tmp_path, EXAM, **shell)
        assert (far.heard, status) == ([], 1)
        assert "to far.example (openai/m, key from .env): 2 images" in said
        assert "Nothing was sent. Allow it with --yes" in said
        _, status = run(tmp_path, f"{EXAM} --yes", **shell)
        assert status == 0
    assert far.heard
    assert all(f"Bearer {KEY}" in each for each in far.heard)


KEYS = {"OPENAI_API_KEY": "a", "HF_TOKEN": "b", "AWS_ACCESS_KEY_ID": "c", "AWS_SECRET_ACCESS_KEY": "d", "WARD_KEY": "e"}
NUMBERS = {
    "SNELLEN_EXAM_LIMIT": "3",
    "SNELLEN_RUN_BUDGET": "5",
    "SNELLEN_TIMEOUT": "20",
    "SNELLEN_BENCHMARK_SHOW_SEED": "7",
}
OTHERS = (
    *(
        "SNELLEN_EXAM_YES",
        "SNELLEN_EXAM_BASE_URL",
        "SNELLEN_GUARD_KEY",
        "SNELLEN_REVIEW_INSECURE",
        "SNELLEN_EXAM_MODEL",
    ),
    *("SNELLEN_YES", "SNELLEN_BASE_URL", "SNELLEN_RADEVAL", "SNELLEN_ON", "SNELLEN_SYSTEM", "SNELLEN_KEY"),
    *("SNELLEN_PASS_KEY", "SNELLEN_INSECURE", "SNELLEN_RATE", "HTTPS_PROXY", "ALL_PROXY", "OPENAI_BASE_URL"),
    *("AZURE_OPENAI_ENDPOINT", "AWS_REGION", "AWS_CONFIG_FILE", "GOOGLE_APPLICATION_CREDENTIALS", "HF_ENDPOINT"),
    *("XDG_CONFIG_HOME", "HOME", "SSL_CERT_FILE", "PYTHONPATH", "LD_PRELOAD", "GOOGLE_CLOUD_PROJECT", "RAY_ADDRESS"),
)


def test_keys_and_numbers_are_read_and_nothing_else(tmp_path):
    """What is left out is returned by name; what the shell sets wins."""
    lines = {**KEYS, **NUMBERS, **dict.fromkeys(OTHERS, "x"), "COPIED_KEY": "${SECRET}", "GROQ_API_KEY": "of the file"}
    (tmp_path / ".env").write_text("".join(f"{name}={value}\n" for name, value in lines.items()))
    with patch.dict(os.environ, {"SECRET": "s", "GROQ_API_KEY": "of the shell"}):
        for name in (*KEYS, *NUMBERS, *OTHERS):
            os.environ.pop(name, None)
        before = dict(os.environ)
        unread = load_env_file(tmp_path / ".env")
        assert dict(os.environ) == {**before, **KEYS, **NUMBERS}
    assert sorted(unread) == sorted((*OTHERS, "COPIED_KEY"))


@pytest.mark.parametrize("data", [b"A_KEY=\xff\nOPENAI_API_KEY=k", b"A_KEY='a\0b'\n", b"=\n'\n\xef\xbb\xbf", None])
def test_an_odd_file_is_no_traceback(tmp_path, data):
    """Nor is one that never ends."""
    if data is None:
        os.mkfifo(tmp_path / ".env")
    else:
        (tmp_path / ".env").write_bytes(data)
    assert run(tmp_path, "list prompts")[1] == 0
