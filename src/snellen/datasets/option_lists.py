"""Option lists as exams print them: a list written as text, and options that begin with their own letters."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from snellen.datasets.answers import as_text
from snellen.errors import DataError
from snellen.items import LETTERS

_LABELLED = re.compile(r"\(?([A-Z])[.:)]\s*(.*)", re.DOTALL)


def listed(value: object, what: str) -> list[str]:
    """A list of texts, also where it is written down as Python writes one; nothing is an empty list.

    >>> listed("['Left', 'Right']", "options"), listed(None, "options")
    (['Left', 'Right'], [])
    """
    if isinstance(value, str):
        text = value
        try:
            value = ast.literal_eval(text.strip() or "[]")
        except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
            raise DataError(f"its {what} are {text[:80]!r}, expected a list such as ['Left', 'Right']") from error
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        raise DataError(f"its {what} are {value!r}, expected a list")
    return [as_text(each, f"one of its {what}") for each in value]


def without_letters(options: Sequence[str]) -> list[str]:
    """Options without the letters they begin with, where all of them begin with their own.

    >>> without_letters(["A. Left", "B. Right"]), without_letters(["A. Left", "Right"])
    (['Left', 'Right'], ['A. Left', 'Right'])
    """
    found = [_LABELLED.fullmatch(option.strip()) for option in options]
    if not all(each and each[1] == letter and each[2].strip() for each, letter in zip(found, LETTERS, strict=False)):
        return list(options)
    return [each[2].strip() for each in found if each]
