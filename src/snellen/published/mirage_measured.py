"""What a study of one's own has of paper 003: mirage scores and mirage rates, each with its interval and n."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from snellen.published.paper import Sheet, percent

Row = Mapping[str, Any]
SCORES = ("mirage_score", "mean_mirage_score")
RATES = ("mirage_rate", "mirage_rate_as_published")


def measured(rows: Sequence[Row]) -> Iterator[Sheet]:
    """Two tables out of a study's results: scores and their means, and rates by arm."""
    yield _scores(_own([row for row in rows if row["test"] == "mirage-score" and row["measure"] in SCORES]))
    yield _rates(_own([row for row in rows if row["test"].startswith("mirage-rate") and row["measure"] in RATES]))


def _own(rows: Sequence[Row]) -> list[Row]:
    """Those by the study's own reader, which comes first."""
    return [row for row in rows if _reader(row) == _reader(rows[0])]


def _reader(row: Row) -> str:
    return str(row["method"].partition("reader=")[2].partition(";")[0])


def _scores(rows: Sequence[Row]) -> Sheet:
    lines = {(row["model"], row["benchmark"]): (_shown(row), f"{row['n']:,}") for row in rows}
    notes = (
        f"In percent, 95% interval. Method: {_methods(rows)}.",
        "`all benchmarks` and `all models` are means of scores, as published.",
        "Paired by item, unlike those from printed counts. A score is as much of the benchmark as of the model.",
    )
    return Sheet(
        title="Mirage scores measured in OUT",
        columns=("model", "benchmark", "mirage score", "n"),
        rows=tuple((*about, *cells) for about, cells in lines.items()),
        notes=notes if lines else ("OUT has no results of the test `mirage-score`: its study did not ask for it.",),
        words=2,
    )


def _rates(rows: Sequence[Row]) -> Sheet:
    lines: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in rows:
        lines.setdefault((row["model"], row["benchmark"], row["arm"]), {})[row["measure"]] = row
    notes = (
        f"In percent, 95% interval. Method: {_methods(rows)}.",
        "Mirage rate: of the replies that are not empty, those that describe an image. As published: all "
        "but those that say that it is missing or that hedge.",
    )
    return Sheet(
        title="Mirage rates measured in OUT",
        columns=("model", "questions", "arm", "mirage rate", "n", "as published", "n"),
        rows=tuple(
            (*about, *(cell for measure in RATES for cell in _cells(found.get(measure))))
            for about, found in lines.items()
        ),
        notes=notes if lines else ("OUT has no results of the test `mirage-rate`: its study did not ask for it.",),
        words=3,
    )


def _cells(row: Row | None) -> tuple[str, str]:
    return ("–", "–") if row is None else (_shown(row), f"{row['n']:,}")


def _shown(row: Row) -> str:
    return percent(float(row["value"]), float(row["low"]), float(row["high"]))


def _methods(rows: Sequence[Row]) -> str:
    return " · ".join(dict.fromkeys(row["method"] for row in rows))
