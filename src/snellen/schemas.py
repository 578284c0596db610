"""Schema numbers of our files; a file with a later schema is refused.

A number rises when a name changes its meaning or is removed; new names do not raise it. A file without a number is
older than the numbers and is read.
"""

from __future__ import annotations

import re
from pathlib import Path

from snellen.errors import StoreError

FIELD = "snellen_schema"
"""Field of a row with its schema number; the prefix avoids other tools' field names."""


def later(where: object, found: object, known: int) -> str:
    """Explain why a file's schema is too new; "" if it can be read.

    >>> later("chart.jsonl", 3, 1)
    'chart.jsonl has the schema 3, and this version of snellen reads up to 1. Upgrade snellen to read it.'
    >>> later("chart.jsonl", 1, 1), later("chart.jsonl", None, 1)
    ('', '')
    """
    text = str(found).removesuffix(".0")
    if not (text.isascii() and text.isdecimal()) or int(text) <= known:
        return ""
    return (
        f"{where} has the schema {text:.20}, and this version of snellen reads up to {known}. Upgrade snellen to read "
        "it."
    )


_FIRST = re.compile(rb'\s*\{\s*"schema"\s*:\s*([0-9]{1,20})\b')


def check_replaceable(path: Path, known: int) -> None:
    """Raise StoreError if a file has a later schema than we know."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        named = _FIRST.match(file.read(100))
    if named and int(named[1]) > known:
        raise StoreError(
            f"{path} was written by a later version of snellen (schema {int(named[1])}; this version writes {known}). "
            "Upgrade snellen, or move that file away."
        )
