"""Power: the smallest effect that a study of a given size would probably show."""

from __future__ import annotations

from functools import lru_cache
from math import ceil, floor, inf, sqrt

import numpy as np
import scipy
from numpy.typing import ArrayLike

from snellen.stats.clustered import gather
from snellen.stats.item_contrast import least_effect
from snellen.stats.observations import Codes, Numbers, check_count, group_codes, numbers, open_fraction


@lru_cache(maxsize=4096)
def minimum_detectable_effect(n: int, discordance: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """Smallest accuracy difference that McNemar's exact test finds with this power.

    `discordance` is the expected share of items that change in either direction. A difference cannot exceed it. If no
    such difference can be found, the result is the smallest larger one, with all changes in one direction. It is
    infinite if even a change of every item is not enough (5 items at the 5% level).

    >>> round(minimum_detectable_effect(400, discordance=0.2), 3)
    0.064
    """
    check_count(n, "n")
    open_fraction(alpha, "alpha")
    open_fraction(power, "power")
    if not 0 <= discordance <= 1:
        raise ValueError(f"`discordance` must lie in [0, 1], got {discordance}.")
    return least_effect(lambda effect: mcnemar_power(n, max(discordance, effect), effect, alpha) >= power)


def minimum_detectable_mean(
    differences: ArrayLike, clusters: ArrayLike | None = None, alpha: float = 0.05, power: float = 0.8
) -> float:
    """Smallest mean difference that a Student-t test over items finds with this power.

    It suits items with repeats, whose differences are shares.

    >>> round(minimum_detectable_mean([0.1, -0.1] * 30), 3)
    0.037
    """
    array = numbers(differences, "differences")
    by_cluster = gather(array, group_codes(clusters, array.size))
    if by_cluster.count < 2:
        return inf
    freedom = by_cluster.count - 1
    quantiles = scipy.special.stdtrit(freedom, 1 - open_fraction(alpha, "alpha") / 2) + scipy.special.stdtrit(
        freedom, open_fraction(power, "power")
    )
    return float(quantiles * sqrt(by_cluster.variance))


def mcnemar_power(n: int, discordance: float, difference: float, alpha: float = 0.05) -> float:
    """Power of McNemar's exact test for a given difference and share of changed items.

    >>> mcnemar_power(6, discordance=1.0, difference=1.0)
    1.0
    """
    if not 0 <= abs(difference) <= discordance <= 1:
        raise ValueError(f"A difference of {difference} needs `discordance` between its size and 1, got {discordance}.")
    if discordance == 0:
        return 0.0
    changed = _likely_counts(n, discordance)
    critical = _critical(changed, open_fraction(alpha, "alpha"))
    gained = min(1.0, (1 + abs(difference) / discordance) / 2)
    usable = critical >= 0
    least = np.where(usable, critical, 0)
    found = scipy.special.bdtr(least, changed, gained) + scipy.special.bdtrc(changed - least - 1, changed, gained)
    return float(np.sum(_binomial(changed, n, discordance) * np.where(usable, found, 0.0)))


def minimum_detectable_gain(n: int, chance: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """Smallest gain for which Wilson's interval lies above chance with this power.

    It is infinite if even n right answers are not enough.

    >>> round(minimum_detectable_gain(100, chance=0.25), 3)
    0.126
    """
    check_count(n, "n")
    open_fraction(chance, "chance")
    margin = float(scipy.special.ndtri(1 - open_fraction(alpha, "alpha") / 2)) * sqrt(chance * (1 - chance) / n)
    needed = floor(n * (chance + margin)) + 1
    if needed > n:
        return inf
    return float(scipy.special.betaincinv(needed, n - needed + 1, open_fraction(power, "power"))) - chance


def _likely_counts(n: int, share: float) -> Codes:
    """Counts of n items within nine standard deviations of the mean."""
    reach = 9 * sqrt(n * share * (1 - share)) + 9
    return np.arange(max(0, floor(n * share - reach)), min(n, ceil(n * share + reach)) + 1, dtype=np.intp)


def _critical(changed: Codes, alpha: float) -> Codes:
    """Largest number of items against the trend that is still significant; −1 if none is."""
    guess = np.floor(changed / 2 + scipy.special.ndtri(alpha / 2) * np.sqrt(changed) / 2 - 0.5).astype(np.intp)
    best = np.full_like(changed, -1)
    for step in (-1, 0, 1, 2):
        candidate = np.clip(guess + step, 0, changed)
        best = np.where(2 * scipy.special.bdtr(candidate, changed, 0.5) <= alpha, np.maximum(best, candidate), best)
    return best


def _binomial(counts: Codes, n: int, share: float) -> Numbers:
    ways = scipy.special.gammaln(n + 1) - scipy.special.gammaln(counts + 1) - scipy.special.gammaln(n - counts + 1)
    return np.asarray(np.exp(ways + scipy.special.xlogy(counts, share) + scipy.special.xlog1py(n - counts, -share)))
