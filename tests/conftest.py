"""Every test starts without the settings and keys of whoever runs it; one server of organisms serves them all."""

import os
import re
import subprocess
import sys

import hypothesis
import pytest


@pytest.fixture(autouse=True)
def clean_environ(monkeypatch):
    """No key, no endpoint, no SNELLEN_ setting, no proxy from outside reaches a test."""
    for name in list(os.environ):
        if name.startswith(("SNELLEN_", "OPENAI_")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


hypothesis.settings.register_profile("ours", deadline=None, derandomize="CI" in os.environ)
hypothesis.settings.load_profile("ours")


@pytest.fixture(scope="session")
def served():
    """The address of `snellen serve`, in a process of its own."""
    command = [sys.executable, "-u", "-m", "snellen", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:\d+/v1", line):
                break
        yield found.group()
        process.terminate()
