"""Every test starts without the settings and keys of whoever runs it."""

import os

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
