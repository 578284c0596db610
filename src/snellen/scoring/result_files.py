"""The files results.csv, breakdown.csv and results.json."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from snellen.errors import MissingExtraError, StudyError
from snellen.files import StagedFiles, open_plain, replace_set, write_whole
from snellen.scoring.findings import Finding
from snellen.scoring.responses import COLUMNS as RESPONSE_COLUMNS
from snellen.scoring.tables import Tables
from snellen.scoring.writing import write_csv
from snellen.store import Store
from snellen.store.records import TYPED, dump_json
from snellen.stress.verdicts.decision import as_json

if TYPE_CHECKING:
    from snellen.scoring.results import Results

RULES = 2
"""Version of the rules for verdicts; files without this entry used version 1."""
SCHEMA = 2
"""Version of the result files' format; it rises if a name changes its meaning or disappears."""
TABLE, BREAKDOWN, RECORD = "results.csv", "breakdown.csv", "results.json"
COLUMNS = (
    "model", "benchmark", "test", "arm", "measure", "parser", "subset", "value", "low", "high", "n", "method",
    "p", "p_adjusted", "detectable", "kind", "judge", "delivery",
)  # fmt: skip
"""Columns of results.csv; no two rows agree on all columns up to `subset`."""
_NUMBERS = ("value", "low", "high", "p", "p_adjusted", "detectable")
_BEGINS = re.compile(
    rb'\s*\{\s*"schema"\s*:\s*\d+\s*,\s*(?:"rules"\s*:\s*(?P<rules>\d{1,9})\b|(?P<unfinished>"unfinished"))?'
)
"""Start of results.json; files made by version 1 of the rules have no entry `rules`."""


def list_rows(results: Results) -> Iterator[dict[str, Any]]:
    """Yield the rows of results.csv, one per number.

    Measures of the other parsers follow, except numbers that do not depend on the parser.
    """
    ranked = (each for compared in results.models_compared for each in compared.findings())
    for finding in (*results.own_findings, *ranked):
        yield from _list_measures(results, finding)
    for finding in results.beside:
        yield from (row for row in _list_measures(results, finding) if row["parser"] == finding.parser)


def list_breakdown(results: Results) -> Iterator[dict[str, Any]]:
    """Yield the rows of breakdown.csv: numbers by category and language, with their `group`."""
    for finding in results.groups:
        yield from ({**row, "group": finding.group} for row in _list_measures(results, finding))


def _list_measures(results: Results, finding: Finding) -> Iterator[dict[str, Any]]:
    delivery = (each.status for each in results.delivery if each.is_of(finding.model, finding.benchmark))
    arrived = next(delivery, None)
    for measure in finding.measures:
        estimate = measure.estimate
        values = (
            finding.model, finding.benchmark, finding.test.name, measure.arm, measure.name,
            measure.parser, measure.subset, estimate.value, estimate.low, estimate.high, estimate.n,
            estimate.method, estimate.p, measure.p_adjusted, measure.detectable, measure.kind.unit, measure.judge,
            arrived,
        )  # fmt: skip
        yield dict(zip(COLUMNS, values, strict=True))


def make_frame(results: Results, table: str) -> Any:
    """Return a table of the results as a DataFrame; needs pandas."""
    try:
        import pandas
    except ImportError as error:
        raise MissingExtraError("pandas") from error
    if table == "responses":
        whole = {name: "Int64" for name, kind in RESPONSE_COLUMNS.items() if kind is int}
        return pandas.DataFrame(results.responses(), columns=list(RESPONSE_COLUMNS)).astype(whole)
    if table not in ("results", "breakdown"):
        raise StudyError(f"Expected the table 'results', 'breakdown' or 'responses', got {table!r}.")
    rows, columns = (results.rows(), COLUMNS) if table == "results" else (results.breakdown(), (*COLUMNS, "group"))
    return pandas.DataFrame(rows, columns=list(columns)).astype(dict.fromkeys(_NUMBERS, float))


@contextmanager
def replaced_files(results: Results, page: str = "") -> Iterator[StagedFiles]:
    """Write the result files and the page to a temporary folder. They replace the old ones together."""
    with replace_set(results.folder, record=RECORD, schema=SCHEMA, page=page) as new:
        write_csv(new.folder / TABLE, COLUMNS, results.rows())
        if results.groups:
            write_csv(new.folder / BREAKDOWN, (*COLUMNS, "group"), results.breakdown())
        else:
            new.stale.add(BREAKDOWN)
        write_whole(new.folder / RECORD, dump_json(record_results(results), TYPED | orjson.OPT_INDENT_2).encode())
        yield new


def record_results(results: Results) -> dict[str, Any]:
    """Return the content of results.json: study, numbers, verdicts and counts, without responses."""
    looks = [{"model": at[0], "benchmark": at[1], "questions": each} for at, each in results.looks.items()]
    stops = [{**each._asdict(), "settled": each.settled} for each in results.stops]
    return {
        "schema": SCHEMA,
        "rules": RULES,
        "columns": COLUMNS,
        "study": results.study,
        "unscored": results.unscored,
        "held_back": results.held_back,
        "parsers": [parser.record() for parser in results.parsers],
        "results": list(results.rows()),
        "breakdown": list(results.breakdown()),
        "verdicts": [_record_verdict(finding) for finding in results.own_findings],
        "looks": looks,
        "error_rate": results.error_rate,
        "benchmark_lines": [each.record() for each in results.lines],
        **({"until_settled": stops} if stops else {}),
        "delivery": [each.record() for each in results.delivery],
        "reported_as": results.reported_as,
        "spent": [each.record() for each in results.spent],
        "pictures": {name: each.record() for name, each in results.pictures.items()},
        "accounting": list(_list_accounts(results)),
    }


def _record_verdict(finding: Finding) -> dict[str, Any]:
    verdict = finding.verdict
    return {
        "model": finding.model,
        "benchmark": finding.benchmark,
        "test": finding.test.name,
        "status": verdict.status,
        "reason": verdict.reason,
        "numbers": {name: as_json(each) for name, each in verdict.values.items()},
        "sentence": verdict.sentence,
        "arm": verdict.rests_on.arm if verdict.rests_on else None,
        "measure": verdict.rests_on.name if verdict.rests_on else None,
        "unsure": finding.unsure._asdict() if finding.unsure else None,
    }


def _list_accounts(results: Results) -> Iterator[dict[str, Any]]:
    """Yield the numbers of responses by model and condition, and how often parser rules applied."""
    for (model, benchmark), table in results.tables.items():
        for arm, grades in table.with_repeats().arms.items():
            yield {
                "model": model,
                "benchmark": benchmark,
                "arm": arm,
                "wanted": grades.wanted,
                "replies": len(grades),
                "missing": grades.missing,
                "failed": grades.failed,
                "inapplicable": grades.inapplicable,
                "rules": {
                    parser: tables[model, benchmark].with_repeats().arms[arm].by_rule()
                    for parser, tables in results.readings.items()
                    if (model, benchmark) in tables
                },
            }


def note_rules(results: Results) -> str:
    """Return a note if results.json was made by other rules for verdicts; else ""."""
    path = results.folder / RECORD
    with path.open("rb") if path.is_file() else BytesIO() as file:
        begins = _BEGINS.match(file.read(200))
    stored = int(begins["rules"] or 1) if begins and not begins["unfinished"] else RULES
    if stored == RULES:
        return ""
    return f"{RECORD} in {results.folder} was judged by rules {stored}; these verdicts are by rules {RULES}."


def count_looks(store: Store, name: str, tables: Tables) -> dict[tuple[str, str], tuple[int, ...]]:
    """Number of questions at each earlier look and now, by model and benchmark.

    A look is a computation of verdicts, read from the published results. Results of later studies in the folder do not
    count.
    """
    before: dict[tuple[str, str], set[int]] = {}
    names = [study.name for study in store.studies.load_all()]
    for earlier in names[: names.index(name) + 1]:
        for each in _read_looks(store.studies.results_folder(earlier) / RECORD):
            before.setdefault((each["model"], each["benchmark"]), set()).update(each["questions"])
    found = {}
    for at, table in tables.items():
        now = table.questions_asked
        found[at] = (*sorted(each for each in before.get(at, ()) if 0 < each < now), now)
    return found


def _read_looks(published: Path) -> list[dict[str, Any]]:
    """Read the looks from a results.json. [] if it is missing, damaged or by other rules."""
    try:
        with open_plain(published) as file:
            record = orjson.loads(file.read())
        looks = record["looks"] if record["rules"] == RULES else []
        return [each for each in looks if all(isinstance(count, int) for count in each["questions"]) and each["model"]]
    except (OSError, ValueError, TypeError, KeyError):
        return []
