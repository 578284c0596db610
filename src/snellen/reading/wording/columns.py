"""Columns of terms (words and word pairs) that responses use, one row per response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from snellen.reading.columns import Integers, Run
from snellen.reading.wording.parser import Terms


@dataclass(frozen=True)
class Wordings:
    """Terms of each response of one condition.

    `places` are indexes into `terms`, for all responses in a row; `ends` is where each response ends in `places`.
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
