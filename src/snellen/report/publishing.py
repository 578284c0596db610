"""Publishing: score a stored study and write its results, report and figures; asks nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from snellen import report
from snellen.reading.parsers import parser_named
from snellen.report.figures.folder import check_format
from snellen.schemas import check_replaceable
from snellen.scoring.portions import Watch, ignore_progress
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
    watch: Watch = ignore_progress,
) -> Results:
    """Score a stored study and write results.csv, results.json, report.html and figures/.

    It sends no requests. The files lie in `out`, or in a folder there if `out` held another study first. `study` is a
    name (default: the latest study). `tests` adds tests that no package registers. With `figures="png"` or `"pdf"`,
    figures are also written in that format. Opinions of judges that are not qualified are left out, unless
    `unqualified` is true.
    """
    for parser in parsers:
        parser_named(parser)  # an unknown name is an error before anything is read
    check_format(figures)
    with Store.open(out) as store:
        check_replaceable(store.studies.results_folder(store.studies.record(study)["name"]) / RECORD, SCHEMA)
        how: dict[str, Any] = {"study": study, "tests": tests, "parsers": parsers, "human": human}
        results = score(store, **how, unqualified=unqualified, watch=watch)
        watch("drawing the report", 0, 0)
        report.write(results, store, figures=figures)
        return results
