"""Luck: how likely it is that one who picks at random is right so often, each time with its own chance."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike

from snellen.stats.observations import Numbers, numbers


def luck_p(hits: ArrayLike, luck: ArrayLike) -> float:
    """The exact two-sided p of so many hits in independent tries, each of which luck alone hits with its own chance.

    Twice the smaller tail. A test that flips signs is no substitute: hits by chance are skewed, and with few tries it
    calls none at all significant far too often.

    >>> round(luck_p([0] * 8, [0.2] * 8), 4), round(luck_p([1] * 8, [0.5] * 8), 4)
    (0.3355, 0.0078)
    """
    hit, chance = numbers(hits, "hits"), numbers(luck, "luck")
    if hit.shape != chance.shape or not np.isin(hit, (0, 1)).all() or ((chance < 0) | (chance > 1)).any():
        raise ValueError("`hits` must be zeros and ones and `luck` a chance from 0 to 1 for each of them.")
    sums = hits_by_luck(chance)
    count = int(hit.sum())
    return float(min(1.0, 2 * min(sums[: count + 1].sum(), sums[count:].sum())))


def hits_by_luck(chances: Numbers) -> Numbers:
    """The probabilities of 0, 1, 2… hits in all, each try with its own chance (the Poisson binomial law).

    >>> hits_by_luck(np.array([0.5, 0.5])).tolist()
    [0.25, 0.5, 0.25]
    """
    law = np.ones(1)
    for each, tries in zip(*np.unique(chances, return_counts=True), strict=True):
        up_to = scipy.special.bdtr(np.arange(tries + 1), int(tries), each)
        law = np.convolve(law, np.diff(up_to, prepend=0.0))
    return law
