"""Makers of models, to warn if a judge grades models of its own maker."""

from __future__ import annotations

import re

FAMILIES = {
    "openai": r"gpt|chatgpt|\bo[134]\b",
    "anthropic": r"claude",
    "google": r"gemini|gemma|palm|bard",
    "meta": r"llama",
    "alibaba": r"qwen|qwq|qvq",
    "mistral": r"mistral|mixtral|pixtral|magistral",
    "deepseek": r"deepseek",
    "zhipu": r"glm",
    "microsoft": r"\bphi-?\d",
    "xai": r"grok",
}
_FAMILY = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in FAMILIES.items()}


def provider_of(model: str) -> str:
    """Return the maker of a model by its name. Many servers offer other makers' models.

    >>> provider_of("openai/gpt-5"), provider_of("azure/gpt-4o"), provider_of("vllm/Qwen2.5-VL-7B"), provider_of("a/b")
    ('openai', 'openai', 'alibaba', 'a')
    """
    where, _, name = model.rpartition("/")
    return next((family for family, pattern in _FAMILY.items() if pattern.search(name)), where or name)
