"""Cells: where the responses of one model under one arm lie, and an account of those that should be there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.asking.repeats import Runs
from snellen.items import Item
from snellen.reading.columns import Integers
from snellen.store import Reply, Store

TAKES_NO_IMAGES = "this model takes no images"


def not_asked(store: Store, arm: int, *, text_only: bool) -> dict[int, str]:
    """The items that a model was not asked under an arm, with the reason."""
    shown = dict.fromkeys(store.variants.with_images(arm), TAKES_NO_IMAGES) if text_only else {}
    return {**store.variants.inapplicable(arm), **shown}


class Cells(NamedTuple):
    """Where one model's responses under one arm lie."""

    store: Store
    model: int
    arm: int
    runs: Runs | None
    """How many responses there should be to each item; None if nobody said."""
    text_only: bool = False
    only: NDArray[np.bool_] | None = None
    """The items that count, where those are not all."""

    def replies(self) -> Iterator[Reply]:
        """The responses that are wanted, of the items that count."""
        found = self.store.responses.replies(self.model, self.arm)
        return (each for each in found if self.wants(each.ordinal, each.replicate) and self.counts(each.ordinal))

    def wants(self, ordinal: int, replicate: int) -> bool:
        """Whether a response should be there; any may be if nobody said."""
        return self.runs is None or (ordinal < len(self.runs) and replicate < self.runs[ordinal])

    def counts(self, ordinal: int) -> bool:
        """Whether an item counts."""
        return self.only is None or (ordinal < len(self.only) and bool(self.only[ordinal]))

    def unasked(self) -> dict[int, str]:
        """The items that the model was not asked, with the reason."""
        return not_asked(self.store, self.arm, text_only=self.text_only)

    def account(self, items: Sequence[Item], replicates: Integers) -> dict[str, Any]:
        """What has no meaning, what failed, and how many responses there should be, as fields of Grades."""
        unasked = {at: reason for at, reason in self.unasked().items() if at < len(items) and self.counts(at)}
        reasons = list(unasked.values())
        wanted = None if self.runs is None else self.runs.tolist()
        lacking = self.store.variants.missing_columns(self.arm)
        if self.runs is None:
            tried = [each for _, each, _ in self.store.responses.failed_cells(self.model, self.arm)]
            runs = len(np.unique(np.append(replicates, np.array(tried, dtype=np.int64))))
            due = np.full(len(items), runs, dtype=np.int64)
        else:
            due, runs = self.runs.copy(), int(self.runs.min(initial=self.runs.max(initial=1)))
        due[list(unasked)] = 0
        if self.only is not None:
            due[~self.only[: len(items)]] = 0
        return {
            "inapplicable": {reason: reasons.count(reason) for reason in dict.fromkeys(reasons)},
            "by_text": Counter(" and ".join(lacking[at]) for at in lacking if at < len(items) and self.counts(at)),
            "failed": self.store.responses.failures(self.model, self.arm, items=len(items), runs=wanted),
            "due": due,
            "epochs": runs,
        }
