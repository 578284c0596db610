"""Mismatch: does a response say that the image and the text do not belong together?"""

from __future__ import annotations

from pathlib import Path

from snellen.items import Item
from snellen.reading.confidence import read_counts
from snellen.reading.mismatch.parser import (
    LABELS,
    MISSING,
    NAMED,
    NOT_NAMED,
    QUESTION,
    REFUSED,
    RULES,
    WEIGHS,
    Mismatch,
    is_contradicted,
    mismatch_outcome,
    read_mismatch,
)
from snellen.reading.parsers import MISMATCHED, Parser


def asks_about_a_mismatch(item: Item) -> bool:
    """Return whether an open answer may name a contradiction between text and image."""
    return item.kind != "choice" and (item.premise is None or item.metadata.get("task") == MISMATCHED)


MISMATCH = Parser(
    name="mismatch",
    kind=MISMATCHED,
    source="Our own, for words with an image of another part of the body, after The Illusion of Clinical Reasoning",
    about="whether a response names the contradiction, in six languages. To describe what the image shows, to call it "
    "missing or poor, or to find that it does not support a diagnosis, names none.",
    takes=asks_about_a_mismatch,
    read=read_mismatch,
    outcome=mismatch_outcome,
    rules=RULES,
    weighs=WEIGHS,
    lasts=frozenset(RULES) - WEIGHS,
    question=QUESTION,
    agreement=Path(__file__).with_name("agreement.json"),
    counted=read_counts("mismatch", Path(__file__).with_name("counted.json")),
)

__all__ = [
    "LABELS", "MISMATCH", "MISSING", "NAMED", "NOT_NAMED", "REFUSED", "Mismatch", "is_contradicted", "parser",
    "read_mismatch",
]  # fmt: skip
