"""Publishing: a stored study scored, with its results, report and figures written; asks nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from snellen import report
from snellen.reading.parsers import parser_named
from snellen.report.figures.folder import check_format
from snellen.schemas import check_replaceable
from snellen.scoring.portions import Watch, unwatched
from snellen.scoring.result_files import RECORD, SCHEMA
from snellen.scoring.results import Results, score
from snellen.stats import Human
from snellen.store import Store
from snellen.stress.base import StressTest


def publish(
    out: str | Path,
    *,
    study: str | None = None,
    tests: Sequence[StressTest] = (),
    parsers: Sequence[str] = (),
    human: Human | None = None,
    figures: str = "svg",
    unqualified: bool = False,
    watch: Watch = unwatched,
) -> Results:
    """Score a stored study and write results.csv, results.json, report.html and figures/; asks nothing.

    They lie in `out`, or in a folder there if `out` held another study first. `study` is a name, by default that of the
    latest study. `tests` are those of your own that no package registers. With `figures="png"` or `"pdf"`, figures are
    there in that form too. What judges say that are not qualified is held back, unless `unqualified` lets it in.
    """
    for parser in parsers:
        parser_named(parser)  # a slip of the pen is told before anything is read
    check_format(figures)
    with Store.open(out) as store:
        check_replaceable(store.studies.results_folder(store.studies.record(study)["name"]) / RECORD, SCHEMA)
        how: dict[str, Any] = {"study": study, "tests": tests, "parsers": parsers, "human": human}
        results = score(store, **how, unqualified=unqualified, watch=watch)
        watch("drawing the report", 0, 0)
        report.write(results, store, figures=figures)
        return results
