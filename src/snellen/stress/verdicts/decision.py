"""Evidence for a pass and for a fail, before correction for several verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil, floor, isfinite, log10
from types import MappingProxyType

import scipy

from snellen.stats import Estimate, LimitTest
from snellen.stress.base import Status

Number = Estimate | float | int | str
POWER = 0.84
"""Normal quantile of 80% power."""
FARTHEST = 10
"""If more than this many times the questions are needed, the true value may be at the limit."""


@dataclass(frozen=True)
class UncorrectedVerdict:
    """A verdict before correction, with the p-values of a pass and of a fail."""

    verdict: str
    passes: float = 1.0
    fails: float = 1.0
    pass_reason: str = ""
    fail_reason: str = ""
    open_reason: str = ""
    """Reason if the verdict is not decided; "" if more questions could decide it."""
    settled: Status | None = None
    """Status that no p-value can change: not applicable, or not decided because something is missing."""
    family: bool = True
    """Whether the verdict counts among those that are corrected together."""
    numbers: Mapping[str, Number] = field(default_factory=lambda: MappingProxyType({}))
    decides: LimitTest | None = None
    """The comparison that decides; the number of questions needed is computed from it."""
    limit: float = 0.0

    @property
    def p(self) -> float:
        """Two-sided p-value."""
        return min(1.0, 2 * min(self.passes, self.fails))

    @property
    def leans(self) -> Status:
        """Pass or fail, whichever has the smaller p-value."""
        return Status.PASS if self.passes <= self.fails else Status.FAIL


def settle(verdict: str, status: Status, reason: str, **numbers: Number) -> UncorrectedVerdict:
    """Return a verdict that no p-value can change."""
    return UncorrectedVerdict(verdict, open_reason=reason, settled=status, family=False, numbers=numbers)


def count_needed(found: LimitTest, level: float) -> int | None:
    """Compute the number of questions that would decide with 80% power. None if more than ten times as many.

    >>> from snellen.stats import compare_mean
    >>> count_needed(compare_mean([1, 0, 1, 1, 0, 1] * 10, 0.5), 0.05)
    78
    """
    now = -float(scipy.special.ndtri(max(min(found.above, found.below), 1e-300)))
    if now <= 0:
        return None
    needed = found.estimate.n * ((float(scipy.special.ndtri(1 - level / 2)) + POWER) / now) ** 2
    return ceil(needed) if needed <= FARTHEST * found.estimate.n else None


def round_up(count: int) -> int:
    """Round up to two digits.

    >>> round_up(1234), round_up(67)
    (1300, 67)
    """
    step: int = 10 ** max(0, floor(log10(max(1, count))) - 1)
    return ceil(count / step) * step


def as_json(number: Number) -> float | int | str | dict[str, float | int | str]:
    """Convert a verdict's number for JSON, without unbounded ends."""
    if not isinstance(number, Estimate):
        return number
    ends = {"value": number.value, "low": number.low, "high": number.high}
    return {**{name: end for name, end in ends.items() if isfinite(end)}, "n": number.n, "method": number.method}
