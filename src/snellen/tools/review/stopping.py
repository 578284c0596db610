"""Stopping: when enough has been read, by intervals that hold however often one looks.

Who looks at an ordinary 95% CI after every case and stops when it is narrow is wrong more often than 5% of the time.
These intervals are confidence sequences: whenever one stops, they hold the truth in at least 95% of reviews.
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
from snellen.tools.review.task import Task, Value
from snellen.tools.review.tasks.profile import PROFILE

FEWEST = 5
"""Of fewer cases nothing is said: whatever they show, the interval would be nearly all that is possible."""


class Enough(NamedTuple):
    """Whether enough has been read, and why, in words."""

    enough: bool
    sentence: str


class _Known(NamedTuple):
    """How well one number is known: what it is, its interval, how narrow it is to be, and the cases still planned."""

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
        """About how many more cases: an interval's width falls with the root of their number."""
        return max(1, ceil(self.estimate.n * ((self.half / self.half_width) ** 2 - 1)))

    @property
    def sentence(self) -> str:
        found = self.estimate
        said = (
            f"{self.name} is {found.value:.2f} (95% CI at any look {found.low:.2f} to {found.high:.2f}, n={found.n}, "
            f"{found.method}), known to ±{self.half:.2f}"
        )
        if self.enough:
            return f"{said}: enough for ±{self.half_width:g}."
        if self.more <= self.left:
            few = f", of {self.left:,} that are left"
        else:
            there = f"only {self.left:,} {'is' if self.left == 1 else 'are'}" if self.left else "none is"
            few = f", and {there} left of the plan (draw more with --each)"
        return f"{said}: ±{self.half_width:g} takes about {counted(self.more, 'more case')}{few}."


def enough(cases: Sequence[ReviewedCase], task: Task, *, half_width: float = 0.1) -> Enough:
    """Whether enough was read: the agreement of raters is known to ± `half_width`, or all planned cases are read.

    For profiles it is each benchmark's mean reasoning and visual complexity, known to twice that (from 1 to 3).
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
                False, f"Nobody could judge any of the {counted(len(mine), 'planned case')}: all were skipped."
            )
        if not skipped:
            return Enough(True, " ".join([f"All {len(mine):,} planned cases are read.", *said]))
        waits = "waits" if skipped == 1 else "wait"
        there = f"{len(mine) - skipped:,} of {len(mine):,} planned cases are read"
        could = f"{skipped:,} {waits} for another rater because somebody could not judge {_them(skipped)}"
        return Enough(skipped < len(mine), " ".join([f"{there}, and {could}.", *said]))
    if known and all(each.enough for each in known):
        return Enough(True, " ".join(said))
    if sparse or not known:
        count = min((each.estimate.n for each in sparse), default=0)
        about = f" ({', '.join(each.name for each in sparse[:4])})" if len(known) > 1 else ""
        read = "rated by as many as planned" if task.name == PROFILE.name else "read by two raters or more"
        said.append(f"Too little is known yet{about}: {count} cases are {read}, at least {FEWEST} are needed.")
    return Enough(False, " ".join(said))


def _them(count: int) -> str:
    return "it" if count == 1 else "them"


def _is_done(case: ReviewedCase) -> bool:
    """Whether as many have read a case as were to, or have said that they cannot judge it."""
    return is_read(case) or sum(not vote.settles for vote in case.votes) >= case.wanted


def _agreement(cases: Sequence[ReviewedCase], task: Task, half_width: float) -> Iterator[_Known]:
    """The mean agreement of pairs of votes, over all that is compared."""
    shares = [(cluster(case.subject), _agreeing(task, list(readings(case).values()))) for case in cases]
    known = [(group, share) for group, share in shares if share is not None]
    if not known:
        return
    largest = max(Counter(group for group, _ in shares).values())
    groups, values = zip(*known, strict=True)
    estimate = confidence_sequence(values, groups, largest=largest)
    left = sum(case.wanted > 1 and not _is_done(case) and len(readings(case)) < 2 for case in cases)
    yield _Known("The agreement of raters", estimate, half_width, left)


def _agreeing(task: Task, said: Sequence[Value]) -> float | None:
    """The share of pairs of votes on one case that agree, over everything that both answered; None without a pair."""
    pairs = [
        one == other
        for field in task.compared
        for part in parts(field)
        for one, other in combinations([part.said(task, value) for value in said], 2)
        if one is not None and other is not None
    ]
    return fmean(pairs) if pairs else None


def _complexities(cases: Sequence[ReviewedCase], task: Task, half_width: float) -> Iterator[_Known]:
    """The two coordinates of every benchmark, over the items that as many rated as were to.

    Raters differ in how high they rate: of one rater's levels the interval over items would say nothing of the others.
    """
    for benchmark in dict.fromkeys(case.subject.benchmark for case in cases):
        mine = [case for case in cases if case.subject.benchmark == benchmark]
        rated = [(case.subject, readings(case)) for case in mine if is_read(case)]
        left = sum(not _is_done(case) for case in mine)
        largest = max(Counter(cluster(case.subject) for case in mine).values())
        for group, axes in GROUPS.items():
            name = f"The mean {group} complexity of {benchmark}"
            if not rated:
                yield _Known(name, Estimate(LOWEST, LOWEST, HIGHEST, 0, "no ratings"), 2 * half_width, left)
                continue
            groups = [cluster(subject) for subject, _ in rated]
            levels = confidence_sequence(complexities(rated, axes), groups, (LOWEST, HIGHEST), largest=largest)
            yield _Known(name, levels, 2 * half_width, left)
