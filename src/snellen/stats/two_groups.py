"""Two groups of different items: how much higher the mean of one is than that of the other."""

from __future__ import annotations

from math import hypot

from snellen.stats.estimate import Estimate


def group_difference(first: Estimate, second: Estimate) -> Estimate:
    """The first group's mean minus the second's, by the intervals that the two have (MOVER: Zou and Donner, 2008).

    The bounds follow those of the two means, so that they are as honest as these where a group has no variance. The
    groups must be independent of each other.

    >>> first, second = Estimate(0.5, 0.3, 0.7, 20, "wilson"), Estimate(0.4, 0.1, 0.8, 10, "wilson")
    >>> print(group_difference(first, second))
    0.10 [-0.35, 0.46] (n=30, mover)
    """
    value = first.value - second.value
    low = value - hypot(first.value - first.low, second.high - second.value)
    high = value + hypot(first.high - first.value, second.value - second.low)
    return Estimate(value, low, high, first.n + second.n, "mover")
