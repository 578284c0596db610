"""Models: one file a backend; wrappers hold another model and add one thing."""

from __future__ import annotations

from typing import Any

from snellen.errors import PluginError, StudyError
from snellen.models.base import Model
from snellen.plugins import find, made

MEMBERS = {
    "anthropic": "snellen.models.anthropic:Anthropic",
    "bedrock": "snellen.models.bedrock:Bedrock",
    "clip": "snellen.models.clip:open_clip_line",
    "ocr": "snellen.models.ocr:OCR",
    "openai": "snellen.models.openai:OpenAI",
    "organism": "snellen.models.organisms:open_organism",
}


def open_model(spec: str, *, timeout: float | None = None, **settings: Any) -> Model:
    """The model a line names: provider/model. `timeout`, in seconds, takes the place of its own."""
    provider, _, model = spec.partition("/")
    if not provider.strip() or not model.strip():
        raise StudyError(f"A model is named provider/model, as in openai/gpt-5 or organism/blind. Got {spec!r}.")
    failure = f"The model {spec!r} cannot be opened"
    opened = made(find("models", MEMBERS, provider), model, failure=failure, **settings)
    if not isinstance(opened, Model):
        raise PluginError(f"{failure}: expected the plug-in to give a Model, got {type(opened).__name__}.")
    if timeout is not None:
        opened.timeout = timeout
    return opened
