"""Paired comparisons: the same items asked under two conditions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from snellen.stats.clustered import count_nonzero_clusters, gather, independent_variance
from snellen.stats.estimate import Estimate
from snellen.stats.observations import group_codes, is_binary, numbers, open_fraction, paired_fractions
from snellen.stats.permutation import mcnemar_exact, permutation_test


def paired_difference(
    a: ArrayLike,
    b: ArrayLike,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    *,
    seed: int = 0,
    resamples: int = 10_000,
) -> Estimate:
    """Mean of `b` − `a` over items, with the interval of `bonett_price` and a p.

    p is McNemar's exact one for independent zeros and ones, otherwise that of `permutation_test`.

    >>> same = [1, 1, 0, 1, 0, 1, 1, 1, 0, 1]
    >>> print(paired_difference(same, same))
    0.00 [-0.27, 0.27] (n=10, bonett-price)
    """
    left, right = paired_fractions(a, b, ("a", "b"))
    estimate = bonett_price(right - left, clusters, level)
    if estimate.method == "bonett-price" and is_binary(left) and is_binary(right):
        return replace(estimate, p=mcnemar_exact(left, right))
    found = permutation_test(right - left, clusters, resamples=resamples, seed=seed)
    return replace(estimate, p=found.p, least_p=found.least)


def bonett_price(differences: ArrayLike, clusters: ArrayLike | None = None, level: float = 0.95) -> Estimate:
    """Mean of differences in [−1, 1], with an interval that always has a width.

    Two hypothetical clusters, with the differences 1 and −1, are added for a cluster-robust Student-t interval (Bonett
    and Price's idea for single items). Each weighs as much as one independent item, by the design effect. The value is
    the plain mean.

    >>> print(bonett_price([0, 0, 0, 0, 1, 1, 1, -1]))
    0.25 [-0.36, 0.76] (n=8, bonett-price)
    """
    array = numbers(differences, "differences")
    if np.abs(array).max() > 1:
        raise ValueError(f"`differences` must lie in [−1, 1], got {array[np.abs(array).argmax()]}.")
    codes = group_codes(clusters, array.size)
    by_cluster = gather(array, codes)
    weight = by_cluster.design_effect(independent_variance(array), count_nonzero_clusters(array, codes))
    widened = by_cluster.with_clusters((weight, -weight), (weight, weight))
    half = widened.margin(open_fraction(level, "level"))
    value = by_cluster.mean
    low = max(-1.0, min(widened.mean - half, value))
    high = min(1.0, max(widened.mean + half, value))
    method = "bonett-price" if by_cluster.count == array.size else "cluster-bonett-price"
    return Estimate(value, low, high, array.size, method, sample=by_cluster.sample((-1.0, 1.0), (value, low, high)))
