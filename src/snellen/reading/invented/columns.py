"""Columns of invented details: one row per response, one column per kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snellen.reading.columns import Run
from snellen.reading.invented.parser import DETAIL_KINDS, IDENTIFYING, DetailKind, InventedDetails


@dataclass(frozen=True)
class Inventions:
    """Kinds of details that each response of one condition states. The details themselves are not kept."""

    states: NDArray[np.bool_]
    """One row per response and one column per kind in DETAIL_KINDS."""

    def only(self, kept: NDArray[np.bool_]) -> Inventions:
        """Return the columns for the selected responses."""
        return Inventions(self.states[kept])

    def states_detail(self, kind: DetailKind) -> NDArray[np.bool_]:
        """Return which responses state a detail of one kind."""
        return np.asarray(self.states[:, list(DETAIL_KINDS).index(kind)])

    @property
    def identifying(self) -> NDArray[np.bool_]:
        """True for each response with a detail that could identify a person or a thing."""
        return np.asarray(self.states[:, [kind in IDENTIFYING for kind in DETAIL_KINDS]].any(axis=1))


def inventions(read: Mapping[Run, InventedDetails], _: object) -> Inventions:
    """Build the columns of one condition."""
    rows = [[kind in each.kinds for kind in DETAIL_KINDS] for each in read.values()]
    return Inventions(np.array(rows, dtype=bool).reshape(-1, len(DETAIL_KINDS)))
