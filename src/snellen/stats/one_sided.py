"""Tests of a mean over clusters, or of a number of hits, against chance.

If there is nothing to learn, predictions of cross-validation are less certain than the number of items suggests. Of two
items in different folds, each helps to train the model that predicts the other, so similarities by chance count twice.
The variance is then up to twice that of independent items (`CROSS_VALIDATED`).
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import scipy
from numpy.typing import ArrayLike

from snellen.stats.clustered import count_nonzero_clusters, gather
from snellen.stats.observations import Numbers, fractions, group_codes, is_binary, numbers

CROSS_VALIDATED = 2.0
"""Largest factor by which cross-validation can increase the variance of a mean over items."""


def above_chance_p(
    hits: ArrayLike, chances: ArrayLike, clusters: ArrayLike | None = None, *, inflation: float = 1.0
) -> float:
    """One-sided p of the number of hits, given each item's chance of a hit.

    Exact for independent zeros and ones. Otherwise a t-test with the variance by chance, increased by the agreement
    within clusters, so there is a p even if all items are hits. `inflation` multiplies that variance.

    >>> round(above_chance_p([1] * 8, [0.5] * 8), 4), above_chance_p([1, 1, 0, 0], [0.5] * 4)
    (0.0039, 0.6875)
    """
    hit, chance = fractions(hits, "hits"), fractions(chances, "chances")
    if hit.shape != chance.shape:
        raise ValueError(f"`hits` and `chances` need one value per item, got {hit.size} and {chance.size}.")
    codes = group_codes(clusters, hit.size)
    by_cluster = gather(hit - chance, codes)
    if by_cluster.count == hit.size and is_binary(hit) and inflation == 1:
        return float(min(1.0, hits_by_luck(chance)[int(hit.sum()) :].sum()))
    if by_cluster.count < 2:
        return 1.0
    independent = float(np.sum(chance * (1 - chance))) / hit.size**2
    if independent == 0:
        return 1.0
    error = sqrt(inflation * independent * by_cluster.design_effect(independent, by_cluster.count))
    freedom = by_cluster.items / by_cluster.worst_design_effect - 1
    half_a_hit = 0.5 / hit.size
    return float(scipy.special.stdtr(freedom, -(by_cluster.mean - half_a_hit) / error)) if freedom > 0.05 else 1.0


def positive_mean_p(values: ArrayLike, clusters: ArrayLike | None = None, *, inflation: float = 1.0) -> float:
    """One-sided p of a mean if the true mean is 0, by a clustered t-test.

    Only clusters with a value other than 0 count as degrees of freedom. `inflation` multiplies the variance.

    >>> round(positive_mean_p([1.0, 2.0, 3.0]), 3), positive_mean_p([0.0, 0.0, 1.0])
    (0.037, 1.0)
    """
    array = numbers(values, "values")
    codes = group_codes(clusters, array.size)
    by_cluster = gather(array, codes)
    freedom = count_nonzero_clusters(array, codes) - 1
    if freedom < 1 or by_cluster.mean <= 0:
        return 1.0
    if by_cluster.variance == 0:
        return float(0.5**by_cluster.count)
    return float(scipy.special.stdtr(freedom, -by_cluster.mean / sqrt(inflation * by_cluster.variance)))


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
