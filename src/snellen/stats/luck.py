"""Test against chance: the probability of a number of hits by random guessing."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike

from snellen.stats.observations import Numbers, numbers


def luck_p(hits: ArrayLike, luck: ArrayLike) -> float:
    """Exact two-sided p of the number of hits in independent tries with different chances.

    It is twice the smaller tail. A sign-flip test is no substitute: with few tries, the number of hits by chance is
    skewed, and it calls zero hits significant far too often.

    >>> round(luck_p([0] * 8, [0.2] * 8), 4), round(luck_p([1] * 8, [0.5] * 8), 4)
    (0.3355, 0.0078)
    """
    hit, chance = numbers(hits, "hits"), numbers(luck, "luck")
    if hit.shape != chance.shape or not np.isin(hit, (0, 1)).all() or ((chance < 0) | (chance > 1)).any():
        raise ValueError("`hits` must be 0 or 1, and `luck` needs one chance from 0 to 1 per hit.")
    sums = hits_by_luck(chance)
    count = int(hit.sum())
    return float(min(1.0, 2 * min(sums[: count + 1].sum(), sums[count:].sum())))


def hits_by_luck(chances: Numbers) -> Numbers:
    """Probabilities of 0, 1, 2… hits by chance (the Poisson binomial law).

    >>> hits_by_luck(np.array([0.5, 0.5])).tolist()
    [0.25, 0.5, 0.25]
    """
    law = np.ones(1)
    for each, tries in zip(*np.unique(chances, return_counts=True), strict=True):
        up_to = scipy.special.bdtr(np.arange(tries + 1), int(tries), each)
        law = np.convolve(law, np.diff(up_to, prepend=0.0))
    return law
