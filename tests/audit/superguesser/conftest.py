"""A tiny language model, saved once."""

from importlib.util import find_spec

import pytest

from tiny_model import save_tiny_model


@pytest.fixture(scope="session")
def saved(tmp_path_factory):
    """The folder of the tiny model, its tokenizer and its words."""
    for package in ("torch", "transformers", "peft"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed: make test installs it")
    return save_tiny_model(tmp_path_factory.mktemp("tiny-model"))
