"""Terms: the words of a response and the pairs of neighbouring words, each once."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from snellen.reading.language.cleaning import cut_long
from snellen.reading.language.tokens import MARK, tokens


class Terms(NamedTuple):
    """Distinct words and word pairs of one response, in alphabetical order."""

    terms: tuple[str, ...]

    @property
    def rule(self) -> str:
        """The rule: "words" if there are any terms, otherwise "nothing"."""
        return "words" if self.terms else "nothing"


def read_terms(text: str, reasoning: str = "") -> Terms:
    """Return the terms of a response and its reasoning; pairs do not cross punctuation.

    >>> read_terms("No nodules. No nodules seen").terms
    ('no', 'no nodules', 'nodules', 'nodules seen', 'seen')
    """
    words = (*tokens(cut_long(reasoning), singular=False), MARK, *tokens(cut_long(text), singular=False))
    pairs = {f"{one} {other}" for one, other in pairwise(words) if MARK not in (one, other)}
    return Terms(tuple(sorted(pairs.union(words) - {MARK})))
