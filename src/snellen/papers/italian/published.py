"""Table 1 of the paper on Italian clinical questions, printed and recomputed from imported responses."""

from __future__ import annotations

from collections.abc import Iterator

from snellen.papers.paper import ComparedFigure, PaperTable, figures
from snellen.scoring.results import Results

VERDICTS = {None: "not in OUT", True: "equal", False: "DIFFERENT"}


def sheets(results: Results | None = None) -> Iterator[PaperTable]:
    """Return a table of every printed accuracy with ours."""
    record = figures("italian")
    yield PaperTable(
        title=record["paper"],
        columns=("model", "arm", "printed", "ours", ""),
        rows=tuple(
            (line.model, line.arm, _percent(line.printed), _percent(line.ours), VERDICTS[line.agrees])
            for line in compared(results)
        ),
        notes=(f"Accuracy in percent, 95% CI. Parser {record['parser']}, interval {record['interval']}.",),
        words=2,
    )


def compared(results: Results | None = None) -> Iterator[ComparedFigure]:
    """Compare every printed figure with ours, from a scored study of the same responses."""
    record, benchmarks = figures("italian"), list(results.benchmarks) if results else []
    # the paper's benchmark, or the study's if it has only one
    own = benchmarks[0] if len(benchmarks) == 1 else record["benchmark"]
    wanted = ("accuracy", record["interval"], record["parser"], "", own)
    ours = {
        (row["model"], row["arm"]): row
        for row in (results.rows() if results else ())
        if tuple(row[name] for name in ("measure", "method", "parser", "subset", "benchmark")) == wanted
    }
    for model, arms in record["table"].items():
        for arm, printed in arms.items():
            row = ours.get((model, arm))
            found = row and tuple(round(100 * row[end], record["digits"]) for end in ("value", "low", "high"))
            yield ComparedFigure(model, arm, tuple(printed), found or None)


def _percent(found: tuple[float, float, float] | None) -> str:
    if found is None:
        return "–"
    value, low, high = (f"{figure:.1f}" for figure in found)
    return f"{value} [{low}, {high}]"
