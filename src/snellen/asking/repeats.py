"""Repeats: how often each item of a benchmark is asked, by arm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snellen.items import Item
from snellen.stress.folds import in_drawn_order, patients_without_names

Runs = NDArray[np.int64]
"""Number of repeats of each item."""


@dataclass(frozen=True)
class Repeats:
    """Repeats of a benchmark's items: `epochs` for every item, and one more for some random items."""

    asked: int
    epochs: int
    arms: tuple[str, ...] = ()
    """The arms with an extra repeat."""
    items: tuple[int, ...] = ()
    """The positions of the items with an extra repeat."""

    @property
    def most(self) -> int:
        """The most repeats of any item."""
        return self.epochs + bool(self.items)

    def count_runs(self, arm: str) -> Runs:
        """Return the number of repeats of each item under an arm."""
        runs = np.full(self.asked, self.epochs, dtype=np.int64)
        if arm in self.arms:
            runs[list(self.items)] += 1
        return runs

    def record(self) -> dict[str, Any]:
        """Return the entry for a study's record; empty without extra repeats."""
        return {"arms": list(self.arms), "items": list(self.items)} if self.items else {}


def draw_repeated(benchmark: Sequence[Item], asked: int, count: int, seed: int) -> tuple[int, ...]:
    """Draw items for an extra repeat; items of one patient stay together.

    The whole benchmark is put in order, so a larger limit does not change an item's place in it.
    """
    order = in_drawn_order(benchmark, range(asked), seed, patients=patients_without_names(benchmark))
    return tuple(sorted(order[:count]))


def repeats_asked(study: Mapping[str, Any], benchmark: str, items: int) -> Repeats | None:
    """Return the repeats of each item in a stored study; None for an import."""
    epochs = study.get("epochs_of", {}).get(benchmark, study["epochs"])
    if epochs is None:
        return None
    again = study.get("repeated", {}).get(benchmark, {"arms": (), "items": ()})
    return Repeats(items, epochs, tuple(again["arms"]), tuple(at for at in again["items"] if 0 <= at < items))


def select_wanted(cells: NDArray[np.int64], runs: Runs) -> NDArray[np.int64]:
    """Select the cells (item, repeat) that a study asks for from all stored ones."""
    known = cells[cells[:, 0] < len(runs)]
    return known[known[:, 1] < runs[known[:, 0]]]
