"""Median with an interval that makes no assumption on the distribution."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike

from snellen.stats.estimate import Estimate
from snellen.stats.observations import numbers, open_fraction


def median(values: ArrayLike, level: float = 0.95) -> Estimate:
    """Median of independent values, with an interval between two of the sorted values.

    Each value is below the true median with probability ½, so the number below it is binomial. With fewer than six
    values no 95% interval exists, and the bounds are infinite.

    >>> print(median([7, 1, 2, 3, 4, 5, 6]))
    4.00 [1.00, 7.00] (n=7, order-statistics)
    """
    ordered = np.sort(numbers(values, "values"))
    n = len(ordered)
    place = int(np.searchsorted(scipy.special.bdtr(np.arange(n), n, 0.5), (1 - open_fraction(level, "level")) / 2))
    low, high = (ordered[place - 1], ordered[n - place]) if place else (-np.inf, np.inf)
    return Estimate(float(np.median(ordered)), float(low), float(high), n, "order-statistics")
