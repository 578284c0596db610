"""Open answers compared with reference answers by words: offline, and weaker than a qualified judge."""

from __future__ import annotations

from pathlib import Path

from snellen.items import Item
from snellen.reading.confidence import read_counts
from snellen.reading.open.reading import RULES, WEIGHS, read_open
from snellen.reading.outcomes import open_outcome
from snellen.reading.parsers import MISMATCHED, OPEN, PREMISED, USUAL, Parser


def has_references(item: Item) -> bool:
    """Return whether an item has reference answers; items on contradictions or premises have none."""
    return item.kind != "choice" and item.metadata.get("task") != MISMATCHED and item.premise is None


MATCH = Parser(
    name="match",
    kind=OPEN,
    source="Our own",
    about="the words of an open answer compared with the references, without a model. It is weaker than a qualified "
    "judge: it knows synonyms, sides, numbers and denials, and no medicine beyond.",
    takes=has_references,
    read=lambda reply, item: read_open(reply.text, item),
    outcome=open_outcome,
    others=(USUAL[MISMATCHED], USUAL[PREMISED]),
    rules=RULES,
    weighs=WEIGHS,
    agreement=Path(__file__).with_name("agreement.json"),
    counted=read_counts("match"),
)

__all__ = ["MATCH", "judged", "read_open"]
