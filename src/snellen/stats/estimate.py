"""Estimate: a number with its interval, its n and its method."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The observations behind an estimate, as sums over independent clusters; a single item is a cluster of one.

    The estimate is the sum of `tops` over the sum of `bottoms`: a mean if the bottoms are the clusters' sizes.
    """

    tops: NDArray[np.float64]
    bottoms: NDArray[np.float64]
    sizes: NDArray[np.float64]
    bounds: tuple[float, float] | None = None
    """Between which numbers each item of a mean lies; None for a ratio of what is above chance."""
    times: NDArray[np.float64] | None = None
    """How often each of the clusters occurs; None for once."""
    interval: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """The value and the ends that the estimate had as it was made."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, its interval, how many observations stand behind it, and how the interval was made.

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
    """The smallest p that so many random draws can show; None where p is exact."""

    sample: Sample | None = field(default=None, repr=False, compare=False)
    """What it was made of, where an interval can be made of it that holds however often one looks."""

    @property
    def alone(self) -> Estimate:
        """The same without the observations behind it, as files keep it."""
        return replace(self, sample=None)

    @property
    def p_at_floor(self) -> bool:
        """Whether p is as small as the draws can show, so that it may be smaller still."""
        return self.p is not None and self.least_p is not None and self.p <= self.least_p

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}] (n={self.n}, {self.method})"
