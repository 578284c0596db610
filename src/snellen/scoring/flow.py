"""Flow of questions and responses, counted as in reports of clinical trials."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from functools import reduce
from operator import add

import numpy as np

from snellen.reading.outcomes import Outcome
from snellen.runtime import counted
from snellen.scoring.results import Results
from snellen.stress.table import OUTCOMES, Table


@dataclass(frozen=True)
class Flow:
    """Number of responses at each step, from planned to read; flows can be added.

    Each response that was asked for arrived, failed or is missing. Each one that arrived has an outcome or was not
    graded.
    """

    inapplicable: Counter[str] = field(default_factory=Counter)
    """Responses not asked for, by the reason why the condition does not apply to the question."""
    asked: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    """Failed responses, by the error of the last attempt."""
    first: int = 0
    second: int = 0
    """Responses to repeated questions, beyond the first response."""
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    ungraded: int = 0
    """Responses that no judge graded, although judges grade these questions."""
    unsure: int = 0

    def __add__(self, other: Flow) -> Flow:
        return Flow(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    @property
    def planned(self) -> int:
        """Number of responses if every condition applied to every question."""
        return self.asked + self.inapplicable.total()

    @property
    def arrived(self) -> int:
        """Number of responses that arrived."""
        return self.first + self.second

    @property
    def arrived_in_words(self) -> str:
        """Number of responses in words; first and second ones separately if questions were repeated."""
        apart = f" ({self.first:,} first and {self.second:,} second ones)" if self.second else ""
        return f"{counted(self.arrived, 'response')}{apart}"

    @property
    def missing(self) -> int:
        """Number of responses that neither arrived nor failed."""
        return self.asked - self.arrived - self.failed.total()


def follow_arm(table: Table, arm: str) -> Flow:
    """Count one model's responses under a condition at each step, from planned to read."""
    whole = table.with_repeats()
    every, first = whole.arms[arm], table.arms[arm]
    arrived, failed = len(every) + len(every.ungraded), Counter(every.failed)
    numbers = np.bincount(every.outcome, minlength=len(OUTCOMES)).tolist()
    outcomes = Counter(dict(zip(OUTCOMES, numbers, strict=True)))
    if every.admissions is not None:  # an answer in general terms was read, but it names no option
        outcomes[Outcome.UNCLEAR] += outcomes.pop(Outcome.UNPARSED)
    return Flow(
        Counter({reason: items * first.epochs for reason, items in every.inapplicable.items()}),
        max(every.wanted, arrived + failed.total()),
        failed,
        arrived - (len(every) - len(first)),
        len(every) - len(first),
        outcomes,
        len(every.ungraded),
        int(whole.unsure(arm).sum()),
    )


def follow_table(table: Table) -> Flow:
    """Count one model's responses to one benchmark at each step, from planned to read."""
    return reduce(add, (follow_arm(table, arm) for arm in table.arms), Flow())


def follow_study(results: Results) -> Flow:
    """Count all responses of a study at each step, from planned to read."""
    return reduce(add, map(follow_table, results.tables.values()), Flow())
