"""A tiny language model, saved once."""

import pytest

from tiny_model import save_tiny_model


@pytest.fixture(scope="session")
def saved(tmp_path_factory):
    """The folder of the tiny model, its tokenizer and its words."""
    return save_tiny_model(tmp_path_factory.mktemp("tiny-model"))
