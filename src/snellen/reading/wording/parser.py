"""Terms: the words of a response and the pairs of words that stand side by side, each once."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from snellen.reading.language.cleaning import windowed
from snellen.reading.language.tokens import MARK, tokens


class Terms(NamedTuple):
    """The different words and pairs of words of one response, in the order of the alphabet."""

    terms: tuple[str, ...]

    @property
    def rule(self) -> str:
        """Whether there are any."""
        return "words" if self.terms else "nothing"


def read_terms(text: str, reasoning: str = "") -> Terms:
    """The terms of a response and of the thinking that came with it; a pair does not reach over a mark.

    >>> read_terms("No nodules. No nodules seen").terms
    ('no', 'no nodules', 'nodules', 'nodules seen', 'seen')
    """
    words = (*tokens(windowed(reasoning), singular=False), MARK, *tokens(windowed(text), singular=False))
    pairs = {f"{one} {other}" for one, other in pairwise(words) if MARK not in (one, other)}
    return Terms(tuple(sorted(pairs.union(words) - {MARK})))
