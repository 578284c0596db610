"""Fields of a reply: each of the type that it must have, or a ValueError that says which one is wrong.

A field of the wrong type makes the whole reply unusable: nobody knows what else in it is wrong. Only counts of tokens
are no part of what was said: those that cannot be are unknown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

import orjson

from snellen.models.base import CUT_OFF, FILTERED, FINISHED, Response, is_count

_HALF_ESCAPED, _HALF = re.compile(rb"\\u[dD][89a-fA-F]"), re.compile("[\ud800-\udfff]")
_NAMES: dict[type[Any], str] = {dict: "an object", list: "a list", str: "a text"}


def read_reply(content: bytes, kind: str, read: Callable[[dict[str, Any]], Response]) -> Response:
    """What a reader makes of a reply in JSON; `kind` is what was expected, as in "a chat completion"."""
    reply = load_json(content)
    if reply is None:
        raise ValueError(f"expected {kind}, got no JSON")
    try:
        return read(needed(dict, "whole", reply))
    except ValueError as error:
        raise ValueError(f"expected {kind}, but {error}") from error


def load_json(content: bytes) -> Any:
    """The value in JSON, None where it is none; half a character (a lone surrogate) in a text is written out."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        if not _HALF_ESCAPED.search(content):
            return None
    try:
        return orjson.loads(dump_halves(json.loads(content)))
    except (ValueError, RecursionError):
        return None


def dump_halves(value: Any) -> str:
    """A value as JSON in which every half of a character is written out as text."""
    return _HALF.sub(lambda half: f"\\\\u{ord(half[0]):04x}", json.dumps(value, ensure_ascii=False))


def needed(kind: type[Any], field: str, value: Any) -> Any:
    """The value, of this type."""
    return value if isinstance(value, kind) else _wrong(field, _NAMES[kind])


def optional(kind: type[Any], field: str, value: Any) -> Any:
    """The value, of this type or null."""
    return None if value is None else needed(kind, field, value)


def count(value: Any) -> int | None:
    """A number of tokens, also one that is written as a text; None where there is none, or none that can be.

    >>> count(7), count("156"), count(None), count(-1), count(7.5), count(True), count([7]), count(2**62)
    (7, 156, None, None, None, None, None, None)
    """
    number = int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20 else value
    return number if is_count(number) else None


def add_counts(values: Iterable[Any]) -> int | None:
    """The sum of several numbers of tokens; None where all are missing, or one cannot be.

    >>> add_counts((7, None, 5)), add_counts((None, None)), add_counts((7, -5))
    (12, None, None)
    """
    there = [count(value) for value in values if value is not None]
    return None if not there or None in there else count(sum(filter(None, there)))


def counts(value: Any) -> Mapping[str, Any]:
    """The counts of a reply by name; none where they are no object."""
    return value if isinstance(value, dict) else {}


def words(field: str, value: Any) -> str:
    """Text as a string, as a list of parts of which those with text count, or as nothing."""
    if not isinstance(value, list):
        return optional(str, field, value) or ""
    parts = [optional(dict, f"{field}[{at}]", part) or {} for at, part in enumerate(value)]
    return "".join(optional(str, f"{field}[{at}].text", part.get("text")) or "" for at, part in enumerate(parts))


def check_words(text: str, finish: str, *, tool_called: bool = False) -> None:
    """Raise for a reply without words, unless the provider says how it ended: an empty reply is a reply."""
    ended = CUT_OFF | FILTERED if tool_called else CUT_OFF | FILTERED | FINISHED
    if not text.strip() and finish.lower() not in ended:
        held = "a call of a tool, though none was offered" if tool_called else "no text"
        raise ValueError(f"it holds {held} (it ended with {finish[:40]!r})")


def error_said(content: bytes) -> tuple[str, str]:
    """Code and message of an error reply, whatever its shape."""
    raw = content[:10_000].decode(errors="replace")
    reply = load_json(content)
    if reply is None:
        return "", raw
    if isinstance(reply, list) and reply:
        reply = reply[0]
    error = reply.get("error", reply) if isinstance(reply, dict) else reply
    if not isinstance(error, Mapping):
        return "", error if isinstance(error, str) else raw
    codes = (error.get(name) for name in ("code", "status", "type"))
    message = error.get("message")
    return next((code for code in codes if isinstance(code, str) and code), ""), (
        message if isinstance(message, str) and message else raw
    )


def _wrong(field: str, expected: str) -> NoReturn:
    raise ValueError(f"its {field} is not {expected}")
