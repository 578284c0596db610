"""Terms of responses (words and word pairs), as columns with one row per response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.reading.columns import Integers, Run
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


@dataclass(frozen=True)
class Wordings:
    """Terms of each response of one condition.

    `places` are indexes into `terms`, one response after the other; `ends` is where each response ends in `places`.
    """

    terms: tuple[str, ...]
    places: NDArray[np.int32]
    ends: Integers

    def __len__(self) -> int:
        return len(self.ends)

    def only(self, kept: NDArray[np.bool_]) -> Wordings:
        """Keep the responses marked in `kept`."""
        sizes = np.diff(self.ends, prepend=0)
        return replace(self, places=self.places[np.repeat(kept, sizes)], ends=np.cumsum(sizes[kept]))


def wordings(read: Mapping[Run, Terms], _: object) -> Wordings:
    """Collect the terms of all responses of one condition."""
    places: dict[str, int] = {}
    every = chain.from_iterable(each.terms for each in read.values())
    numbers = np.fromiter((places.setdefault(term, len(places)) for term in every), dtype=np.int32)
    sizes = np.array([len(each.terms) for each in read.values()], dtype=np.int64)
    return Wordings(tuple(places), numbers, np.cumsum(sizes))
