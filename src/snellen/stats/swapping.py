"""Swapping: how far the answers of two arms lie apart when the arms are swapped, item by item, by chance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from snellen.stats.answer_counts import AnswerCounts
from snellen.stats.observations import Codes, Numbers

_CELLS = 500_000
"""So many numbers are held at a time."""


class Swapped(NamedTuple):
    """Total variation under swaps, and whether these are all there are."""

    values: Numbers
    every: bool


class _Uneven(NamedTuple):
    """An item whose arms have different numbers of responses: its responses change places, not its arms."""

    columns: Codes
    answers: Codes
    first: int
    second: int


def shifts(counts: AnswerCounts) -> Numbers:
    """By how much each answer's share of its item's responses is larger in the first arm than in the second."""
    one, two = counts.replies
    return np.asarray(counts.first / one[counts.at] - counts.second / two[counts.at])


def swapped_distances(counts: AnswerCounts, *, resamples: int, seed: int) -> Swapped:
    """The total variation of each swap: of all of them where they are few, else of so many random ones."""
    shift, even = shifts(counts), np.equal(*counts.replies)[counts.at]
    # What only one item was answered, and as often in swapped arms, adds the same to every distance.
    lone = even & (np.bincount(counts.answer)[counts.answer] == 1)
    fixed = float(np.abs(shift[lone]).sum())
    _, column = np.unique(counts.answer[~lone], return_inverse=True)
    columns = np.zeros(len(shift), dtype=np.intp)
    columns[~lone] = column
    moved = even & ~lone & (shift != 0)
    rows, row = np.unique(counts.at[moved], return_inverse=True)
    # Each item has few of all answers: most of the table is empty.
    table = csr_array((shift[moved], (row, columns[moved])), shape=(len(rows), column.max(initial=-1) + 1))
    uneven = _uneven(counts, columns)
    every = not uneven and 2 ** len(rows) <= resamples
    rng = np.random.default_rng(seed)
    parts = [_all_signs(len(rows))] if every else _random_signs(rng, resamples, table.shape)
    sums = [np.abs(_added(signs @ table, uneven, rng)).sum(axis=1) for signs in parts]
    return Swapped((np.concatenate(sums) + fixed) / (2 * len(counts.items)), every)


def _uneven(counts: AnswerCounts, columns: Codes) -> list[_Uneven]:
    together = counts.first + counts.second
    found = []
    for item in np.flatnonzero(np.not_equal(*counts.replies)):
        cells = slice(*np.searchsorted(counts.at, [item, item + 1]))
        one, two = (int(replies[item]) for replies in counts.replies)
        found.append(_Uneven(columns[cells], together[cells], one, two))
    return found


def _added(sums: Numbers, uneven: list[_Uneven], rng: np.random.Generator) -> Numbers:
    """The sums with those of the uneven items, whose responses are dealt out to the arms at random."""
    for columns, answers, one, two in uneven:
        dealt = rng.multivariate_hypergeometric(answers, one, size=len(sums), method="marginals")
        sums[:, columns] += dealt / one - (answers - dealt) / two
    return sums


def _all_signs(items: int) -> Numbers:
    """Every choice of −1 and 1 for so many items."""
    return np.asarray((np.arange(2**items)[:, None] >> np.arange(items) & 1) * np.float64(2) - 1)


def _random_signs(rng: np.random.Generator, resamples: int, shape: tuple[int, int]) -> Iterator[Numbers]:
    rows = max(1, _CELLS // max(1, *shape))
    for start in range(0, resamples, rows):
        coins = rng.integers(0, 2, size=(min(rows, resamples - start), shape[0]), dtype=np.int8)
        yield coins * np.float64(2) - 1
