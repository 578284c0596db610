"""Flow of questions and responses, as trials report it: planned, not applicable, failed, arrived, read and unsure."""

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
    """Responses from planned to read; the flows of several conditions or models add up.

    What was asked for failed, is missing or arrived; what arrived has an outcome or was not graded.
    """

    inapplicable: Counter[str] = field(default_factory=Counter)
    """Responses that are not asked for, by the reason why the condition does not apply to their question."""
    asked: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    """By the error of the last attempt."""
    first: int = 0
    second: int = 0
    """Responses to the questions that were asked once more."""
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    ungraded: int = 0
    """Responses that no judge was asked about, although judges grade these questions."""
    unsure: int = 0

    def __add__(self, other: Flow) -> Flow:
        return Flow(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    @property
    def planned(self) -> int:
        """How many responses there would be if every condition applied to every question."""
        return self.asked + self.inapplicable.total()

    @property
    def arrived(self) -> int:
        """How many responses are there."""
        return self.first + self.second

    @property
    def arrived_in_words(self) -> str:
        """How many responses are there; if some questions were asked once more, first and second ones apart."""
        apart = f" ({self.first:,} first and {self.second:,} second ones)" if self.second else ""
        return f"{counted(self.arrived, 'response')}{apart}"

    @property
    def missing(self) -> int:
        """How many responses neither arrived nor failed."""
        return self.asked - self.arrived - self.failed.total()


def follow_arm(table: Table, arm: str) -> Flow:
    """Count the responses of one model to one benchmark under one condition, from planned to read."""
    whole = table.with_repeats()
    every, first = whole.arms[arm], table.arms[arm]
    arrived, failed = len(every) + len(every.ungraded), Counter(every.failed)
    numbers = np.bincount(every.outcome, minlength=len(OUTCOMES)).tolist()
    outcomes = Counter(dict(zip(OUTCOMES, numbers, strict=True)))
    if every.admissions is not None:  # an answer in general terms was read, and states no option
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
    """Count the responses of one model to one benchmark, from planned to read."""
    return reduce(add, (follow_arm(table, arm) for arm in table.arms), Flow())


def follow_study(results: Results) -> Flow:
    """Count all responses of a study, from planned to read."""
    return reduce(add, map(follow_table, results.tables.values()), Flow())
