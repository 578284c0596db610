"""Invented details: the names, dates, numbers, places and urgent diagnoses that a response says it read off an image.

What it finds is told masked: nothing outside the stored response repeats a detail.
"""

from __future__ import annotations

from snellen.reading.invented.columns import inventions
from snellen.reading.invented.parser import DETAIL_KINDS, read_invented
from snellen.reading.parsers import Parser

INVENTED = Parser(
    name="invented",
    kind="invented",
    source="Our own, for questions about an image that was never sent; English",
    about="which details of persons, documents and things a response states that its question did not: names, dates, "
    "numbers, places, institutions, ages, amounts and urgent diagnoses.",
    read=lambda reply, item: read_invented(reply.text, f"{item.context}\n{item.question}"),
    rules={
        "identifiers": "states details that could identify somebody or something",
        "details": "states other details",
        "none": "states none",
    },
    columns=inventions,
)

__all__ = ["DETAIL_KINDS", "INVENTED", "columns", "parser", "read_invented"]
