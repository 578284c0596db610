"""A judge's grades beside people's labels of the same responses, and the record by which the gate decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import Any, NamedTuple

from snellen.judging import THRESHOLD
from snellen.stats import Estimate, clustered_kappa, proportion

MOST_UNGRADED = 0.05
"""The share of rows that a judge may leave without a grade: who grades only the easy ones would seem to agree well."""
NOTHING = Estimate(float("nan"), -1.0, 1.0, 0, "no rows")


class Pair(NamedTuple):
    """What people and judge say of one thing, and what it belongs with: responses to one item are not independent."""

    cluster: str
    people: str
    judge: str


@dataclass(frozen=True)
class HeldAgainstPeople:
    """A judge held against people on one of its questions.

    `rows` were labelled by people and put to the judge; `ungraded` of them have no grade of the judge's.
    """

    judge: str
    question: str
    version: str
    opinions: int
    rows: int
    ungraded: int
    pairs: tuple[Pair, ...]
    labels: Mapping[str, int]
    """How often people gave each label, also to what has no grade."""
    unread: int = 0
    failed: int = 0
    threshold: float = THRESHOLD

    @cached_property
    def kappa(self) -> Estimate:
        """Cohen's κ between people and the judge's grade, with every label as it is."""
        if not self.pairs:
            return NOTHING
        clusters, people, judge = zip(*self.pairs, strict=True)
        return clustered_kappa(people, judge, clusters)

    @cached_property
    def agreement(self) -> Estimate:
        """The share of which people and judge say the same."""
        if not self.pairs:
            return NOTHING
        same = [float(each.people == each.judge) for each in self.pairs]
        return proportion(same, [each.cluster for each in self.pairs])

    @cached_property
    def confusion(self) -> Mapping[tuple[str, str], int]:
        """How often people's label (first) met the judge's (second)."""
        return Counter((each.people, each.judge) for each in self.pairs)

    @property
    def why_not(self) -> str:
        """Why the judge does not qualify; empty where it does."""
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
        """Whether even the lower 95% bound of κ reaches the threshold, and nearly every row has a grade."""
        return not self.why_not

    def record(self, created: str, **more: Any) -> dict[str, Any]:
        """All of it as JSON knows it; a number is its value and the bounds of its 95% CI, null where it has none."""
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


def bounds(estimate: Estimate) -> list[float | None]:
    """A number and the bounds of its 95% CI, null where it has none."""
    return [None if isnan(each) else each for each in (estimate.value, estimate.low, estimate.high)]


def most_say(grades: list[str], undecided: str) -> str | None:
    """What most opinions say; `undecided` where two are equally many, None of no opinion.

    >>> most_say(["correct", "incorrect", "correct"], "unclear"), most_say(["correct", "incorrect"], "unclear")
    ('correct', 'unclear')
    """
    counted = Counter(grades).most_common(2)
    if not counted:
        return None
    tied = len(counted) == 2 and counted[0][1] == counted[1][1]
    return undecided if tied else counted[0][0]
