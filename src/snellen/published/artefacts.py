"""Paper 004, image artefacts: how its intervals were made, and its percentage changes, from the figures it prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from snellen.published.artefacts_changes import average_sheet, change_sheet
from snellen.published.artefacts_intervals import interval_sheet, ways_sheet
from snellen.published.paper import Sheet, figures, percent
from snellen.results import Results

MEASURES = ("accuracy", "percent_change", "flagged_quality_rate")
DEGRADED = "degraded:"
"""What the arms with an artefact are called by."""


def sheets(results: Results | None = None) -> Iterator[Sheet]:
    """Intervals, changes and averages from the printed figures; under them, what a study of one's own found."""
    record = figures("artefacts")
    yield interval_sheet(record)
    yield ways_sheet(record)
    yield change_sheet(record)
    yield average_sheet(record)
    if results is not None:
        yield measured(list(results.rows()))


def measured(rows: Sequence[Mapping[str, Any]]) -> Sheet:
    """A line a model, benchmark and artefact out of a study's results, by the study's own reader."""
    wanted = [row for row in rows if row["arm"].startswith(DEGRADED) and row["measure"] in MEASURES]
    own = [row for row in wanted if _reader(row) == _reader(wanted[0])]
    lines: dict[tuple[str, str, str], dict[str, Mapping[str, Any]]] = {}
    for row in own:
        lines.setdefault((row["model"], row["benchmark"], row["arm"].removeprefix(DEGRADED)), {})[row["measure"]] = row
    methods = " · ".join(dict.fromkeys(row["method"] for row in own))
    notes = (
        f"In percent, 95% interval. Method: {methods}.",
        "Change: (accuracy with the artefact − accuracy without) / accuracy without, paired by item. Flagged: replies "
        "that say the image is too poor instead of answering.",
    )
    return Sheet(
        title="Measured in OUT",
        columns=("model", "benchmark", "artefact", "accuracy", "change", "flagged"),
        rows=tuple((*about, *(_shown(found.get(name)) for name in MEASURES)) for about, found in lines.items()),
        notes=notes if lines else ("OUT has no results of degraded images: its study did not ask for them.",),
        words=3,
    )


def _reader(row: Mapping[str, Any]) -> str:
    return str(row["method"].partition("reader=")[2].partition(";")[0])


def _shown(row: Mapping[str, Any] | None) -> str:
    return "–" if row is None else percent(float(row["value"]), float(row["low"]), float(row["high"]))
