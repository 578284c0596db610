"""Answers counted: how often each answer was given to each item in two arms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snellen.stats.observations import Codes, group_codes


@dataclass(frozen=True)
class AnswerCounts:
    """A cell for every answer to every item: which item of `items`, which answer, how often in each arm."""

    items: Codes
    at: Codes
    answer: Codes
    first: Codes
    second: Codes

    @cached_property
    def replies(self) -> tuple[Codes, Codes]:
        """How many responses each item has in each arm."""
        width = len(self.items)
        sums = [np.bincount(self.at, weights=counts, minlength=width) for counts in (self.first, self.second)]
        return sums[0].astype(np.intp), sums[1].astype(np.intp)

    def only(self, kept: NDArray[np.bool_]) -> AnswerCounts:
        """The cells of some of the items."""
        cells = kept[self.at]
        place = np.cumsum(kept) - 1
        return AnswerCounts(
            self.items[kept], place[self.at[cells]], self.answer[cells], self.first[cells], self.second[cells]
        )

    def single_replies_repeated(self) -> AnswerCounts:
        """The same with every lone response counted twice: what a model that never varies would have said again."""
        once, alone = (replies == 1 for replies in self.replies)
        return replace(self, first=self.first * (1 + once[self.at]), second=self.second * (1 + alone[self.at]))

    def clusters(self, labels: ArrayLike | None) -> Codes | None:
        """The number of each item's cluster, from one label for every item number there is."""
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
    """The answers of the items that have at least so many responses in each arm, in the order of the items' numbers."""
    one, two = _labels(first, "first"), _labels(second, "second")
    item = np.concatenate((_item_numbers(first_items, one, "first"), _item_numbers(second_items, two, "second")))
    names, answer = np.unique(np.concatenate((one, two)), return_inverse=True)
    items, at = np.unique(item, return_inverse=True)
    cells, cell = np.unique(at * max(1, len(names)) + answer, return_inverse=True)
    counts = [np.bincount(part, minlength=len(cells)) for part in (cell[: len(one)], cell[len(one) :])]
    found = AnswerCounts(items, cells // max(1, len(names)), cells % max(1, len(names)), counts[0], counts[1])
    return found.only(np.minimum(*found.replies) >= least)


def _labels(codes: ArrayLike, name: str) -> NDArray[np.generic]:
    array = np.asarray(codes)
    if array.ndim != 1:
        raise ValueError(f"`{name}` must be one answer code per reply, got an array of shape {array.shape}.")
    return array


def _item_numbers(items: ArrayLike, replies: NDArray[np.generic], name: str) -> Codes:
    """Which item each response belongs to."""
    array = np.asarray(items)
    if array.shape != replies.shape:
        raise ValueError(
            f"`{name}_items` must be one item number per reply ({len(replies)}), got an array of shape {array.shape}."
        )
    if array.size and (array.dtype.kind not in "iu" or array.min() < 0):
        raise ValueError(f"`{name}_items` must be whole numbers of at least 0, got {array.tolist()[:5]}.")
    return array.astype(np.intp)
