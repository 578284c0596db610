"""Text and images of a request, read from plain text or JSON chat messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import orjson

_PICTURES = ("image", "image_url", "input_image", "inline_data", "image_base64")


class ChatPrompt(NamedTuple):
    """Last user text, system text, and whether an image was sent (None if unknown)."""

    text: str
    system: str = ""
    image: bool | None = None


def chat_of(prompt: object) -> ChatPrompt:
    r"""Split a prompt into user text, system text and a note of images.

    >>> chat_of('[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Which?"}]')
    ChatPrompt(text='Which?', system='Be brief.', image=False)
    """
    messages = _messages(prompt)
    if messages is None:
        return ChatPrompt(prompt if isinstance(prompt, str) else "")
    said: dict[str, list[str]] = {"system": [], "user": []}
    image = False
    for message in messages:
        parts = list(_parts(message.get("content", message.get("parts"))))
        words = "\n".join(text for kind, text in parts if kind == "text" and text)
        image = image or any(kind in _PICTURES for kind, _ in parts)
        if (role := str(message.get("role"))) in said and words:
            said[role].append(words)
    return ChatPrompt(said["user"][-1] if said["user"] else "", "\n\n".join(said["system"]), image)


def _messages(prompt: object) -> list[Mapping[str, Any]] | None:
    if isinstance(prompt, str) and prompt.lstrip().startswith("["):
        try:
            prompt = orjson.loads(prompt)
        except orjson.JSONDecodeError:
            return None
    if not isinstance(prompt, list) or not all(isinstance(each, Mapping) and "role" in each for each in prompt):
        return None
    return prompt


def _parts(content: object) -> Iterator[tuple[str, str]]:
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            yield "text", part
        elif isinstance(part, Mapping):
            text = part.get("text")
            kind = part.get("type") or next((name for name in _PICTURES if name in part), "text")
            yield ("text" if kind == "input_text" else str(kind)), text if isinstance(text, str) else ""
