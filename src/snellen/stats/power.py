"""What so many items could show: the smallest effect a study would probably not miss."""

from __future__ import annotations

from functools import lru_cache
from math import ceil, floor, inf, sqrt

import numpy as np
import scipy
from numpy.typing import ArrayLike

from snellen.stats.clustered import gather
from snellen.stats.observations import Codes, Numbers, group_codes, numbers, open_fraction, whole


@lru_cache(maxsize=4096)
def minimum_detectable_effect(n: int, discordance: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """The smallest difference of two accuracies on the same n items that McNemar's exact test finds with this power.

    `discordance` is the share of items expected to change, either way. A difference cannot exceed it; where none that
    small can be found, the answer is the smallest larger one, for which all items that change do so in one direction.
    It is infinite where even a change of every item would not be enough (5 items at the 5% level).

    >>> round(minimum_detectable_effect(400, discordance=0.2), 3)
    0.064
    """
    whole(n, "n")
    open_fraction(alpha, "alpha")
    open_fraction(power, "power")
    if not 0 <= discordance <= 1:
        raise ValueError(f"`discordance` must lie in [0, 1], got {discordance}.")
    if mcnemar_power(n, 1.0, 1.0, alpha) < power:
        return inf
    low, high = 0.0, 1.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        if mcnemar_power(n, max(discordance, middle), middle, alpha) < power:
            low = middle
        else:
            high = middle
    return high


def minimum_detectable_mean(
    differences: ArrayLike, clusters: ArrayLike | None = None, alpha: float = 0.05, power: float = 0.8
) -> float:
    """The smallest mean difference that a Student-t test over items spread like these finds with this power.

    For items asked repeatedly, whose differences are shares and not just gained or lost.

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
    """How often McNemar's exact test finds this difference of accuracies when this share of n items changes.

    >>> mcnemar_power(6, discordance=1.0, difference=1.0)
    1.0
    """
    if not 0 <= abs(difference) <= discordance <= 1:
        raise ValueError(f"A difference of {difference} needs a discordance between it and 1, got {discordance}.")
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
    """The smallest gain over chance for which Wilson's interval of n independent items lies above chance this often.

    It is infinite where even n right answers would not be enough.

    >>> round(minimum_detectable_gain(100, chance=0.25), 3)
    0.126
    """
    whole(n, "n")
    open_fraction(chance, "chance")
    margin = float(scipy.special.ndtri(1 - open_fraction(alpha, "alpha") / 2)) * sqrt(chance * (1 - chance) / n)
    needed = floor(n * (chance + margin)) + 1
    if needed > n:
        return inf
    return float(scipy.special.betaincinv(needed, n - needed + 1, open_fraction(power, "power"))) - chance


def _likely_counts(n: int, share: float) -> Codes:
    """All counts of n items that are not next to impossible (beyond nine standard deviations)."""
    reach = 9 * sqrt(n * share * (1 - share)) + 9
    return np.arange(max(0, floor(n * share - reach)), min(n, ceil(n * share + reach)) + 1, dtype=np.intp)


def _critical(changed: Codes, alpha: float) -> Codes:
    """The largest number of items against the trend at which the test still finds a difference, −1 if there is none."""
    guess = np.floor(changed / 2 + scipy.special.ndtri(alpha / 2) * np.sqrt(changed) / 2 - 0.5).astype(np.intp)
    best = np.full_like(changed, -1)
    for step in (-1, 0, 1, 2):
        candidate = np.clip(guess + step, 0, changed)
        best = np.where(2 * scipy.special.bdtr(candidate, changed, 0.5) <= alpha, np.maximum(best, candidate), best)
    return best


def _binomial(counts: Codes, n: int, share: float) -> Numbers:
    """The probability of each count."""
    ways = scipy.special.gammaln(n + 1) - scipy.special.gammaln(counts + 1) - scipy.special.gammaln(n - counts + 1)
    return np.asarray(np.exp(ways + scipy.special.xlogy(counts, share) + scipy.special.xlog1py(n - counts, -share)))
