"""Estimate: a number with its interval, its n and its method."""

from __future__ import annotations

from dataclasses import dataclass


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

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}] (n={self.n}, {self.method})"
