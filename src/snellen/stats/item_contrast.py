"""Power and number of items for comparing a mean with a limit."""

from __future__ import annotations

from collections.abc import Callable
from math import comb, inf, sqrt
from typing import Literal, NamedTuple

import scipy

from snellen.stats.observations import check_count, open_fraction

MOST_ITEMS = 10**9
"""Largest number of items that is tried."""

Sort = Literal["difference", "limit", "inside", "inside-both"]


class ItemContrast(NamedTuple):
    """Plan to show that a mean lies above or below a limit.

    `distance` is the distance of the mean from the limit. If each item is asked r times, the variance of an item's
    value is `between` + `within` / r. `between` is the variance of the items' true means, `within` that of one response
    around its item's mean. `sort` is the method of decision:

    - `difference`: McNemar's test, or the permutation test of repeated items, finds a difference of two conditions;
    - `limit`: an interval excludes the limit, at which the variance is `null` times as large;
    - `inside`: the interval of `bonett_price` ends before the limit; `inside-both`: on both sides.
    """

    distance: float
    between: float
    within: float = 0.0
    sort: Sort = "limit"
    alpha: float = 0.05
    null: float = 1.0

    def variance(self, repeats: int) -> float:
        """Return the variance of an item's value with this number of repeats."""
        return self.between + self.within / repeats

    def power(self, items: int, repeats: int = 1) -> float:
        """Return the power with this number of items and repeats.

        >>> round(ItemContrast(0.1, 0.19, sort="difference").power(400), 2)
        0.99
        """
        check_count(items, "items")
        check_count(repeats, "repeats")
        one = self.variance(repeats)
        z, deviation = -float(scipy.special.ndtri(open_fraction(self.alpha, "alpha") / 2)), sqrt(one / items)
        if self.sort == "difference":  # with a continuity correction, to match the exact test
            away = self.distance - 1 / items - z * sqrt((one + self.distance**2) / items)
        elif self.sort == "limit":
            away = self.distance - z * sqrt(self.null * one / items)
        else:
            away = self.distance - z * sqrt(items * one + 2) / (items + 2)
        if deviation == 0:
            return float(away > 0)
        found = float(scipy.special.ndtr(away / deviation))
        return max(0.0, 2 * found - 1) if self.sort == "inside-both" else found

    def items(self, power: float, repeats: int = 1) -> float:
        """Return the fewest items with this power; infinite if a billion are not enough.

        >>> ItemContrast(0.05, 0.1, sort="difference").items(0.8)
        359
        """
        return fewest(lambda items: self.power(items, repeats) >= open_fraction(power, "power"))

    def detectable(self, items: int, power: float, repeats: int = 1) -> float:
        """Return the smallest distance detected with this power; infinite if even 1 is not detected.

        For a `difference`, a larger distance means more items that change in one direction; other changes stay.

        >>> round(ItemContrast(0.05, 0.1, sort="difference").detectable(359, 0.8), 3)
        0.05
        """
        return least_effect(lambda distance: self._with_distance(distance).power(items, repeats) >= power)

    def _with_distance(self, distance: float) -> ItemContrast:
        if self.sort != "difference":
            return self._replace(distance=distance)
        changing = self.between - self.distance * (1 - self.distance)
        return self._replace(distance=distance, between=max(0.0, changing) + distance * (1 - distance))


def least_effect(shows: Callable[[float], bool]) -> float:
    """Find the smallest effect up to 1 that `shows` accepts; infinite if none."""
    if not shows(1.0):
        return inf
    low, high = 0.0, 1.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (low, middle) if shows(middle) else (middle, high)
    return high


def fewest(enough: Callable[[int], bool], *, most: int = MOST_ITEMS) -> float:
    """Find the smallest sufficient number of items; infinite if `most` are not enough."""
    high = 1
    while not enough(high):
        if high >= most:
            return inf
        high = min(2 * high, most)
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def chance_of_moving(repeats: int) -> float:
    """Variance of the share of changed answers if all answers are coin tosses.

    Each item has this number of repeats under each of two conditions. The share of changed answers is the share of
    differing pairs between the conditions minus the share within them. Its mean is 0.

    >>> round(chance_of_moving(2), 4), round(chance_of_moving(3), 4)
    (0.1875, 0.0694)
    """
    if repeats < 2:
        raise ValueError(f"Pairs of responses within a condition need `repeats` of at least 2, got {repeats}.")
    chances = [comb(repeats, k) / 2**repeats for k in range(repeats + 1)]
    total = 0.0
    for first, at in enumerate(chances):
        for second, other in enumerate(chances):
            a, b = first / repeats, second / repeats
            alone = (a * (1 - a) + b * (1 - b)) * repeats / (repeats - 1)
            total += at * other * (a + b - 2 * a * b - alone) ** 2
    return total
