"""Whose model it is."""

import pytest

from snellen.judging.provider import provider_of


@pytest.mark.parametrize(
    ("model", "who"),
    [
        ("openai/gpt-4o", "openai"),
        ("azure/gpt-4o", "openai"),
        ("openrouter/anthropic/claude-sonnet", "anthropic"),
        ("openai/Qwen2.5-VL", "alibaba"),
        ("google/medgemma-27b", "google"),
        ("vllm/llama-3", "meta"),
        ("local/own", "local"),
        ("own", "own"),
    ],
)
def test_the_family_in_the_name_tells_more_than_the_server(model, who):
    """Whoever serves it."""
    assert provider_of(model) == who
