"""Decision: how far the responses speak for a pass and for a fail, before marks are corrected together."""

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
"""The normal quantile of 80% power."""
FARTHEST = 10
"""If more than so many times the questions are needed, the truth may lie at the limit."""


@dataclass(frozen=True)
class Decision:
    """One verdict of one model, before correction: p against "not a pass" and against "not a fail"."""

    verdict: str
    passes: float = 1.0
    fails: float = 1.0
    pass_reason: str = ""
    fail_reason: str = ""
    open_reason: str = ""
    """Why it is neither, if it is neither; "" leaves it to what would decide."""
    settled: Status | None = None
    """The status if no p can change it: not applicable, or not decided for want of something."""
    family: bool = True
    """Whether it counts among the verdicts that are corrected together."""
    numbers: Mapping[str, Number] = field(default_factory=lambda: MappingProxyType({}))
    decides: LimitTest | None = None
    """The contrast that decides, from which the number of questions needed is reckoned."""
    limit: float = 0.0

    @property
    def p(self) -> float:
        """The two-sided p."""
        return min(1.0, 2 * min(self.passes, self.fails))

    @property
    def leans(self) -> Status:
        """Pass or fail, whichever the responses speak for."""
        return Status.PASS if self.passes <= self.fails else Status.FAIL


def settle(verdict: str, status: Status, reason: str, **numbers: Number) -> Decision:
    """A verdict that no p-value changes."""
    return Decision(verdict, open_reason=reason, settled=status, family=False, numbers=numbers)


def count_needed(found: LimitTest, level: float) -> int | None:
    """How many questions would decide with 80% power; None if more than ten times as many, or no number would.

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
    """Round to two digits, upwards, as a plan would say it.

    >>> round_up(1234), round_up(67)
    (1300, 67)
    """
    step: int = 10 ** max(0, floor(log10(max(1, count))) - 1)
    return ceil(count / step) * step


def as_json(number: Number) -> float | int | str | dict[str, float | int | str]:
    """A number of a verdict as JSON holds it; an end that nothing bounds is left out."""
    if not isinstance(number, Estimate):
        return number
    ends = {"value": number.value, "low": number.low, "high": number.high}
    return {**{name: end for name, end in ends.items() if isfinite(end)}, "n": number.n, "method": number.method}
