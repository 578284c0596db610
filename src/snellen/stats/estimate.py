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
    least_p: float | None = None
    """The smallest p that so many random draws can show; None where p is exact."""

    @property
    def p_at_floor(self) -> bool:
        """Whether p is as small as the draws can show, so that it may be smaller still."""
        return self.p is not None and self.least_p is not None and self.p <= self.least_p

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}] (n={self.n}, {self.method})"
