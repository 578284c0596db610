"""The adaptive rule: of which size the next letters should be, so that the threshold is known after few requests.

Bayesian, as QUEST+ (Watson 2017) is: a weight for every curve of a grid, and the next size is the one after whose reply
the least is expected to be left open about the threshold. Width, guess and lapse are free beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from scipy.special import gammaln, xlogy

from snellen.stats.observations import Numbers
from snellen.stats.psychometric import log_prior, rise

LETTERS = 5
"""Letters in a row, where the image is wide enough."""
SMALLEST = 3
"""Pixels; a stroke is a fifth of it."""
STEP = 0.03
"""Between two thresholds of the grid, in log10."""
BESIDE = 0.25
"""How far, in log10, the threshold of another series is expected from that of the first."""


def letters_that_fit(size: int, side: int) -> int:
    """Letters of a row with gaps of one letter between them, five at most.

    >>> [letters_that_fit(size, 448) for size in (5, 48, 60, 80, 140)]
    [5, 5, 4, 3, 2]
    """
    return max(1, min(LETTERS, ((side - side // 28) // size + 1) // 2))


@cache
def candidates(side: int) -> tuple[int, ...]:
    """The sizes that may be shown in an image: whole pixels, at least 4% apart, two letters in a row at least."""
    largest = (side - side // 28) // 3
    steps = np.geomspace(SMALLEST, largest, round(np.log10(largest / SMALLEST) / 0.02))
    sizes: list[int] = []
    for size in sorted({round(step) for step in steps}):
        if not sizes or size >= 1.08 * sizes[-1] or size < 13:
            sizes.append(size)
    return tuple(sizes)


@dataclass(frozen=True)
class Belief:
    """A weight for every threshold, a row, and every combination of width, guess and lapse, a column."""

    side: int
    weights: Numbers

    @property
    def thresholds(self) -> Numbers:
        """log10 of the thresholds of the grid."""
        return _thresholds(self.side)

    @property
    def spread(self) -> float:
        """The standard deviation of log10 of the threshold."""
        mass = self.weights.sum(axis=1)
        centre = float(mass @ self.thresholds)
        return float(np.sqrt(mass @ (self.thresholds - centre) ** 2))

    @property
    def threshold(self) -> float:
        """The median threshold, as a size."""
        mass = np.cumsum(self.weights.sum(axis=1))
        return float(10 ** np.interp(0.5, mass, self.thresholds))

    @property
    def reads(self) -> float:
        """The probability that it reads any letters: that the threshold lies among the sizes that may be shown."""
        return float(self.weights[10**self.thresholds <= candidates(self.side)[-1]].sum())

    def after(self, size: int, right: int, shown: int) -> Belief:
        """What is believed once `right` of `shown` letters of a size were read."""
        chance = _shares(self.side)[candidates(self.side).index(size)]
        weights = self.weights * chance**right * (1 - chance) ** (shown - right)
        return replace(self, weights=weights / weights.sum())

    def next_size(self) -> int:
        """The size after whose reply the least entropy of the threshold is expected to be left."""
        expected = [self._left_open(place) for place in range(len(candidates(self.side)))]
        return candidates(self.side)[int(np.argmin(expected))]

    def _left_open(self, place: int) -> float:
        joint = np.einsum("kto,to->kt", _replies(self.side)[place], self.weights)
        of_reply = joint.sum(axis=1)
        return float(xlogy(of_reply, of_reply).sum() - xlogy(joint, joint).sum())


def at_first(side: int) -> Belief:
    """What is believed before anything was asked: any threshold, and the weak priors of the rest."""
    prior = np.exp(log_prior(*_others().T))
    weights = np.ones((_thresholds(side).size, 1)) * prior
    return Belief(side, weights / weights.sum())


def beside(first: Belief, side: int) -> Belief:
    """What is believed of another series once the first is known: the same curve, its threshold not far off.

    Half of the weight lies around the first threshold, the other half anywhere.
    """
    thresholds = _thresholds(side)
    known = first.weights.sum(axis=1)
    away = (thresholds[:, None] - first.thresholds) / BESIDE
    near = np.exp(-(away**2) / 2) @ known
    mass = near / near.sum() / 2 + 0.5 / thresholds.size
    return Belief(side, mass[:, None] * first.weights.sum(axis=0))


@cache
def _thresholds(side: int) -> Numbers:
    return np.arange(np.log10(SMALLEST) - 0.2, np.log10(candidates(side)[-1]) + 0.35, STEP)


@cache
def _others() -> Numbers:
    """A row for each combination of width, guess and lapse."""
    grid = np.meshgrid((0.03, 0.08, 0.2, 0.5), (0.002, 0.04, 0.1, 0.2), (0.005, 0.04, 0.12, 0.3), indexing="ij")
    return np.stack([each.ravel() for each in grid], axis=1)


@cache
def _shares(side: int) -> Numbers:
    """The share right at each candidate size, for each threshold and each combination of the rest."""
    at = np.log10(np.array(candidates(side)))[:, None, None]
    widths, guesses, lapses = _others().T
    along = (at - _thresholds(side)[:, None]) / widths
    return np.asarray(guesses + (1 - guesses - lapses) * rise(along, "logistic"))


@cache
def _replies(side: int) -> tuple[Numbers, ...]:
    """Of each candidate size the probability of each number of letters right, for each threshold and the rest."""
    found = []
    for size, chance in zip(candidates(side), _shares(side), strict=True):
        shown = letters_that_fit(size, side)
        right = np.arange(shown + 1)[:, None, None]
        ways = np.exp(gammaln(shown + 1) - gammaln(right + 1) - gammaln(shown - right + 1))
        found.append(ways * chance**right * (1 - chance) ** (shown - right))
    return tuple(found)
