"""Schemas: what is written and read again names its form by a number, and a later form is refused in one sentence.

A number rises when a name changes its meaning or goes; new names may come without it. What names none was written
before there were numbers, and is read.
"""

from __future__ import annotations

FIELD = "snellen_schema"
"""The name of the number in rows that may stand among other people's."""


def later(where: object, found: object, known: int) -> str:
    """Why a form cannot be read; nothing where it can.

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
