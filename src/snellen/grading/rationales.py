"""Rationale: what a reply says it sees, whether it notices that there is nothing, and whether it voices doubt."""

from __future__ import annotations

from typing import NamedTuple

from snellen.grading.claims import firm_claims
from snellen.grading.passages import passages
from snellen.grading.sight import hedged, noticed
from snellen.items import Item


class Rationale(NamedTuple):
    """What one reply says it sees, in its own words, less what the question had told."""

    claims: tuple[str, ...]
    notices: bool
    hedges: bool
    explains: bool
    """Whether it says more than its answer."""


_SHORT = 400
_WORDS, _CHARACTERS = 8, 16
"""A reply of so many words, or of so many characters where words are not apart, says more than an answer does."""


def read_rationale(text: str, reasoning: str, item: Item) -> Rationale:
    """The rationale of a reply, the thinking that came with it included.

    >>> read_rationale("The image shows a fracture of the left radius. Answer: B", "", Item("1", "What is it?")).claims
    ('The image shows a fracture of the left radius.',)
    """
    told = f"{item.context}\n{item.question}"
    said = f"{reasoning}\n\n{text}" if reasoning else text
    reply = passages(said)
    claims = tuple(said[start:end] for start, end in firm_claims(reply, told))
    return Rationale(claims, noticed(reply), hedged(reply), _explains(said, item))


def _explains(said: str, item: Item) -> bool:
    if len(said) > _SHORT:
        return True
    for option in item.options:
        said = said.replace(option.text, " ")
    words = said.split()
    letters = sum(map(len, words))
    return len(words) >= _WORDS or (not said.isascii() and letters >= _CHARACTERS)
