"""Read server responses in JSON. Fields are read directly; only if that fails is the wrong field searched for.

A field of the wrong type makes the whole response unusable, since other fields may be wrong too. Token counts are an
exception, because they are not part of the answer: impossible ones count as unknown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from snellen.models.base import CUT_OFF, FILTERED, FINISHED, MOST_TOKENS, Response, Usage

Fields = Mapping[str, type[Any] | tuple[type[Any], ...]]
"""Types of a response's fields by path, such as "choices.0.message"."""
NOTHING = type(None)
TEXT = (str, NOTHING)
_HALF_ESCAPED, _HALF = re.compile(rb"\\u[dD][89a-fA-F]"), re.compile("[\ud800-\udfff]")
_NAMES: dict[Any, str] = {dict: "an object", list: "a list", str: "a text", NOTHING: "null"}
_ENDED, _ENDED_BUT_FOR_TOOLS = CUT_OFF | FILTERED | FINISHED, CUT_OFF | FILTERED


def read_reply(content: bytes, kind: str, fields: Fields, read: Callable[[dict[str, Any]], Response]) -> Response:
    """Read a response in JSON; ValueError if it is malformed."""
    reply = load_json(content)
    if reply is None:
        raise ValueError(f"expected {kind}, got no JSON")
    try:
        return read(reply)
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"expected {kind}, but {_describe_wrong_field(reply, fields)}") from error
    except ValueError as error:
        raise ValueError(f"expected {kind}, but {error}") from error


def _describe_wrong_field(reply: Any, fields: Fields) -> str:
    for path, types in {"": dict, **fields}.items():
        value = reply
        for step in filter(None, path.split(".")):
            inside = value[:1] if isinstance(value, list) else [value.get(step)] if isinstance(value, dict) else []
            value = inside[0] if inside else None
        allowed = types if isinstance(types, tuple) else (types,)
        if not isinstance(value, allowed):
            return f"its {path or 'whole'} is not {' or '.join(_NAMES[each] for each in allowed)}"
    return "one of its fields is of another type"


def load_json(content: bytes) -> Any:
    """Return the JSON value, None if invalid; lone surrogates in texts are escaped."""
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
    """Return a value as JSON with lone surrogates escaped."""
    return _HALF.sub(lambda half: f"\\\\u{ord(half[0]):04x}", json.dumps(value, ensure_ascii=False))


def read_texts(*values: Any) -> list[str]:
    """Return values as texts, null as an empty one; TypeError for any other type."""
    texts = []
    for value in values:
        if value is not None and type(value) is not str:
            raise TypeError("expected a text")
        texts.append(value or "")
    return texts


def join_parts(parts: Any) -> str:
    """Return the text of a message, also from a list of parts."""
    if type(parts) is str:
        return parts
    if parts is None:
        return ""
    if type(parts) is not list:
        raise TypeError("expected a text or a list of parts")
    return "".join(read_texts(*[part.get("text") for part in parts if part is not None]))


def read_list(value: Any) -> list[Any]:
    """Return a list, null as an empty one; TypeError for any other type."""
    if value is not None and type(value) is not list:
        raise TypeError("expected a list")
    return value or []


def read_object(value: Any) -> dict[str, Any]:
    """Return an object, null as an empty one; TypeError for any other type."""
    if value is not None and type(value) is not dict:
        raise TypeError("expected an object")
    return value or {}


def count(value: Any) -> int | None:
    """Return a number of tokens, also from text; None if missing or impossible.

    >>> count(7), count("156"), count(None), count(-1), count(7.5), count(True), count([7]), count(2**62)
    (7, 156, None, None, None, None, None, None)
    """
    if type(value) is str and value.isascii() and value.isdigit() and len(value) < 20:
        value = int(value)
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None


def count_tokens(*values: Any) -> Usage:
    """Return the token counts of a response, in the order of `Usage`. Impossible ones are None."""
    for value in values:
        if value is not None and (type(value) is not int or not 0 <= value <= MOST_TOKENS):
            return Usage(*map(count, values))
    return Usage(*values)


def add_counts(*values: Any) -> int | None:
    """Return the sum of token counts; None if all are missing or one is impossible.

    >>> add_counts(7, None, 5), add_counts(None, None), add_counts(7, -5)
    (12, None, None)
    """
    there = [count(value) for value in values if value is not None]
    return None if not there or None in there else count(sum(filter(None, there)))


def as_object(value: Any) -> dict[str, Any]:
    """Return the value if it is an object, else an empty one. So wrong counts or one bad line spoil nothing else."""
    return value if isinstance(value, dict) else {}


def check_words(text: str, finish: str, *, tool_called: bool = False) -> None:
    """Raise ValueError for a response without text, unless its `finish` is a known one."""
    ended = _ENDED_BUT_FOR_TOOLS if tool_called else _ENDED
    if not text.strip() and finish.lower() not in ended:
        held = "a call of a tool, though none was offered" if tool_called else "no text"
        raise ValueError(f"the response holds {held} (it ended with {finish[:40]!r})")


def read_error(content: bytes) -> tuple[str, str]:
    """Return code and message of an error response, in any form."""
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
