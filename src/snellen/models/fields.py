"""Fields of a reply: each of the type that it must have, or a ValueError that says which one is wrong.

A field of the wrong type makes the whole reply unusable: nobody knows what else in it is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import orjson

from snellen.models.base import CUT_OFF, FILTERED, FINISHED, Response, is_count

_NAMES: dict[type[Any], str] = {dict: "an object", list: "a list", str: "a text"}


def read_reply(content: bytes, kind: str, read: Callable[[dict[str, Any]], Response]) -> Response:
    """What a reader makes of a reply in JSON; `kind` is what was expected, as in "a chat completion"."""
    try:
        reply = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise ValueError(f"expected {kind}, got no JSON") from error
    try:
        return read(needed(dict, "whole", reply))
    except ValueError as error:
        raise ValueError(f"expected {kind}, but {error}") from error


def needed(kind: type[Any], field: str, value: Any) -> Any:
    """The value, of this type."""
    return value if isinstance(value, kind) else _wrong(field, _NAMES[kind])


def optional(kind: type[Any], field: str, value: Any) -> Any:
    """The value, of this type or null."""
    return None if value is None else needed(kind, field, value)


def count(field: str, value: Any) -> int | None:
    """A number of tokens, also one that is written as a text; None where there is none.

    >>> count("tokens", 7), count("tokens", "156"), count("tokens", None)
    (7, 156, None)
    """
    number = int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20 else value
    if not is_count(number):
        _wrong(field, "a whole number of tokens")
    return number


def total(field: str, counts: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    """The sum of several numbers of tokens, of which the first must be there.

    >>> total("usage", {"input": 7, "cached": 5}, ("input", "cached", "written"))
    12
    """
    first, *more = (count(f"{field}.{name}", counts.get(name)) for name in names)
    return None if first is None else first + sum(filter(None, more))


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
    try:
        reply = orjson.loads(content)
    except orjson.JSONDecodeError:
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
