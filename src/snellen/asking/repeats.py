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
"""How often each item is asked."""


@dataclass(frozen=True)
class Repeats:
    """How often the first items of a benchmark are asked: `epochs` times, and some of them once more."""

    asked: int
    epochs: int
    arms: tuple[str, ...] = ()
    """The arms under which some items are asked once more."""
    items: tuple[int, ...] = ()
    """The places of these items."""

    @property
    def most(self) -> int:
        """How often an item is asked at most."""
        return self.epochs + bool(self.items)

    def count_runs(self, arm: str) -> Runs:
        """How often each item is asked under an arm."""
        runs = np.full(self.asked, self.epochs, dtype=np.int64)
        if arm in self.arms:
            runs[list(self.items)] += 1
        return runs

    def record(self) -> dict[str, Any]:
        """What a study's record keeps; empty if nothing is asked once more."""
        return {"arms": list(self.arms), "items": list(self.items)} if self.items else {}


def draw_repeated(benchmark: Sequence[Item], asked: int, count: int, seed: int) -> tuple[int, ...]:
    """The places of the items to ask once more: drawn by seed and ids, those of a patient one after another.

    The order is that of the whole benchmark, so that a larger limit changes no item's place in it.
    """
    order = in_drawn_order(benchmark, range(asked), seed, patients=patients_without_names(benchmark))
    return tuple(sorted(order[:count]))


def repeats_asked(study: Mapping[str, Any], benchmark: str, items: int) -> Repeats | None:
    """How often a stored study asks each of a benchmark's items; None for an import, which does not say."""
    epochs = study.get("epochs_of", {}).get(benchmark, study["epochs"])
    if epochs is None:
        return None
    again = study.get("repeated", {}).get(benchmark, {"arms": (), "items": ()})
    return Repeats(items, epochs, tuple(again["arms"]), tuple(at for at in again["items"] if 0 <= at < items))


def select_wanted(cells: NDArray[np.int64], runs: Runs) -> NDArray[np.int64]:
    """The cells (item, replicate) that are asked for, of all that are stored."""
    known = cells[cells[:, 0] < len(runs)]
    return known[known[:, 1] < runs[known[:, 0]]]
