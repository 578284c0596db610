"""Shapes: the expected form of stored records, so that a damaged store is refused.

A type or union of types means a value of that type. [x] is a list of x, and (x, y) a list of exactly these two. An
object with values x is {str: x}. An object with a field a and perhaps a field b is {"a": x, "b?": y}.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import UnionType
from typing import Any, TypeVar, get_type_hints

import orjson

from snellen.errors import StoreError

Made = TypeVar("Made")
_WORDS: dict[Any, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "an object",
}
_NUMBER = int | float
_ROWS = [(str, str, str)]
STUDY: Any = {
    "name?": str, "schema?": _NUMBER, "created?": str, "models?": [(str, str)], "benchmarks?": {str: str},
    "sources?": {str: {"about?": dict, "broken?": _ROWS}}, "tests?": [str], "arms?": {str: {str: str}},
    "seed?": int | None, "epochs?": int | None, "epochs_of?": {str: int | None}, "limit?": int | None,
    "limit_of?": {str: int | None}, "repeated?": {str: {"arms": [str], "items": [int]}}, "prompt?": str,
    "prompt_words?": {str: str}, "examples?": [str], "settings?": dict,
    "settings_not_sent?": {str: dict}, "parser?": str, "reader?": str, "beside?": [str], "text_only?": [str],
    "groups?": {str: [str]}, "image_side?": int, "asked_as?": {str: dict}, "until_settled?": [str],
    "thresholds?": {str: _NUMBER}, "prices?": {str: dict | None}, "batch_prices?": {str: dict | None},
    "contradictions?": {str: [str]}, "left_out?": _ROWS, "imported?": list,
}  # fmt: skip
"""Shape of a study's record. Fields that no command reads may have any form."""
ARM: Any = {"condition?": str, "prompt?": {str: object}, "settings?": dict, "kinds?": [str], "read?": str}
"""Shape of an arm of a study or of a judge."""
_WORDING: Any = {"name?": str, "user?": str, "system?": str, "translations?": {str: str}}
ASKED_ARM: Any = {
    "condition": str, "prompt": {**_WORDING, "name": str, "tasks?": {str: {**_WORDING, "tasks?": {str: _WORDING}}}},
    "settings": dict,
}  # fmt: skip
"""Shape of an arm with its full prompt and settings, for reports and exports."""
PRICE: Any = {"input": float, "output": float, "source?": str, "tiers?": [(int, float, float)]}
"""Shape of a price in a study's record."""
DRAWN: Any = {"lent_by?": str, "shades?": [str], "without_columns?": [str], "measured?": [{str: int | float | None}]}
"""Shape of the values that a condition drew or measured for an item. Fields that are not read are left out."""


def check_record(value: Any, shape: Any, what: str) -> Any:
    """Return the value if it has the shape; otherwise raise StoreError."""
    if misfit := next(_find_misfits(value, shape, ""), ""):
        raise not_as_stored(what, misfit)
    return value


def read_record(text: str, shape: Any, what: str) -> Any:
    """Parse JSON and return its value if it has the shape; otherwise raise StoreError."""
    try:
        return check_record(orjson.loads(text), shape, what)
    except orjson.JSONDecodeError as error:
        raise not_as_stored(what, f"it is not JSON: {error}") from error


def make_record(kind: type[Made], fields: Any, what: str) -> Made:
    """Make a record of class `kind` from fields of its declared types; otherwise raise StoreError."""
    hints = get_type_hints(kind)
    check_record(fields, {f"{name}?": hint for name, hint in hints.items()}, what)
    try:
        return kind(**{name: value for name, value in fields.items() if name in hints})
    except TypeError as error:  # a field without a default is missing
        raise not_as_stored(what, str(error)) from error


def not_as_stored(what: str, why: str) -> StoreError:
    """Return the error for a record that Snellen cannot have written."""
    return StoreError(
        f"The store is damaged: {what} in it has changed or cannot be read ({why}). "
        "Restore it from a copy, or run the study with another --out."
    )


def _find_misfits(value: Any, shape: Any, at: str) -> Iterator[str]:
    """Yield a description and the place of every value that does not have its shape.

    >>> list(_find_misfits({"models": [["m", 1]]}, {"models": [(str, str)]}, ""))
    ['models[0][1] is 1, expected a text']
    """
    if isinstance(shape, type | UnionType):
        shape = _NUMBER if shape is float else shape
        if not isinstance(value, shape) or (isinstance(value, bool) and shape is int):
            yield f"{at or 'it'} is {_show(value)}, expected {_WORDS.get(shape, 'another type')}"
    elif isinstance(shape, list | tuple):
        if not isinstance(value, list) or (isinstance(shape, tuple) and len(value) != len(shape)):
            yield f"{at or 'it'} is {_show(value)}, expected a list"
            return
        if isinstance(shape, list) and isinstance(shape[0], type) and {*map(type, value)} <= {shape[0]}:
            return
        for place, each in enumerate(value):
            yield from _find_misfits(each, shape[0 if isinstance(shape, list) else place], f"{at}[{place}]")
    elif not isinstance(value, dict):
        yield f"{at or 'it'} is {_show(value)}, expected an object"
    elif shape.get(str) is object:
        return
    elif str in shape:
        for name, each in value.items():
            yield from _find_misfits(each, shape[str], f"{at}.{name}".lstrip("."))
    else:
        for named, part in shape.items():
            name = named.removesuffix("?")
            if name in value:
                yield from _find_misfits(value[name], part, f"{at}.{name}".lstrip("."))
            elif name == named:
                yield f"{at or 'it'} has no {name}"


def _show(value: Any) -> str:
    shown = repr(value)
    return f"{shown[:60]}…" if len(shown) > 60 else shown
