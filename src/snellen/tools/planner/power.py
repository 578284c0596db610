"""Power of the tests by simulation: how often each reaches the right verdict."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple

import orjson

from snellen.stress.conclusions import percent
from snellen.stress.verdicts.marks import RULES
from snellen.tools.planner.claims import REPORTED

NO_VERDICT = "reported: no verdict"
NOT_SIMULATED = "not simulated"
DECIDED = 0.8
"""Power for which a plan states the needed number of questions."""


class Simulated(NamedTuple):
    """A simulated test: counts of studies with the right verdict, by number of questions."""

    test: str
    planted: str
    """The simulated behaviour of the model."""
    chance: float
    right: str
    """The right verdict; empty if several are acceptable, or if the test has none."""
    says: str
    """Words of a plan for the right verdict; empty if a plan does not mention this row."""
    counts: tuple[int, ...]
    """Studies with the right verdict, for each number of questions, with p corrected within a suite."""


class PowerTable(NamedTuple):
    """Simulated rows, the numbers of questions, and the number of studies simulated for each."""

    study: str
    repeats: int
    items: tuple[int, ...]
    rows: tuple[Simulated, ...]
    marks: bool = False
    """Whether the rows are of the three verdicts that are decided together."""

    def find_rows(self, test: str) -> tuple[Simulated, ...]:
        """Find the rows of a test, ignoring settings that were not simulated.

        Prompt and effort are ignored: the power is assumed to be the same.
        """
        name, _, settings = test.partition(":")
        own = ",".join(each for each in settings.split(",") if each.partition("=")[0] not in ("prompt", "effort"))
        known = (tuple(row for row in self.rows if row.test == each) for each in (test, f"{name}:{own}", name))
        return next(filter(None, known), ())

    def describe(self, row: Simulated, place: int) -> str:
        """Describe a row at one of the numbers of questions. For a mark, add the number needed for 80%."""
        power = f"{row.says}: {percent(row.counts[place] / self.repeats)}"
        if not self.marks:
            return power
        few = [n for n, count in zip(self.items, row.counts, strict=True) if count < DECIDED * self.repeats]
        enough = next((n for n in self.items if n > max(few, default=0)), None)
        told = f"{enough:,} questions give" if enough else f"{self.items[-1]:,} are too few for"
        return f"{power} of {self.repeats} simulated studies; {told} {percent(DECIDED)}"


@cache
def power_table(which: Literal["tests", "marks"] = "tests") -> PowerTable:
    """Load the shipped table: of the tests, or of the three verdicts."""
    record: dict[str, Any] = orjson.loads(files("snellen.tools.planner").joinpath("power.json").read_bytes())
    record = record["marks"] if which == "marks" else record
    rows = []
    for row in record["rows"]:
        right = row.get("right", "")
        counts = tuple(row.get("suite") or row.get(right, ()))
        rows.append(Simulated(row["test"], row["planted"], row["chance"], right, row.get("says", ""), counts))
    return PowerTable(record["study"], record["repeats"], tuple(record["items"]), tuple(rows), which == "marks")


def power_of(test: str, n: int, chance: float, table: PowerTable | None = None) -> tuple[str, ...]:
    """Describe the power of a test with `n` questions, from the nearest simulation.

    >>> power_of("mirage-score", 200, chance=0.2)
    ('reported: no verdict',)
    >>> power_of("mirror", 20, chance=0.2)
    ('not known for fewer than 60 questions',)
    """
    name = test.partition(":")[0]
    if name in REPORTED:
        return (NO_VERDICT,)
    known = table or power_table("marks" if name in RULES else "tests")
    rows = known.find_rows(test)
    if not rows:
        return (NOT_SIMULATED,)
    told = [row for row in rows if row.says]
    if not told:
        return (NO_VERDICT,)
    if n < known.items[0]:
        return (f"not known for fewer than {known.items[0]} questions",)
    place = max(at for at, items in enumerate(known.items) if items <= n)
    nearest = min((row.chance for row in told), key=lambda each: abs(each - chance))
    ordered = sorted((row for row in told if row.chance == nearest), key=lambda row: row.right)
    return tuple(known.describe(row, place) for row in ordered)
