"""Open answers, compared by their words, and by sentence embeddings where words decide nothing. English only."""

from __future__ import annotations

from snellen.grading.open.reading import RULES, WEIGHS, read_open
from snellen.grading.parsers import OPEN, Parser

EMBEDDED = Parser(
    name="match-embedded",
    kind=OPEN,
    source="Our own, English only",
    about="the words of match where they decide, and the likeness of sentences where they do not.",
    read=lambda reply, item: read_open(reply.text, item),
    rules=RULES,
    weighs=WEIGHS,
)
