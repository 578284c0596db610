"""The median, with an interval that assumes nothing of how the values are spread."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike

from snellen.stats.estimate import Estimate
from snellen.stats.observations import numbers, open_fraction


def median(values: ArrayLike, level: float = 0.95) -> Estimate:
    """The median and two of the sorted values, between which the true one lies at least so often.

    The values are independent. Each of them lies below the true median as often as a coin shows heads, so the binomial
    distribution says how many do. Of fewer than six values no two are far enough apart for 95%: then the interval has
    no ends.

    >>> print(median([7, 1, 2, 3, 4, 5, 6]))
    4.00 [1.00, 7.00] (n=7, order-statistics)
    """
    ordered = np.sort(numbers(values, "values"))
    n = len(ordered)
    place = int(np.searchsorted(scipy.special.bdtr(np.arange(n), n, 0.5), (1 - open_fraction(level, "level")) / 2))
    low, high = (ordered[place - 1], ordered[n - place]) if place else (-np.inf, np.inf)
    return Estimate(float(np.median(ordered)), float(low), float(high), n, "order-statistics")
