"""Psychometric functions: how the share of letters that are read right grows with their size."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from snellen.stats.observations import Numbers

Shape = Literal["logistic", "weibull"]
EDGE = 0.05
"""The width of a curve is the distance, in log10 of the size, from this share of the rise to 1 less this share."""


@dataclass(frozen=True)
class PsychometricCurve:
    """guess + (1 − guess − lapse) · F, where F rises from 0 to 1 over log10 of the size and is 1/2 at `threshold`.

    `width` is the distance in log10 of the size from F = 0.05 to F = 0.95. `guess` is the share that is right far below
    the threshold, `lapse` the share that is wrong far above it.
    """

    threshold: float
    """As a size, such as pixels."""
    width: float
    guess: float
    lapse: float
    shape: Shape = "logistic"

    def at(self, sizes: ArrayLike) -> Numbers:
        """The expected share right at some sizes.

        >>> PsychometricCurve(threshold=10, width=0.2, guess=0.1, lapse=0.02).at([1, 10, 100]).round(3)
        array([0.1 , 0.54, 0.98])
        """
        along = (np.log10(np.asarray(sizes, dtype=np.float64)) - np.log10(self.threshold)) / self.width
        return np.asarray(self.guess + (1 - self.guess - self.lapse) * rise(along, self.shape))


def rise(along: Numbers, shape: Shape) -> Numbers:
    """F of a distance from the threshold in units of the width: 1/2 at 0, and 0.9 of the way within one width."""
    if shape == "logistic":
        return np.asarray(1 / (1 + np.exp(np.clip(-2 * log(1 / EDGE - 1) * along, -700, 700))))
    steepness = log(-log(EDGE)) - log(-log(1 - EDGE))
    return np.asarray(1 - np.exp(-np.exp(np.clip(steepness * along + log(log(2)), -700, 6))))
