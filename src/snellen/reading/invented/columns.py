"""The details that responses invent, one row per response and a column for each kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snellen.reading.columns import Run
from snellen.reading.invented.parser import DETAIL_KINDS, IDENTIFYING, DetailKind, InventedDetails


@dataclass(frozen=True)
class Inventions:
    """Which kinds of details each response of one arm states; no detail itself is kept."""

    states: NDArray[np.bool_]
    """A row for each response, a column for each of DETAIL_KINDS."""

    def only(self, kept: NDArray[np.bool_]) -> Inventions:
        """Those of some of the responses."""
        return Inventions(self.states[kept])

    def of(self, kind: DetailKind) -> NDArray[np.bool_]:
        """Which responses state a detail of one kind."""
        return np.asarray(self.states[:, list(DETAIL_KINDS).index(kind)])

    @property
    def identifying(self) -> NDArray[np.bool_]:
        """Which responses state a detail that could identify somebody or something."""
        return np.asarray(self.states[:, [kind in IDENTIFYING for kind in DETAIL_KINDS]].any(axis=1))


def inventions(read: Mapping[Run, InventedDetails], _: object) -> Inventions:
    """The columns of one condition."""
    rows = [[kind in each.kinds for kind in DETAIL_KINDS] for each in read.values()]
    return Inventions(np.array(rows, dtype=bool).reshape(-1, len(DETAIL_KINDS)))
