"""Replies written for the tests, each with the options offered and what a careful person reads in it."""

from __future__ import annotations

from rows import read_table
from snellen.items import Item, Option

_OFFERED = read_table(__file__, "_OFFERED")
OPTIONS: dict[str, tuple[Option, ...]] = {
    name: tuple(Option(text, abstains=text in ("Unknown", "I don't know")) for text in texts)
    for name, texts in _OFFERED.items()
}

QUESTIONS = read_table(__file__, "QUESTIONS")


def item(options: str, *, answer: int = 0, question: str = "") -> Item:
    """An item with the options of that name."""
    asked = question or QUESTIONS.get(options, "What is the diagnosis?")
    return Item(id=f"test/{options}", question=asked, options=OPTIONS[options], answer=answer)


Row = tuple[str, str, str, str]
"""A reply, its options, what is read (a letter, or why none), and the rule."""

PLAIN = read_table(__file__, "PLAIN")

MARKED = read_table(__file__, "MARKED")

STATED = read_table(__file__, "STATED")

WORDED = read_table(__file__, "WORDED")

YES_NO = read_table(__file__, "YES_NO")

UNREAD = read_table(__file__, "UNREAD")

SILENT = read_table(__file__, "SILENT")

MANY = read_table(__file__, "MANY")
"""Replies in the manner of chat and reasoning models to questions of up to twelve options."""

MANY_UNREAD = read_table(__file__, "MANY_UNREAD")

ABROAD = read_table(__file__, "ABROAD")
"""Answers in Italian, Chinese and other languages, as models give them."""

ABROAD_UNREAD = read_table(__file__, "ABROAD_UNREAD")
"""Silences in several languages, each told from the others."""

REASONED = read_table(__file__, "REASONED")
"""Answers at the end of reasoning, and numbers or words instead of letters."""

REASONED_UNREAD = read_table(__file__, "REASONED_UNREAD")
"""Reasoning that comes to no single option."""
