"""Falling curves fitted to accuracies: logistic curves, and isotonic fits that never rise."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from snellen.stats.observations import Codes, Numbers

GENTLEST = log(2) * 1.0001
"""Least steepness × threshold, at which a logistic curve becomes exponential decay."""
STEEPEST = 90 * GENTLEST
NOTHING = 1e-12
"""Weights below this count as 0."""
_CELLS = 40_000
"""Number of curve fits in memory at a time; they fit into the processor's cache, which is five times faster."""


class CurveGrid(NamedTuple):
    """Grid of candidate curves: thresholds as multiples of the last dose, and shapes.

    The *shape* of a curve is steepness × threshold.
    """

    thresholds: Numbers
    shapes: Numbers


def _grid(within: int, beyond: int, shapes: int) -> CurveGrid:
    inside, outside = np.arange(1, within + 1) / within, np.geomspace(1.01, 16, beyond)
    return CurveGrid(np.concatenate((inside, outside)), np.geomspace(GENTLEST, STEEPEST, shapes))


COARSE, FINE = _grid(100, 14, 24), _grid(600, 240, 80)


class Samples(NamedTuple):
    """Mean accuracies of each sample (row) at each dose (column), with weights."""

    means: Numbers
    weights: Numbers


class Heights(NamedTuple):
    """Upper height, lower height and misfit of each sample (row) and curve (column)."""

    upper: Numbers
    lower: Numbers
    misfit: Numbers


class Curves(NamedTuple):
    """Best curve of each sample, with the limits of the curves that fit equally well.

    The limits (`thresholds`, `steepnesses`) differ if a curve is steeper than the doses are dense: it may then fall
    anywhere between two doses, with any larger steepness.
    """

    upper: Numbers
    lower: Numbers
    steepness: Numbers
    thresholds: tuple[Numbers, Numbers]
    steepnesses: tuple[Numbers, Numbers]


@dataclass(frozen=True)
class FallingCurve:
    """Logistic curve from `upper` at dose 0 to `lower`, half-way at `threshold`.

    lower + (upper − lower) · (1 + q) / (1 + q · e^(steepness · dose)), with q = 1 / (e^(steepness · threshold) − 2).
    """

    upper: float
    lower: float
    threshold: float
    steepness: float

    def predict_accuracy(self, doses: ArrayLike) -> Numbers:
        """Return the accuracy at some doses.

        >>> FallingCurve(upper=0.9, lower=0.5, threshold=0.4, steepness=20).predict_accuracy([0, 0.4, 1]).round(3)
        array([0.9, 0.7, 0.5])
        """
        left = remaining(np.asarray(doses, dtype=np.float64), self.threshold, self.steepness * self.threshold)
        return np.asarray(self.lower + (self.upper - self.lower) * left)


def remaining(doses: Numbers, thresholds: ArrayLike, shapes: ArrayLike) -> Numbers:
    """Share of the possible loss that is not yet lost; one half at the threshold."""
    shape = np.maximum(shapes, GENTLEST)
    odds = np.exp(-shape) / (1 - 2 * np.exp(-shape))
    # Beyond e^700 the share is 0 in floating point, and the exponential would overflow.
    grown = np.exp(np.minimum(shape * doses / np.asarray(thresholds, dtype=np.float64), 700.0))
    return np.asarray((1 + odds) / (1 + odds * grown))


def fit(
    doses: Numbers, samples: Samples, lower: float | None, *, grid: CurveGrid = COARSE, alike: float = 0.01
) -> Curves:
    """Find the weighted least-squares curve of every sample on a grid of curves.

    Doses count from 0. For a given threshold and shape the heights have a closed form; `lower` is fitted if None.
    Curves fit equally well if their misfit (a χ²) exceeds the smallest by at most `alike`.
    """
    scaled = CurveGrid(float(doses[-1]) * grid.thresholds, grid.shapes)
    table = remaining(doses, scaled.thresholds[:, None, None], scaled.shapes[:, None]).reshape(-1, doses.size)
    rows = max(1, _CELLS // len(table))
    parts = []
    for start in range(0, len(samples.means), rows):
        some = Samples(*(part[start : start + rows] for part in samples))
        heights = _free_floor(some, table) if lower is None else _known_floor(some, table, lower)
        parts.append(_find_best_curves(heights, scaled, alike))
    upper, floor, steepness, first, final, gentlest, steepest = np.concatenate(parts, axis=1)
    return Curves(upper, floor, steepness, (first, final), (gentlest, steepest))


def _find_best_curves(heights: Heights, grid: CurveGrid, alike: float) -> Numbers:
    """Parameters of each sample's best curve, one column per sample."""
    thresholds, shapes = grid
    misfits = heights.misfit.reshape(-1, thresholds.size, shapes.size)
    profile = misfits.min(axis=2)
    row, best = np.arange(len(misfits)), profile.argmin(axis=1)
    over_shapes = misfits[row, best]
    shape = over_shapes.argmin(axis=1)
    cell = best * shapes.size + shape
    ends = np.array(_ends(profile, alike)), np.array(_ends(over_shapes, alike))
    steepnesses = np.append(shapes[:-1], inf)[ends[1]] / thresholds[best]
    heights_there = (heights.upper[row, cell], heights.lower[row, cell])
    return np.stack((*heights_there, shapes[shape] / thresholds[best], *thresholds[ends[0]], *steepnesses))


def _ends(misfits: Numbers, alike: float) -> tuple[Codes, Codes]:
    """First and last column of each row that fit as well as the best."""
    fits = misfits <= misfits.min(axis=1, keepdims=True) + alike
    return fits.argmax(axis=1), fits.shape[1] - 1 - fits[:, ::-1].argmax(axis=1)


def _known_floor(samples: Samples, table: Numbers, lower: float) -> Heights:
    """Fit the upper height, a weighted mean, for a known floor."""
    means, weights = samples
    above = means - lower
    joint, own = (weights * above) @ table.T, weights @ (table**2).T
    height = np.clip(joint / np.maximum(own, NOTHING), 0, 1 - lower)
    total = np.sum(weights * above**2, axis=1, keepdims=True)
    joint *= 2 * height  # in place, which takes a third of the time
    misfit = np.subtract(total, joint, out=joint)
    own *= height**2
    misfit += own
    return Heights(lower + height, np.broadcast_to(np.float64(lower), height.shape), misfit)


def _free_floor(samples: Samples, table: Numbers) -> Heights:
    """Fit both heights, with the floor between 0 and the upper height."""
    means, weights = samples
    lost = 1 - table
    xx, xz, zz = weights @ (table**2).T, weights @ (table * lost).T, weights @ (lost**2).T
    xy, zy = (weights * means) @ table.T, (weights * means) @ lost.T
    total = np.sum(weights * means**2, axis=1, keepdims=True)
    determinant = np.maximum(xx * zz - xz**2, NOTHING)
    floor = np.clip((xx * zy - xz * xy) / determinant, 0, 1)
    for _ in range(2):  # each height given the other, once inside its bounds, is the constrained optimum
        upper = np.clip((xy - floor * xz) / np.maximum(xx, NOTHING), floor, 1)
        floor = np.clip((zy - upper * xz) / np.maximum(zz, NOTHING), 0, upper)
    misfit = total - 2 * (upper * xy + floor * zy) + upper**2 * xx + 2 * upper * floor * xz + floor**2 * zz
    return Heights(upper, floor, misfit)


def never_rising(means: ArrayLike, weights: ArrayLike | None = None) -> Numbers:
    """Least-squares fit that never rises; neighbours in the wrong order are pooled.

    >>> never_rising([0.9, 0.6, 0.8, 0.5])
    array([0.9, 0.7, 0.7, 0.5])
    """
    values = np.asarray(means, dtype=np.float64)
    mass = np.ones_like(values) if weights is None else np.asarray(weights, dtype=np.float64)
    blocks: list[tuple[float, float, int]] = []
    for value, weight in zip(values.tolist(), mass.tolist(), strict=True):
        block = (value, weight, 1)
        while blocks and blocks[-1][0] < block[0]:
            before, heavy, count = blocks.pop()
            both = heavy + block[1]
            block = ((before * heavy + block[0] * block[1]) / both, both, count + block[2])
        blocks.append(block)
    return np.repeat([value for value, _, _ in blocks], [count for _, _, count in blocks])
