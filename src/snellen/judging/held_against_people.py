"""A judge's agreement with raters, by which the gate decides whether the judge counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import Any, NamedTuple

from snellen.judging import THRESHOLD
from snellen.stats import Estimate, clustered_kappa, proportion

MOST_UNGRADED = 0.05
"""The share of rows that a judge may leave ungraded. A judge that grades only easy rows would seem to agree well."""
NOTHING = Estimate(float("nan"), -1.0, 1.0, 0, "no rows")


class LabelPair(NamedTuple):
    """Grades of one response by raters and by a judge, with the response's cluster."""

    cluster: str
    people: str
    judge: str


@dataclass(frozen=True)
class HeldAgainstPeople:
    """A judge's agreement with raters on one question.

    `rows` is the number of labelled rows that the judge was asked about; `ungraded` of them have no grade from the
    judge.
    """

    judge: str
    question: str
    version: str
    opinions: int
    rows: int
    ungraded: int
    pairs: tuple[LabelPair, ...]
    labels: Mapping[str, int]
    """How often raters gave each label, also on ungraded rows."""
    unread: int = 0
    failed: int = 0
    threshold: float = THRESHOLD

    @cached_property
    def kappa(self) -> Estimate:
        """Cohen's κ between raters and judge, on all labels."""
        return pooled_kappa(self.pairs)

    @cached_property
    def agreement(self) -> Estimate:
        """The share of rows on which raters and judge agree."""
        if not self.pairs:
            return NOTHING
        same = [float(each.people == each.judge) for each in self.pairs]
        return proportion(same, [each.cluster for each in self.pairs])

    @cached_property
    def confusion(self) -> Mapping[tuple[str, str], int]:
        """Counts of each pair of the raters' label and the judge's label."""
        return Counter((each.people, each.judge) for each in self.pairs)

    @property
    def why_not(self) -> str:
        """Why the judge is not qualified; empty if it is."""
        if not self.pairs:
            return "no row has a grade"
        without = self.ungraded / self.rows
        if without > MOST_UNGRADED:
            return f"{without:.0%} of the rows have no grade, at most {MOST_UNGRADED:.0%} may have none"
        if isnan(self.kappa.value):
            return "κ is not defined, because people and judge use one label only"
        if self.kappa.low < self.threshold:
            return f"κ may be as low as {self.kappa.low:.2f} (lower 95% bound), and {self.threshold:g} is required"
        return ""

    @property
    def qualified(self) -> bool:
        """True if κ's lower 95% bound reaches the threshold and nearly all rows are graded."""
        return not self.why_not

    def record(self, created: str, **more: Any) -> dict[str, Any]:
        """Return the results as JSON values: numbers with their 95% CI, None if undefined."""
        return {
            "judge": self.judge,
            "question": self.question,
            "version": self.version,
            "opinions": self.opinions,
            "n": len(self.pairs),
            "rows": self.rows,
            "kappa": bounds(self.kappa),
            "kappa_method": self.kappa.method,
            "agreement": bounds(self.agreement),
            "threshold": self.threshold,
            "qualified": self.qualified,
            "why_not": self.why_not,
            "unread": self.unread,
            "failed": self.failed,
            "ungraded": self.ungraded,
            "labels": dict(self.labels),
            "confusion": [[*pair, count] for pair, count in sorted(self.confusion.items())],
            "correct_or_not": {},
            "by_label": {},
            "own_opinions": {},
            "biases": {},
            "created": created,
            **more,
        }


def pooled_kappa(pairs: Sequence[LabelPair]) -> Estimate:
    """Cohen's κ between raters and judge; undefined without labels."""
    if not pairs:
        return NOTHING
    clusters, people, judge = zip(*pairs, strict=True)
    return clustered_kappa(people, judge, clusters)


def bounds(estimate: Estimate) -> list[float | None]:
    """Return a number and its 95% CI; None for each that is undefined."""
    return [None if isnan(each) else each for each in (estimate.value, estimate.low, estimate.high)]


def most_say(grades: list[str], undecided: str) -> str | None:
    """Return the most frequent grade, `undecided` if two are equally frequent, None without grades.

    >>> most_say(["correct", "incorrect", "correct"], "unclear"), most_say(["correct", "incorrect"], "unclear")
    ('correct', 'unclear')
    """
    first, second = (*Counter(grades).most_common(2), None, None)[:2]
    if first is None:
        return None
    return undecided if second and second[1] == first[1] else first[0]
