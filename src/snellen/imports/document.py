"""Document: a JSON file that a tool wrote, read whole; and its values, taken with care."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from snellen.errors import DataError
from snellen.models.base import is_count

LARGEST = 4_000_000_000


def document(path: Path, *, largest: int = LARGEST) -> Mapping[str, Any]:
    """The object that a file holds, also gzipped; DataError where it is too large or no JSON."""
    try:
        if (size := path.stat().st_size) > largest:
            raise DataError(f"{path.name} has {size:,} bytes, at most {largest:,} are read.")
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path.name} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    try:
        found = loaded(data)
    except DataError as error:
        raise DataError(f"{path.name} cannot be read: {error}.") from error
    if not isinstance(found, dict):
        raise DataError(f"{path.name}: expected a JSON object, got {type(found).__name__}.")
    return found


def loaded(data: bytes) -> Any:
    """The value that JSON holds; tools also write NaN and Infinity, which JSON does not have."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise DataError(f"it is not JSON ({error})") from error


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
    return value if type(value) is int and is_count(value) else None
