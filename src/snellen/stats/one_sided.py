"""One-sided tests over clusters: is a mean above what chance gives, where items of one cluster may agree?

What a model makes of items in cross-validation is less certain than the items suggest, where there is nothing to learn:
of two items in different folds, each helps to train the model that judges the other, so that what they share by
luck counts twice. The sum of many such pairs has twice the variance of independent items (`CROSS_VALIDATED`).
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import scipy
from numpy.typing import ArrayLike

from snellen.stats.clustered import gather, touched
from snellen.stats.luck import hits_by_luck
from snellen.stats.observations import fractions, group_codes, is_binary, numbers

CROSS_VALIDATED = 2.0
"""By how much the variance of a mean over cross-validated items exceeds that of independent ones, at the most."""


def above_chance_p(
    hits: ArrayLike, chances: ArrayLike, clusters: ArrayLike | None = None, *, inflation: float = 1.0
) -> float:
    """How likely so many hits are where each item is hit by its own chance, whatever the others of its cluster do.

    Exact for independent zeros and ones. Otherwise a t-test whose variance is that of chance, widened by how much the
    items of a cluster agree, so that hits without exception have a p as well. `inflation` multiplies that variance.

    >>> round(above_chance_p([1] * 8, [0.5] * 8), 4), above_chance_p([1, 1, 0, 0], [0.5] * 4)
    (0.0039, 0.6875)
    """
    hit, chance = fractions(hits, "hits"), fractions(chances, "chances")
    if hit.shape != chance.shape:
        raise ValueError(f"`hits` and `chances` must be one for each item, got {hit.size} and {chance.size}.")
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
    """How likely so high a mean is where the true one is 0: a t-test over clusters.

    Clusters whose values are all 0 say nothing: only the others count as degrees of freedom. `inflation` multiplies the
    variance.

    >>> round(positive_mean_p([1.0, 2.0, 3.0]), 3), positive_mean_p([0.0, 0.0, 1.0])
    (0.037, 1.0)
    """
    array = numbers(values, "values")
    codes = group_codes(clusters, array.size)
    by_cluster = gather(array, codes)
    freedom = touched(array, codes) - 1
    if freedom < 1 or by_cluster.mean <= 0:
        return 1.0
    if by_cluster.variance == 0:
        return float(0.5**by_cluster.count)
    return float(scipy.special.stdtr(freedom, -by_cluster.mean / sqrt(inflation * by_cluster.variance)))
