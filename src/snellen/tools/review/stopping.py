"""Decide when raters have read enough cases, by confidence sequences.

Looking at an ordinary 95% CI after every case and stopping once it is narrow is wrong more than 5% of the time.
A confidence sequence contains the truth in at least 95% of reviews, whenever the review stops.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import ceil
from statistics import fmean
from typing import NamedTuple

from snellen.runtime import counted
from snellen.stats import Estimate, confidence_sequence
from snellen.tools.review.ballots import ReviewedCase
from snellen.tools.review.case import cluster
from snellen.tools.review.profiles import GROUPS, HIGHEST, LOWEST, complexities
from snellen.tools.review.results import is_read, parts, readings
from snellen.tools.review.task import ReviewTask, Value
from snellen.tools.review.tasks.profile import PROFILE

FEWEST = 5
"""Minimum number of cases for an estimate; with fewer, the interval spans nearly all values."""


class Enough(NamedTuple):
    """Whether enough cases are read, with the reason in words."""

    enough: bool
    sentence: str


class _KnownNumber(NamedTuple):
    """A number with its interval, its target half-width, and the cases left to read."""

    name: str
    estimate: Estimate
    half_width: float
    left: int

    @property
    def half(self) -> float:
        return (self.estimate.high - self.estimate.low) / 2

    @property
    def enough(self) -> bool:
        return self.estimate.n >= FEWEST and self.half <= self.half_width

    @property
    def more(self) -> int:
        """Number of cases still needed. An interval's width falls with the square root of their number."""
        return max(1, ceil(self.estimate.n * ((self.half / self.half_width) ** 2 - 1)))

    @property
    def sentence(self) -> str:
        found = self.estimate
        said = (
            f"{self.name} is {found.value:.2f} (95% CI valid at any look {found.low:.2f} to {found.high:.2f}, "
            f"n={found.n}, {found.method}), known to ±{self.half:.2f}"
        )
        if self.enough:
            return f"{said}: enough for ±{self.half_width:g}."
        if self.more <= self.left:
            few = f", of {self.left:,} that are left"
        else:
            there = f"only {self.left:,} {'is' if self.left == 1 else 'are'}" if self.left else "none is"
            few = f", and {there} left of the plan (draw more with --each)"
        return f"{said}: ±{self.half_width:g} takes about {counted(self.more, 'more case')}{few}."


def enough(cases: Sequence[ReviewedCase], task: ReviewTask, *, half_width: float = 0.1) -> Enough:
    """Decide whether enough is read: agreement is known to ± `half_width`, or no case is left.

    For profiles: each benchmark's mean reasoning and visual complexity (1 to 3) is known to ± 2 `half_width`.
    """
    if not half_width > 0:
        raise ValueError(f"`half_width` must be above 0, got {half_width}.")
    mine = [case for case in cases if case.task == task.name]
    known = list((_complexities if task.name == PROFILE.name else _agreement)(mine, task, half_width))
    left = sum(not _is_done(case) for case in mine)
    said = [each.sentence for each in known if each.estimate.n >= FEWEST]
    sparse = [each for each in known if each.estimate.n < FEWEST]
    if not mine:
        return Enough(False, "No cases were drawn.")
    if not left:
        skipped = sum(not is_read(case) for case in mine)
        if not any(readings(case) for case in mine):
            return Enough(
                False, f"No rater could judge any of the {counted(len(mine), 'planned case')}: all were skipped."
            )
        if not skipped:
            return Enough(True, " ".join([f"All {len(mine):,} planned cases are read.", *said]))
        waiting = "waits for another rater because a rater could not judge it"
        if skipped > 1:
            waiting = "wait for another rater because a rater could not judge them"
        done = f"{len(mine) - skipped:,} of {len(mine):,} planned cases are read, and {skipped:,} {waiting}."
        return Enough(skipped < len(mine), " ".join([done, *said]))
    if known and all(each.enough for each in known):
        return Enough(True, " ".join(said))
    if sparse or not known:
        count = min((each.estimate.n for each in sparse), default=0)
        about = f" ({', '.join(each.name for each in sparse[:4])})" if len(known) > 1 else ""
        read = "rated by as many as planned" if task.name == PROFILE.name else "read by two raters or more"
        said.append(f"Too little is known yet{about}: {count} cases are {read}, at least {FEWEST} are needed.")
    return Enough(False, " ".join(said))


def _is_done(case: ReviewedCase) -> bool:
    """Return whether a case has all its votes, including skips."""
    return is_read(case) or sum(not vote.settles for vote in case.votes) >= case.wanted


def _agreement(cases: Sequence[ReviewedCase], task: ReviewTask, half_width: float) -> Iterator[_KnownNumber]:
    """Estimate the mean agreement of pairs of votes over all compared fields."""
    shares = [(cluster(case.subject), _agreeing(task, list(readings(case).values()))) for case in cases]
    known = [(share, group) for group, share in shares if share is not None]
    if not known:
        return
    largest = max(Counter(group for group, _ in shares).values())
    estimate = confidence_sequence(*zip(*known, strict=True), largest=largest)
    left = sum(case.wanted > 1 and not _is_done(case) and len(readings(case)) < 2 for case in cases)
    yield _KnownNumber("The agreement of raters", estimate, half_width, left)


def _agreeing(task: ReviewTask, said: Sequence[Value]) -> float | None:
    """Return the share of agreeing pairs of votes on one case; None without a pair."""
    pairs = [
        one == other
        for field in task.compared
        for part in parts(field)
        for one, other in combinations([part.read_label(task, value) for value in said], 2)
        if one is not None and other is not None
    ]
    return fmean(pairs) if pairs else None


def _complexities(cases: Sequence[ReviewedCase], task: ReviewTask, half_width: float) -> Iterator[_KnownNumber]:
    """Estimate each benchmark's reasoning and visual complexity over the fully rated items.

    Raters differ in how high they rate, so an interval over items read by one rater would not cover other raters.
    """
    for benchmark in dict.fromkeys(case.subject.benchmark for case in cases):
        mine = [case for case in cases if case.subject.benchmark == benchmark]
        rated = [(case.subject, readings(case)) for case in mine if is_read(case)]
        left = sum(not _is_done(case) for case in mine)
        largest = max(Counter(cluster(case.subject) for case in mine).values())
        for group, axes in GROUPS.items():
            name = f"The mean {group} complexity of {benchmark}"
            if not rated:
                yield _KnownNumber(name, Estimate(LOWEST, LOWEST, HIGHEST, 0, "no ratings"), 2 * half_width, left)
                continue
            groups = [cluster(subject) for subject, _ in rated]
            levels = confidence_sequence(complexities(rated, axes), groups, (LOWEST, HIGHEST), largest=largest)
            yield _KnownNumber(name, levels, 2 * half_width, left)
