"""Resampling of items, clusters or strata with replacement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from snellen.stats.observations import Codes, Numbers, group_codes

_CELLS = 200_000
"""Number of values drawn at a time; they fit into the processor's cache."""


@dataclass(frozen=True)
class ClusteredRows:
    """Rows in a fixed order, grouped into units (items or clusters) and strata."""

    rows: Numbers
    sizes: Codes
    strata: tuple[slice, ...]

    @property
    def starts(self) -> Codes:
        """First row of each unit."""
        return np.cumsum(self.sizes) - self.sizes

    @property
    def single(self) -> bool:
        """True if every unit is one row."""
        return self.sizes.size == len(self.rows)

    def totals(self) -> Numbers:
        """Return the sum and the size of each unit, for one number per row."""
        return np.column_stack((np.add.reduceat(self.rows, self.starts), self.sizes))

    def rows_of(self, units: Codes) -> Numbers:
        """Return the rows of some units, one after the other."""
        sizes = self.sizes[units]
        shift = self.starts[units] - (np.cumsum(sizes) - sizes)
        return np.asarray(self.rows[np.repeat(shift, sizes) + np.arange(sizes.sum())])

    def draws(self, rng: np.random.Generator, resamples: int) -> Iterator[Codes]:
        """Yield tables of drawn units, one resample per row, within strata."""
        width = max(1, _CELLS // self.rows.size)
        for start in range(0, resamples, width):
            count = min(width, resamples - start)
            parts = [_draw_units(rng, part, count) for part in self.strata]
            yield parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def arrange(rows: Numbers, clusters: ArrayLike | None, strata: ArrayLike | None) -> ClusteredRows:
    """Sort rows by stratum, cluster and value. So draws do not depend on the order of items."""
    items = len(rows)
    cluster = group_codes(clusters, items)
    stratum = group_codes(strata, items, "strata")
    layer = np.zeros(items, dtype=np.intp) if stratum is None else stratum
    columns = tuple(rows.reshape(items, -1).T[::-1])
    order = np.lexsort((*columns, layer) if cluster is None else (*columns, cluster, layer))
    groups = np.arange(items) if cluster is None else cluster[order]
    first = (np.diff(groups, prepend=-1) != 0) | (np.diff(layer[order], prepend=-1) != 0)
    if cluster is not None and np.count_nonzero(first) > cluster.max() + 1:
        raise ValueError("Every cluster must lie in one stratum, but some cluster has items in several `strata`.")
    heads = np.flatnonzero(first)
    borders = np.flatnonzero(np.diff(layer[order][heads], prepend=-1, append=-1))
    slices = tuple(slice(int(i), int(j)) for i, j in pairwise(borders))
    return ClusteredRows(rows[order], np.diff(heads, append=items), slices)


def resampled_means(sample: ClusteredRows, rng: np.random.Generator, resamples: int) -> Numbers:
    """The mean of each resample."""
    totals = sample.totals()
    drawn = np.zeros((resamples, 2))
    for part in sample.strata:
        drawn += drawn_totals(totals[part], rng, resamples)
    return np.asarray(drawn[:, 0] / drawn[:, 1])


def drawn_totals(totals: Numbers, rng: np.random.Generator, resamples: int) -> Numbers:
    """Draw as many units as there are, with replacement, and sum their totals.

    If there are few distinct units, only their counts are drawn, from the multinomial law.
    """
    kinds, counts = np.unique(totals, axis=0, return_counts=True)
    units = len(totals)
    few = len(kinds) * 8 <= units
    rows = max(1, _CELLS // (len(kinds) if few else units))
    parts = []
    for start in range(0, resamples, rows):
        count = min(rows, resamples - start)
        if few:
            parts.append(rng.multinomial(units, counts / units, size=count) @ kinds)
        else:
            picked = _draw_units(rng, slice(0, units), count)
            parts.append(np.column_stack([_picked_sums(column, picked) for column in totals.T]))
    return np.concatenate(parts)


def _draw_units(rng: np.random.Generator, part: slice, count: int) -> Codes:
    """Draw unit numbers of one stratum, as 32-bit numbers because these are faster."""
    drawn = rng.integers(part.start, part.stop, size=(count, part.stop - part.start), dtype=np.int32)
    return drawn.astype(np.intp)


def _picked_sums(column: Numbers, picked: Codes) -> Numbers:
    if column[0] == column.min() == column.max():  # equal values, as sizes often are, need no picking
        return np.full(len(picked), column[0] * column.size)
    return np.asarray(column[picked].sum(axis=1))
