"""Document: a JSON file that a tool wrote, read whole; and its values, taken with care."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import Any

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
"""Digits of a whole number that may have more than 64 bits."""


def document(path: Path, *, largest: int = LARGEST) -> Mapping[str, Any]:
    """The object that a file holds, also gzipped; DataError where it is too large or no JSON."""
    try:
        if (size := path.stat().st_size) > largest:
            raise DataError(f"{path.name} has {size:,} bytes, at most {largest:,} are read.")
        data = read_json_bytes(path)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path.name} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    try:
        found = loaded(data)
    except DataError as error:
        raise DataError(f"{path.name} cannot be read: {error}.") from error
    if not isinstance(found, dict):
        raise DataError(f"{path.name}: expected a JSON object, got {type(found).__name__}.")
    return found


def loaded(data: bytes | bytearray) -> Any:
    r"""The value that JSON holds, also with what some tools write and JSON does not have.

    NaN and Infinity are numbers. Half a character (a lone surrogate), which no file can hold, is written out as text.
    A whole number beyond 64 bits is a float.

    >>> loaded(b'[NaN, "a\\ud83d", 1e999, 1%s]' % (b"0" * 20))
    [nan, 'a\\ud83d', inf, 1e+20]
    """
    try:
        found = orjson.loads(data)
    except orjson.JSONDecodeError:
        try:
            text = data.decode(json.detect_encoding(data))
            found = json.loads(text, parse_int=_number)
            if "\\u" in text:
                found = json.loads(dump_halves(found))
        except (ValueError, RecursionError) as error:
            raise DataError(f"it is not JSON ({error})") from error
    if is_too_deep(data, found):
        raise DataError(TOO_DEEP)
    return found


def _number(digits: str) -> int | float:
    return int(digits) if len(digits) < _DIGITS else float(digits)


def as_object(value: object) -> Mapping[str, Any]:
    """The value where it is an object, and an empty one where it is not."""
    if type(value) is dict:
        return value
    return value if value is not None and isinstance(value, Mapping) else {}


def objects(value: object) -> list[Mapping[str, Any]]:
    """The objects of a list; none where it is no list."""
    if not isinstance(value, list):
        return []
    return [each for each in value if type(each) is dict or isinstance(each, Mapping)]


def count(value: object) -> int | None:
    """A number of tokens; None for anything else, and for more than a response can have."""
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None


def settings_from(generation: Mapping[str, Any]) -> Settings:
    """The settings that we know, as they were asked for; what cannot be read counts as not said."""
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
