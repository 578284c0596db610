"""Estimate: a number with its interval, its n and its method."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The observations behind an estimate, as sums over independent clusters.

    The estimate is the sum of `tops` divided by the sum of `bottoms`; it is a mean if the bottoms are the cluster
    sizes.
    """

    tops: NDArray[np.float64]
    bottoms: NDArray[np.float64]
    sizes: NDArray[np.float64]
    bounds: tuple[float, float] | None = None
    """Lowest and highest possible value of an item, for a mean; None for a ratio above chance."""
    times: NDArray[np.float64] | None = None
    """Number of times each cluster occurs; None for once each."""
    interval: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Value, low and high of the estimate when it was made."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, its interval, n and method.

    >>> print(Estimate(0.5, 0.4, 0.6, n=100, method="wilson"))
    0.50 [0.40, 0.60] (n=100, wilson)
    """

    value: float
    low: float
    high: float
    n: int
    method: str
    p: float | None = None
    least_p: float | None = None
    """Smallest p that the number of random draws can show; None if p is exact."""

    sample: Sample | None = field(default=None, repr=False, compare=False)
    """The observations; None if they allow no interval that is valid at every look."""

    @property
    def alone(self) -> Estimate:
        """Copy without the observations, as stored in files."""
        return replace(self, sample=None)

    @property
    def p_at_floor(self) -> bool:
        """True if p is the smallest that the number of random draws can show."""
        return self.p is not None and self.least_p is not None and self.p <= self.least_p

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}] (n={self.n}, {self.method})"
