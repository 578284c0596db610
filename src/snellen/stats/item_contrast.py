"""Contrasts: a mean over items held against a limit, each item asked once or repeatedly, and how many items decide."""

from __future__ import annotations

from collections.abc import Callable
from math import comb, inf, sqrt
from typing import Literal, NamedTuple

import scipy

from snellen.stats.observations import open_fraction, whole

MOST_ITEMS = 10**9
"""No larger number of items is looked for."""

Sort = Literal["difference", "limit", "inside", "inside-both"]


class Contrast(NamedTuple):
    """A mean over items that lies `distance` from a limit; its interval or its test must show on which side.

    Over items asked r times each, the variance of an item's value is `between` + `within` / r: how far the items differ
    in truth, and how far one response is from its item's mean. `sort` says what decides:

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
        """The variance of an item's value if it is asked so often."""
        return self.between + self.within / repeats

    def power(self, items: int, repeats: int = 1) -> float:
        """How often so many items, asked so often, decide it.

        >>> round(Contrast(0.1, 0.19, sort="difference").power(400), 2)
        0.99
        """
        whole(items, "items")
        whole(repeats, "repeats")
        one = self.variance(repeats)
        z, deviation = -float(scipy.special.ndtri(open_fraction(self.alpha, "alpha") / 2)), sqrt(one / items)
        if self.sort == "difference":  # with the correction for continuity that the exact test amounts to
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
        """The fewest items that decide it this often; infinite where a billion would not.

        >>> Contrast(0.05, 0.1, sort="difference").items(0.8)
        359
        """
        return fewest(lambda items: self.power(items, repeats) >= open_fraction(power, "power"))

    def detectable(self, items: int, power: float, repeats: int = 1) -> float:
        """The smallest distance that so many items decide this often; infinite where even 1 is too little.

        A difference adds its own share of items that change, in one direction, to those that change to and fro.

        >>> round(Contrast(0.05, 0.1, sort="difference").detectable(359, 0.8), 3)
        0.05
        """
        if self._at(1.0).power(items, repeats) < power:
            return inf
        low, high = 0.0, 1.0
        while high - low > 1e-6:
            middle = (low + high) / 2
            low, high = (low, middle) if self._at(middle).power(items, repeats) >= power else (middle, high)
        return high

    def _at(self, distance: float) -> Contrast:
        if self.sort != "difference":
            return self._replace(distance=distance)
        changing = self.between - self.distance * (1 - self.distance)
        return self._replace(distance=distance, between=max(0.0, changing) + distance * (1 - distance))


def fewest(enough: Callable[[int], bool]) -> float:
    """The smallest number of items that is enough, if every larger one is too; infinite beyond a billion."""
    high = 1
    while not enough(high):
        if high >= MOST_ITEMS:
            return inf
        high = min(2 * high, MOST_ITEMS)
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def chance_of_moving(repeats: int) -> float:
    """The variance, over items answered by a coin, of how far answers move beyond run to run.

    Each item is answered so often under each of two conditions. What moves is the share of pairs of responses, one of
    each condition, that differ, less the share of pairs within a condition that do. The mean is 0.

    >>> round(chance_of_moving(2), 4), round(chance_of_moving(3), 4)
    (0.1875, 0.0694)
    """
    if repeats < 2:
        raise ValueError(f"Within a condition, pairs need two responses, got repeats={repeats}.")
    chances = [comb(repeats, k) / 2**repeats for k in range(repeats + 1)]
    total = 0.0
    for first, at in enumerate(chances):
        for second, other in enumerate(chances):
            a, b = first / repeats, second / repeats
            alone = (a * (1 - a) + b * (1 - b)) * repeats / (repeats - 1)
            total += at * other * (a + b - 2 * a * b - alone) ** 2
    return total
