"""Published tables: a paper's printed figures, held against what its raw replies give here."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import Any, NamedTuple

import orjson

from snellen.errors import StudyError
from snellen.results import Results

PAPERS = ("italian",)


class Line(NamedTuple):
    """One printed figure with its interval, in percent, and ours beside it, rounded as printed."""

    model: str
    arm: str
    printed: tuple[float, float, float]
    ours: tuple[float, float, float] | None

    @property
    def agrees(self) -> bool | None:
        """Whether ours is the printed one to the printed digit; None where there is nothing to compare."""
        return None if self.ours is None else self.ours == self.printed


def printed(paper: str) -> dict[str, Any]:
    """A paper's printed table, with the reader and the interval that it was made by."""
    if paper not in PAPERS:
        raise StudyError(f"There are no printed figures of {paper!r}. There are: {', '.join(PAPERS)}.")
    record: dict[str, Any] = orjson.loads(files("snellen.published").joinpath(f"{paper}.json").read_bytes())
    return record


def compared(paper: str, results: Results | None = None) -> Iterator[Line]:
    """Every printed figure, and ours from a scored study that holds the replies."""
    record = printed(paper)
    method = f"{record['interval']}; reader={record['reader']}"
    ours = {
        (row["model"], row["arm"]): row
        for row in (results.rows() if results else ())
        if row["measure"] == "accuracy" and row["method"] == method and row["benchmark"] == _benchmark(record, results)
    }
    for model, arms in record["table"].items():
        for arm, figures in arms.items():
            row = ours.get((model, arm))
            found = row and tuple(round(100 * row[end], record["digits"]) for end in ("value", "low", "high"))
            yield Line(model, arm, tuple(figures), found or None)


def _benchmark(record: dict[str, Any], results: Results | None) -> str:
    """The benchmark that a printed table is about, among those of a study."""
    names = list(results.benchmarks) if results else []
    if record["benchmark"] in names or len(names) != 1:
        return str(record["benchmark"])
    return names[0]
