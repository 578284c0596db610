"""Wording: the words and word pairs of responses, for comparison."""

from __future__ import annotations

from snellen.reading.parsers import Parser
from snellen.reading.wording.columns import read_terms, wordings

__all__ = ["columns"]

WORDING = Parser(
    name="wording",
    kind="wording",
    about="which words and pairs of neighbouring words a response has, the reasoning that came with it included.",
    read=lambda reply, item: read_terms(reply.text, reply.reasoning),
    rules={"words": "has words", "nothing": "has none"},
    columns=wordings,
)
