"""Power: how often a test gives the right verdict with so many questions, as simulated in `studies/verdicts.py`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import orjson

from snellen.stress.claims import REPORTED
from snellen.stress.conclusions import percent
from snellen.stress.verdicts.marks import RULES

NO_VERDICT = "reported: no verdict"
NOT_SIMULATED = "not simulated"
ELSEWHERE = "see docs/concepts/verdicts.md"
"""The three verdicts of every model are decided together, and their power is told there."""


@dataclass(frozen=True)
class Simulated:
    """A test with something planted: how many studies came to which verdict, at each number of questions."""

    test: str
    planted: str
    chance: float
    right: str
    """The verdict that is right; empty where either may be, or where the test has none."""
    says: str
    """What a plan says of the right verdict; empty where it says nothing of this row."""
    counts: tuple[int, ...]
    """Studies with the right verdict, where the p-value is corrected in a suite that shows nothing else."""


@dataclass(frozen=True)
class PowerTable:
    """Every simulated row, the numbers of questions, and how many studies were simulated at each."""

    study: str
    repeats: int
    items: tuple[int, ...]
    rows: tuple[Simulated, ...]

    def of(self, test: str) -> tuple[Simulated, ...]:
        """The rows of a test; of one with settings that were not simulated, those of the test without.

        In other words or at another effort, a test has the power that it has without.
        """
        name, _, settings = test.partition(":")
        own = ",".join(each for each in settings.split(",") if each.partition("=")[0] not in ("prompt", "effort"))
        known = (tuple(row for row in self.rows if row.test == each) for each in (test, f"{name}:{own}", name))
        return next(filter(None, known), ())


@cache
def power_table() -> PowerTable:
    """The table that the package ships."""
    record: dict[str, Any] = orjson.loads(files("snellen.stress").joinpath("power.json").read_bytes())
    rows = tuple(_row(each) for each in record["rows"])
    return PowerTable(record["study"], record["repeats"], tuple(record["items"]), rows)


def _row(record: dict[str, Any]) -> Simulated:
    right = record.get("right", "")
    counts = record.get("suite") or record.get(right, ())
    named = (record["test"], record["planted"], record["chance"], right, record.get("says", ""))
    return Simulated(*named, tuple(counts))


def power_of(test: str, n: int, chance: float, table: PowerTable | None = None) -> tuple[str, ...]:
    """What a test shows with `n` questions, a line each, at the next smaller number and the nearest chance simulated.

    >>> power_of("mirage-score", 200, chance=0.2)
    ('reported: no verdict',)
    >>> power_of("mirror", 20, chance=0.2)
    ('not known for fewer than 60 questions',)
    """
    name = test.partition(":")[0]
    if name in RULES:
        return (ELSEWHERE,)
    if name in REPORTED:
        return (NO_VERDICT,)
    known = table or power_table()
    rows = known.of(test)
    if not rows:
        return (NOT_SIMULATED,)
    told = [row for row in rows if row.says]
    if not told:
        return (NO_VERDICT,)
    if n < known.items[0]:
        return (f"not known for fewer than {known.items[0]} questions",)
    return tuple(_told(told, known, max(at for at, items in enumerate(known.items) if items <= n), chance))


def _told(rows: Sequence[Simulated], table: PowerTable, place: int, chance: float) -> Iterator[str]:
    """The rows of the nearest chance, what should fail before what should pass."""
    nearest = min((row.chance for row in rows), key=lambda each: abs(each - chance))
    for row in sorted(rows, key=lambda row: row.right):
        if row.chance == nearest:
            yield f"{row.says}: {percent(row.counts[place] / table.repeats)}"
