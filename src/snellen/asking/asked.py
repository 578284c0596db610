"""Record of a stored study: items, repeats, rounds, and the parser that reads its responses.

A study may ask in rounds and compute its verdicts after each of them (a "look"), to stop when they are settled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.asking.repeats import Runs, select_wanted
from snellen.items import CHOICE, WITHOUT_IMAGE, Item
from snellen.store import Store
from snellen.stress.folds import in_drawn_order, patients_without_names

FIRST = 32
"""Items asked before the first look."""
GROWTH = 1.15
"""Each look has this many times the items of the look before. More looks would stop a little earlier, but cost time."""


def read_by(record: Mapping[str, Any]) -> str:
    """Return the kind of parser that reads the responses of a stored arm."""
    return str(record.get("read") or (WITHOUT_IMAGE if record.get("kinds") == ["open"] else CHOICE))


def epochs_asked(study: Mapping[str, Any], benchmark: str) -> int | None:
    """Return the planned repeats of each item of a benchmark in a stored study. None if unknown."""
    epochs: int | None = study.get("epochs_of", {}).get(benchmark, study["epochs"])
    return epochs


def limit_asked(study: Mapping[str, Any], benchmark: str) -> int | None:
    """Return the limit on a benchmark's items in a stored study; None for no limit."""
    limit: int | None = study.get("limit_of", {}).get(benchmark, study["limit"])
    return limit


@dataclass(frozen=True)
class Rounds:
    """A benchmark's items in the order of asking, and the end of each round."""

    order: NDArray[np.int64]
    ends: tuple[int, ...]

    @classmethod
    def from_items(cls, items: Sequence[Item], seed: int) -> Rounds:
        """Draw the rounds by seed and item ids. All items of a patient are in one round."""
        who = patients_without_names(items)
        order = in_drawn_order(items, range(len(items)), seed, patients=who)
        patients = [who[place] for place in order]
        ends: list[int] = []
        wanted = FIRST
        for end in range(1, len(order) + 1):
            last = end == len(order)
            if last or (end >= wanted and patients[end] != patients[end - 1]):
                ends.append(end)
                wanted = ceil(end * GROWTH)
        return cls(np.array(order, dtype=np.int64), tuple(ends))

    @cached_property
    def place(self) -> NDArray[np.int64]:
        """The place of each item in this order."""
        places = np.empty_like(self.order)
        places[self.order] = np.arange(len(self.order))
        return places

    def items(self, rounds: int) -> int:
        """Return the number of items in the first `rounds` rounds."""
        return self.ends[rounds - 1] if rounds else 0

    def is_in_rounds(self, rounds: int) -> NDArray[np.bool_]:
        """Return for each item whether it is in the first `rounds` rounds."""
        return self.place < self.items(rounds)


class ModelArm(NamedTuple):
    """One model under one arm of a benchmark, by their numbers in the store."""

    model: int
    arm: int
    runs: Runs
    """Number of repeats of each item."""
    text_only: bool = False

    def rounds(self, store: Store, rounds: Rounds) -> int:
        """Return the number of complete rounds: every response is stored, failed or not applicable."""
        items = len(rounds.order)
        over = np.arange(self.runs.max(initial=1)) >= self.runs[:, None]
        shown = store.variants.with_images(self.arm) if self.text_only else []
        over[[place for place in (*store.variants.inapplicable(self.arm), *shown) if place < items]] = True
        failed = [cell[:2] for cell in store.responses.failed_cells(self.model, self.arm)]
        answered = store.responses.load_answered(self.model, self.arm)
        for cells in (answered, np.array(failed, dtype=np.int64).reshape(-1, 2)):
            wanted = select_wanted(cells, self.runs)
            over[wanted[:, 0], wanted[:, 1]] = True
        gaps = np.flatnonzero(~over[rounds.order].all(axis=1))
        first = int(gaps[0]) if len(gaps) else items
        return sum(end <= first for end in rounds.ends)


def asked_in_rounds(study: Mapping[str, Any], benchmark: str) -> bool:
    """Return whether a stored study stops asking a benchmark when its verdicts are settled."""
    return benchmark in study.get("until_settled", ())
