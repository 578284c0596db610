"""Counts of the answers to each item in two arms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snellen.stats.observations import Codes, group_codes


@dataclass(frozen=True)
class AnswerCounts:
    """Counts of answers in two arms: one cell per item and answer.

    `items` are the item numbers. Cell by cell, `at` is the place in `items`, `answer` the answer's number, and `first`
    and `second` are the counts in the two arms.
    """

    items: Codes
    at: Codes
    answer: Codes
    first: Codes
    second: Codes

    @cached_property
    def replies(self) -> tuple[Codes, Codes]:
        """Number of responses to each item, in the first and in the second arm."""
        width = len(self.items)
        sums = [np.bincount(self.at, weights=counts, minlength=width) for counts in (self.first, self.second)]
        return sums[0].astype(np.intp), sums[1].astype(np.intp)

    def select_items(self, kept: NDArray[np.bool_]) -> AnswerCounts:
        """Return the cells of the items for which `kept` is true."""
        cells = kept[self.at]
        place = np.cumsum(kept) - 1
        return AnswerCounts(
            self.items[kept], place[self.at[cells]], self.answer[cells], self.first[cells], self.second[cells]
        )

    def single_replies_repeated(self) -> AnswerCounts:
        """Count each item's only response twice, as if the model repeated itself exactly."""
        once, alone = (replies == 1 for replies in self.replies)
        return replace(self, first=self.first * (1 + once[self.at]), second=self.second * (1 + alone[self.at]))

    def clusters(self, labels: ArrayLike | None) -> Codes | None:
        """Return the cluster number of each item; `labels` has one label per item number."""
        if labels is None:
            return None
        array = np.asarray(labels)
        if array.ndim != 1 or len(array) <= self.items.max(initial=-1):
            raise ValueError(
                f"`clusters` must be one label for each item number up to {self.items.max(initial=-1)}, "
                f"got an array of shape {array.shape}."
            )
        return group_codes(array[self.items], len(self.items))


def count_answers(
    first: ArrayLike, second: ArrayLike, first_items: ArrayLike, second_items: ArrayLike, *, least: int
) -> AnswerCounts:
    """Count the answers to the items that have at least `least` responses in each arm."""
    one, two = _labels(first, "first"), _labels(second, "second")
    item = np.concatenate((_item_numbers(first_items, one, "first"), _item_numbers(second_items, two, "second")))
    names, answer = np.unique(np.concatenate((one, two)), return_inverse=True)
    items, at = np.unique(item, return_inverse=True)
    cells, cell = np.unique(at * max(1, len(names)) + answer, return_inverse=True)
    counts = [np.bincount(part, minlength=len(cells)) for part in (cell[: len(one)], cell[len(one) :])]
    found = AnswerCounts(items, cells // max(1, len(names)), cells % max(1, len(names)), counts[0], counts[1])
    return found.select_items(np.minimum(*found.replies) >= least)


def _labels(codes: ArrayLike, name: str) -> NDArray[np.generic]:
    array = np.asarray(codes)
    if array.ndim != 1:
        raise ValueError(f"`{name}` must be one answer code per response, got an array of shape {array.shape}.")
    return array


def _item_numbers(items: ArrayLike, replies: NDArray[np.generic], name: str) -> Codes:
    """Check and return the item number of each response."""
    array = np.asarray(items)
    if array.shape != replies.shape:
        raise ValueError(
            f"`{name}_items` needs one item number per response ({len(replies)}), got shape {array.shape}."
        )
    if array.size and (array.dtype.kind not in "iu" or array.min() < 0):
        raise ValueError(f"`{name}_items` must be whole numbers of at least 0, got {array.tolist()[:5]}.")
    return array.astype(np.intp)
