"""The Italian paper, Italian clinical questions: its Table 1, and the same from imported responses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from snellen.papers.paper import Line, Sheet, figures
from snellen.scoring.results import Results

VERDICTS = {None: "not in OUT", True: "equal", False: "DIFFERENT"}


def sheets(results: Results | None = None) -> Iterator[Sheet]:
    """Every printed accuracy with ours beside it."""
    record = figures("italian")
    yield Sheet(
        title=record["paper"],
        columns=("model", "arm", "printed", "ours", ""),
        rows=tuple(
            (line.model, line.arm, _percent(line.printed), _percent(line.ours), VERDICTS[line.agrees])
            for line in compared(results)
        ),
        notes=(f"Accuracy in percent, 95% CI. Parser {record['parser']}, interval {record['interval']}.",),
        words=2,
    )


def compared(results: Results | None = None) -> Iterator[Line]:
    """Every printed figure, and ours from a scored study that holds the responses."""
    record = figures("italian")
    wanted = ("accuracy", record["interval"], record["parser"], "", _benchmark(record, results))
    ours = {
        (row["model"], row["arm"]): row
        for row in (results.rows() if results else ())
        if tuple(row[name] for name in ("measure", "method", "parser", "subset", "benchmark")) == wanted
    }
    for model, arms in record["table"].items():
        for arm, printed in arms.items():
            row = ours.get((model, arm))
            found = row and tuple(round(100 * row[end], record["digits"]) for end in ("value", "low", "high"))
            yield Line(model, arm, tuple(printed), found or None)


def _benchmark(record: dict[str, Any], results: Results | None) -> str:
    """The benchmark that a printed table is about, among those of a study."""
    names = list(results.benchmarks) if results else []
    if record["benchmark"] in names or len(names) != 1:
        return str(record["benchmark"])
    return names[0]


def _percent(found: tuple[float, float, float] | None) -> str:
    if found is None:
        return "–"
    value, low, high = (f"{figure:.1f}" for figure in found)
    return f"{value} [{low}, {high}]"
