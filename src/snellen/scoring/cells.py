"""Stored responses of one model under one condition, and a count of those expected.

In code, an *arm* is a condition with its prompt and settings. An *ordinal* is an item's place in its benchmark; repeats
of an item are numbered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.asking.repeats import Runs
from snellen.items import Item
from snellen.reading.columns import Integers
from snellen.store import Store, StoredResponse

TAKES_NO_IMAGES = "this model takes no images"


def not_asked(store: Store, arm: int, *, text_only: bool) -> dict[int, str]:
    """Return the items that a model was not asked under a condition, with the reason."""
    shown = dict.fromkeys(store.variants.with_images(arm), TAKES_NO_IMAGES) if text_only else {}
    return {**store.variants.inapplicable(arm), **shown}


class ArmCells(NamedTuple):
    """Access to the responses of one model under one condition."""

    store: Store
    model: int
    arm: int
    runs: Runs | None
    """Number of responses expected to each item; None if unknown."""
    text_only: bool = False
    only: NDArray[np.bool_] | None = None
    """True for the items that count; None if all count."""

    def replies(self) -> Iterator[StoredResponse]:
        """Yield the expected responses to the items that count."""
        found = self.store.responses.replies(self.model, self.arm)
        return (each for each in found if self.wants(each.ordinal, each.replicate) and self.counts(each.ordinal))

    def wants(self, ordinal: int, replicate: int) -> bool:
        """Return True if a response is expected. All are if the study does not record what it expects."""
        return self.runs is None or (ordinal < len(self.runs) and replicate < self.runs[ordinal])

    def counts(self, ordinal: int) -> bool:
        """Return True if an item counts."""
        return self.only is None or (ordinal < len(self.only) and bool(self.only[ordinal]))

    def find_unasked_items(self) -> dict[int, str]:
        """Return the items that the model was not asked, with the reason."""
        return not_asked(self.store, self.arm, text_only=self.text_only)

    def account(self, items: Sequence[Item], replicates: Integers) -> dict[str, Any]:
        """Count inapplicable, failed and expected responses; return them as fields of `Grades`."""
        unasked = {
            at: reason for at, reason in self.find_unasked_items().items() if at < len(items) and self.counts(at)
        }
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
