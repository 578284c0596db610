"""Models: one module per backend. A wrapper holds another model and adds one thing to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from snellen.errors import PluginError, StudyError
from snellen.plugins import create_member, did_you_mean, find, names, read_settings, setting_names

if TYPE_CHECKING:
    from snellen.models.base import Model

__all__ = [
    "MEMBERS", "base", "batching", "chat", "client", "entry", "fake", "image_tokens", "inspect_ai", "ocr", "open_model",
    "organisms", "prices", "replicated", "request_tokens", "secrets",
]  # fmt: skip

MEMBERS = {
    "anthropic": "snellen.models.anthropic:Anthropic",
    "azure": "snellen.models.openai:Azure",
    "bedrock": "snellen.models.bedrock:Bedrock",
    "cerebras": "snellen.models.openai:cerebras",
    "clip": "snellen.models.clip:open_clip_line",
    "dashscope": "snellen.models.openai:dashscope",
    "deepinfra": "snellen.models.openai:deepinfra",
    "deepseek": "snellen.models.openai:deepseek",
    "fireworks": "snellen.models.openai:fireworks",
    "google": "snellen.models.google:Google",
    "groq": "snellen.models.openai:groq",
    "hf": "snellen.models.hf:open_hf",
    "huggingface": "snellen.models.openai:huggingface",
    "inspect": "snellen.models.inspect_ai:Inspect",
    "llama-cpp": "snellen.models.openai:llama_cpp",
    "lmstudio": "snellen.models.openai:lmstudio",
    "mistral": "snellen.models.openai:mistral",
    "moonshot": "snellen.models.openai:moonshot",
    "nebius": "snellen.models.openai:nebius",
    "nvidia": "snellen.models.openai:nvidia",
    "ocr": "snellen.models.ocr:OCR",
    "ollama": "snellen.models.openai:ollama",
    "openai": "snellen.models.openai:OpenAI",
    "openai-responses": "snellen.models.openai:OpenAIResponses",
    "openrouter": "snellen.models.openai:openrouter",
    "organism": "snellen.models.organisms:open_organism",
    "sglang": "snellen.models.openai:sglang",
    "together": "snellen.models.openai:together",
    "vertex": "snellen.models.google:Vertex",
    "vllm": "snellen.models.vllm:open_vllm",
    "xai": "snellen.models.openai:xai",
}

_ALSO_CALLED = {
    **{"gemini": "google", "vertexai": "vertex", "vertex_ai": "vertex", "gpt": "openai", "claude": "anthropic"},
    **{"aws": "bedrock", "amazon": "bedrock", "grok": "xai", "kimi": "moonshot", "qwen": "dashscope"},
    **{"transformers": "hf", "llama": "llama-cpp", "lm-studio": "lmstudio"},
}
"""Other names for providers, and names of models that they are known for."""


def open_model(spec: str, *, timeout: float | None = None, **settings: Any) -> Model:
    """Open the model that is named provider/model. `timeout`, in seconds, overrides the model's own.

    A plug-in's settings follow after commas, as in `cautious/yes,ratio=9`; they are passed to it as keyword arguments.
    """
    from snellen.models.base import Model  # reading only the address of a server must load no model
    from snellen.models.fake import name_revision

    provider, _, model = spec.partition("/")
    if not provider.strip() or not model.strip():
        raise StudyError(f"A model is named provider/model, as in openai/gpt-5 or organism/blind. Got {spec!r}.")
    if provider not in (known := names("models", MEMBERS)):
        raise PluginError(_unknown(provider, known))
    failure = f"The model {spec!r} cannot be opened"
    member = find("models", MEMBERS, provider)
    bare, named = ([model], {}) if provider in MEMBERS else _read_line(member, model, failure)
    opened = create_member(member, *bare, failure=failure, **{**named, **settings})
    if not isinstance(opened, Model):
        raise PluginError(f"{failure}: expected the plug-in to give a Model, got {type(opened).__name__}.")
    if len(bare) + len(named) > 1:
        opened.name = spec
    if timeout is not None:
        opened.timeout = timeout
    return name_revision(opened)


def _read_line(member: Callable[..., Any], line: str, failure: str) -> tuple[list[Any], dict[str, Any]]:
    """Split a plug-in's `yes,ratio=9` into model and settings; otherwise keep the whole text."""
    taken = setting_names(member)
    if "," not in line or len(taken) < 2:
        return [line], {}
    bare, named = read_settings(member, line, failure=failure)
    return [line.partition(",")[0], *bare[1:]], named


def _unknown(provider: str, known: Sequence[str]) -> str:
    """Return the message for an unknown provider: the nearest name, and how to reach its models."""
    meant = _ALSO_CALLED.get(provider.lower(), "")
    hint = f" Did you mean {meant!r}?" if meant in known else did_you_mean(provider.lower(), known)
    ways = ["openrouter/VENDOR/MODEL", *(["inspect/PROVIDER/MODEL"] if "inspect" in known else [])]
    return (
        f"There is no provider {provider!r} of models.{hint} There are: {', '.join(known)}. Others are reached through "
        f"a gateway ({' or '.join(ways)}), or as openai/MODEL with the address of a server that speaks OpenAI's chat "
        "completions: base_url in [[models]], or OPENAI_BASE_URL."
    )
