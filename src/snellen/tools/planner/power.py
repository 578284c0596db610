"""Power: how often a test gives the right verdict, by the number of questions, as simulated in `studies`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import orjson

from snellen.stress.conclusions import percent
from snellen.stress.verdicts.marks import RULES
from snellen.tools.planner.claims import REPORTED

NO_VERDICT = "reported: no verdict"
NOT_SIMULATED = "not simulated"
DECIDED = 0.8
"""The power that a plan names the number of questions for."""


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

    def describe(self, row: Simulated, place: int) -> str:
        """What a plan says of a row at one of the numbers of questions."""
        return f"{row.says}: {percent(row.counts[place] / self.repeats)}"


class MarksTable(PowerTable):
    """The rows of the three verdicts that are decided together."""

    def describe(self, row: Simulated, place: int) -> str:
        """The share at this number of questions, and the number that decides in 80% of studies."""
        few = [n for n, count in zip(self.items, row.counts, strict=True) if count < DECIDED * self.repeats]
        enough = next((n for n in self.items if n > max(few, default=0)), None)
        told = f"{enough:,} questions give" if enough else f"{self.items[-1]:,} are too few for"
        return f"{super().describe(row, place)} of {self.repeats} simulated studies; {told} {percent(DECIDED)}"


@cache
def power_table(which: Literal["tests", "marks"] = "tests") -> PowerTable:
    """The table that the package ships: of the tests, or of the three verdicts of every model."""
    record: dict[str, Any] = orjson.loads(files("snellen.tools.planner").joinpath("power.json").read_bytes())
    kind, record = (MarksTable, record["marks"]) if which == "marks" else (PowerTable, record)
    rows = tuple(_row(each) for each in record["rows"])
    return kind(record["study"], record["repeats"], tuple(record["items"]), rows)


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
    if name in REPORTED:
        return (NO_VERDICT,)
    known = table or power_table("marks" if name in RULES else "tests")
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
            yield table.describe(row, place)
