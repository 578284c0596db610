"""JSON files and chat messages of other tools, read with limits."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from snellen.benchmarks.rows import TOO_DEEP, is_too_deep
from snellen.errors import DataError
from snellen.models.base import MOST_TOKENS
from snellen.models.client.replies import dump_halves
from snellen.prompts import Settings
from snellen.unpacking import read_json_bytes

LARGEST = 4_000_000_000
_SAID = (str, int, float)
_DIGITS = 19
"""Whole numbers with this many digits may need more than 64 bits."""


def document(path: Path, *, largest: int = LARGEST) -> Mapping[str, Any]:
    """Read a JSON file with an object, also gzipped; DataError if invalid or too large."""
    try:
        if (size := path.stat().st_size) > largest:
            raise DataError(f"{path.name} has {size:,} bytes, at most {largest:,} are read.")
        data = read_json_bytes(path)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path.name} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    try:
        found = parse_json(data)
    except DataError as error:
        raise DataError(f"{path.name} cannot be read: {error}.") from error
    if not isinstance(found, dict):
        raise DataError(f"{path.name}: expected a JSON object, got {type(found).__name__}.")
    return found


def parse_json(data: bytes | bytearray) -> Any:
    r"""Parse JSON, also with common deviations from the standard.

    NaN and Infinity are numbers. A lone surrogate (half a character), which no file can hold, becomes its escape code.
    A whole number beyond 64 bits becomes a float.

    >>> parse_json(b'[NaN, "a\\ud83d", 1e999, 1%s]' % (b"0" * 20))
    [nan, 'a\\ud83d', inf, 1e+20]
    """
    try:
        found = orjson.loads(data)
    except orjson.JSONDecodeError:
        try:
            text = data.decode(json.detect_encoding(data))
            found = json.loads(text, parse_int=lambda digits: int(digits) if len(digits) < _DIGITS else float(digits))
            if "\\u" in text:
                found = json.loads(dump_halves(found))
        except (ValueError, RecursionError) as error:
            raise DataError(f"it is not JSON ({error})") from error
    if is_too_deep(data, found):
        raise DataError(TOO_DEEP)
    return found


def as_object(value: object) -> Mapping[str, Any]:
    """Return the value if it is an object, else an empty object."""
    if type(value) is dict:
        return value
    return value if value is not None and isinstance(value, Mapping) else {}


def objects(value: object) -> list[Mapping[str, Any]]:
    """Return the objects in a list; empty if the value is not a list."""
    if not isinstance(value, list):
        return []
    return [each for each in value if type(each) is dict or isinstance(each, Mapping)]


def count(value: object) -> int | None:
    """Return a plausible number of tokens; None for anything else."""
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None


def settings_from(generation: Mapping[str, Any]) -> Settings:
    """Read temperature, top_p and token limit; unreadable values count as unset."""
    tokens = next(
        (generation[key] for key in ("max_gen_toks", "max_new_tokens", "max_tokens") if key in generation), None
    )
    said = (generation.get("temperature"), generation.get("top_p"), tokens)
    return _settings(*[value if isinstance(value, _SAID) else None for value in said])


@lru_cache(maxsize=4096, typed=True)
def _settings(*said: str | float | None) -> Settings:
    temperature, top_p, limit = map(_read_number, said)
    return Settings(temperature=temperature, top_p=top_p, max_tokens=None if limit is None else count(int(limit)))


def _read_number(value: object) -> float | None:
    try:
        found = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return found if isfinite(found) and found >= 0 and not isinstance(value, bool) else None


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
