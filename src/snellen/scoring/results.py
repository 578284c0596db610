"""Results of a study: all stored responses graded, all tests measured and their verdicts decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from snellen.asking.asked import limit_asked
from snellen.asking.spent import Spent, find_spending
from snellen.errors import BrokenRow
from snellen.images import PicturesSent
from snellen.items import Benchmark
from snellen.plugins import load_reference
from snellen.reading.parsers import Parser, parser_named
from snellen.runtime import counted
from snellen.scoring.findings import (
    Finding,
    findings,
    findings_by_group,
    findings_over_all,
    findings_over_models,
    mark_model,
    withhold_verdict,
)
from snellen.scoring.many_models import ManyModels, many_models
from snellen.scoring.portions import GradedStudy, Watch, ignore_progress, read_study
from snellen.scoring.resolving import ResolvedStudy, resolve_study
from snellen.scoring.responses import responses
from snellen.scoring.result_files import RECORD, TABLE, list_breakdown, list_rows, make_frame, replaced_files
from snellen.scoring.settled import Stop, stops
from snellen.scoring.tables import Tables
from snellen.sight.delivery import Arrival, Delivery
from snellen.stats import Human
from snellen.store import Store
from snellen.stress.base import StressTest
from snellen.stress.design import asked_of
from snellen.stress.verdicts.marks import is_judged
from snellen.stress.verdicts.possible_without import BenchmarkLine, judge_benchmark
from snellen.stress.verdicts.sentences import describe_error_rate


@dataclass(frozen=True)
class Results:
    """All findings of a study, with the tables behind them.

    `tables` and `findings` are by the study's own parser, `readings` and `beside` by every parser and by the other
    parsers. `groups` are the findings by category and language.
    """

    folder: Path
    """Folder of results and report: that of the responses, or a folder in it if it has several studies."""
    study: Mapping[str, Any]
    benchmarks: Mapping[str, Benchmark]
    readings: Mapping[str, Tables]
    """Tables by each parser of choices, the study's own first; tables of open answers are listed there, too."""
    findings: tuple[Finding, ...]
    marks: tuple[Finding, ...] = ()
    """The three verdicts of every model on every benchmark: follows, honest, steady."""
    lines: tuple[BenchmarkLine, ...] = ()
    """Verdict on each benchmark itself: how much models score without looking at the image."""
    beside: tuple[Finding, ...] = ()
    groups: tuple[Finding, ...] = ()
    over_all: tuple[Finding, ...] = ()
    """Results over several benchmarks or models."""
    delivery: tuple[Delivery, ...] = ()
    """Evidence that images reached the models, for each model and benchmark with images."""
    pictures: Mapping[str, PicturesSent] = field(default_factory=dict)
    """How the images of each benchmark were sent, and which are almost uniform."""
    parsers: tuple[Parser, ...] = ()
    """Parsers of the responses; those that graded come first, then those that gave columns."""
    out: Path = Path()
    """Folder of the responses."""
    others: tuple[str, ...] = ()
    """Names of the other studies in that folder."""
    models_compared: tuple[ManyModels, ...] = ()
    """Comparisons of the models of each benchmark, if it has several."""
    judged: Mapping[str, Tables] = field(default_factory=dict)
    """Tables of open answers that do not count: by single judges, other panels or word rules."""
    stops: tuple[Stop, ...] = ()
    """Number of questions asked for each test, on benchmarks where asking stops once verdicts are settled."""
    spent: tuple[Spent, ...] = ()
    """Tokens and cost of each model's responses."""
    reported_as: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names and versions that the servers reported with the responses, by model."""
    looks: Mapping[tuple[str, str], tuple[int, ...]] = field(default_factory=dict)
    """Numbers of questions at which verdicts were published, by model and benchmark.

    There are several if a study was extended.
    """
    unscored: Mapping[str, str] = field(default_factory=dict)
    """Tests of the study that could not be recreated and are left out, with the reason."""

    @property
    def error_rate(self) -> str:
        """Sentence on how often one of the three verdicts is wrong by chance."""
        return describe_error_rate(max(map(len, self.looks.values()), default=1))

    @property
    def tables(self) -> Tables:
        """Tables by the study's own parser."""
        return self.readings[self.study["parser"]]

    @property
    def own_findings(self) -> tuple[Finding, ...]:
        """Findings by the study's own parser, the three verdicts of each model first."""
        return (*self.marks, *self.findings, *self.over_all)

    @property
    def every_finding(self) -> tuple[Finding, ...]:
        """Findings by all parsers and over all benchmarks or models."""
        return (*self.own_findings, *self.beside)

    @property
    def held_back(self) -> tuple[str, ...]:
        """Sentences on the opinions of judges that are not published, with the reason."""
        return tuple(dict.fromkeys(each for table in self.tables.values() for each in table.held_back))

    @property
    def left_out(self) -> dict[str, list[BrokenRow]]:
        """Unusable rows of each benchmark and of imported files."""
        found = {name: list(each.broken) for name, each in self.benchmarks.items() if each.broken}
        rows = [BrokenRow(*row) for row in self.study.get("left_out", ())]
        return {**found, "The imported files": rows} if rows else found

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of results.csv, one per number."""
        return list_rows(self)

    def breakdown(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of breakdown.csv: numbers by category and language."""
        return list_breakdown(self)

    def responses(self) -> Iterator[dict[str, Any]]:
        """Yield every response with its grades, as `snellen export --to csv` writes them.

        A response that failed, is missing or does not apply is a row with that `state`.
        """
        with Store.open(self.out) as store:
            yield from responses(store, self.study, {**self.readings, **self.judged})

    def to_pandas(self, table: Literal["results", "breakdown", "responses"] = "results") -> Any:
        """Return results.csv, breakdown.csv or the graded responses as a DataFrame; needs pandas."""
        return make_frame(self, table)

    def save(self) -> tuple[Path, Path]:
        """Write results.csv and results.json next to the responses, and breakdown.csv if there are groups."""
        with replaced_files(self):
            return self.folder / TABLE, self.folder / RECORD

    def __repr__(self) -> str:
        statuses = Counter(finding.verdict.status.words for finding in self.own_findings)
        found = ", ".join(f"{count} {status}" for status, count in statuses.items())
        models = counted(len(self.study["models"]), "model")
        return f"<Results of {models} on {counted(len(self.benchmarks), 'benchmark')} in {self.folder}: {found}>"

    def _repr_html_(self) -> str:
        drawn: str = load_reference("snellen.report.result_lines:write_html")(self)
        return drawn

    def __str__(self) -> str:
        lines: str = load_reference("snellen.report.result_lines:write_lines")(self)
        return lines


def rescore(
    out: str | Path,
    *,
    study: str | None = None,
    tests: Sequence[StressTest] = (),
    parsers: Sequence[str] = (),
    unqualified: bool = False,
) -> Results:
    """Compute the results of a stored study (default: the latest); asks nothing and writes nothing."""
    for parser in parsers:
        parser_named(parser)
    with Store.open(out) as store:
        return score(store, study=study, tests=tests, parsers=parsers, unqualified=unqualified)


def score(
    store: Store,
    *,
    study: str | None = None,
    tests: Sequence[StressTest] = (),
    parsers: Sequence[str] = (),
    human: Human | None = None,
    unqualified: bool = False,
    watch: Watch = ignore_progress,
) -> Results:
    """Grade and measure a study of a store (default: the latest).

    `tests` adds tests that no package registers. A test that cannot be recreated is left out; PluginError if none is
    left. Of `parsers` that read choices the first one counts and the others are reported next to it; without any, the
    study's own counts. Parsers of other kinds read all items that they take. Opinions of judges that are not qualified
    count only with `unqualified`.
    """
    resolved = resolve_study(store, study, tests=tests, parsers=parsers, human=human)
    graded = read_study(store, resolved, unqualified=unqualified, watch=watch)
    measured = _measure_tables(resolved, graded, watch)
    record = resolved.record
    read = (each.parser for some in (*graded.readings.values(), *graded.judged.values()) for each in some.values())
    return Results(
        folder=store.studies.results_folder(record["name"]),
        study=record,
        benchmarks=resolved.benchmarks,
        **graded._asdict(),
        **measured,
        pictures=_list_pictures_sent(store, record, resolved.benchmarks),
        parsers=tuple(map(parser_named, dict.fromkeys((*read, *resolved.plan.names)))),
        out=store.folder,
        spent=tuple(find_spending(store, record)),
        reported_as={
            name: tuple(sorted(store.responses.served_by(store.studies.model_number(name, revision)) - {""}))
            for name, revision in record["models"]
        },
        others=tuple(each.name for each in store.studies.load_all() if each.name != record["name"]),
        unscored=resolved.unscored,
    )


def _list_pictures_sent(
    store: Store, study: Mapping[str, Any], benchmarks: Mapping[str, Benchmark]
) -> dict[str, PicturesSent]:
    """Describe the images sent with each benchmark; {} for imported responses."""
    if "imported" in study:
        return {}
    known = store.images.pictures()
    found = {}
    for name, arms in study["arms"].items():
        items = benchmarks[name].items[: limit_asked(study, name)]
        sent: set[str] = set()
        shades: dict[str, dict[str, None]] = {}
        for digest in arms.values():
            number, _ = store.studies.arm(digest)
            sent |= {
                each
                for at, images in store.variants.load_image_hashes(number).items()
                if at < len(items)
                for each in images
            }
            for at, those in store.variants.shades(number).items():
                for shade in filter(None, those if at < len(items) else ()):
                    shades.setdefault(shade, {})[items[at].id] = None
        rules = Counter(rule for each in sent if each in known for rule in known[each].rule.split("; ") if rule)
        if sent:
            found[name] = PicturesSent(len(sent), rules, {shade: tuple(those) for shade, those in shades.items()})
    return found


# Measuring -----------------------------------------------------------------------------------------------------------


MANY = 300_000
"""Responses in total from which each table drops its cached values after measuring, to save memory."""


def _measure_tables(resolved: ResolvedStudy, graded: GradedStudy, watch: Watch) -> dict[str, Any]:
    """Measure every test on every table, as fields of `Results`.

    Verdicts are withheld if images may not have arrived.
    """
    readings, judged, delivery, looks = graded
    tests, own = resolved.tests, next(iter(readings))
    tables = readings[own]
    brought = {test.questions for test in tests}
    # models that were asked different questions, because asking stopped early, cannot be pooled
    comparable = {at: table for at, table in tables.items() if table.looked is None}
    found = []
    every = [(parser, table) for parser, some in (*readings.items(), *judged.items()) for table in some.values()]
    for done, (parser, table) in enumerate(every):
        watch("measuring", done, len(every))
        made = findings([test for test in asked_of(tests, table.benchmark, table.kind) if not test.marks], table)
        found += [(parser, withhold_verdict(finding, delivery)) for finding in made]
        if len(every) * sum(map(len, table.arms.values())) >= MANY:
            table.forget()
    counting = tuple(finding for parser, finding in found if parser == own)
    marks = tuple(withhold_verdict(mark, delivery) for mark in _mark_models(tables, brought, looks))
    return {
        "findings": counting,
        "marks": marks,
        "lines": tuple(_judge_benchmarks(tables, brought, delivery)),
        "stops": tuple(stops((*marks, *counting), tables)),
        "beside": tuple(finding for parser, finding in found if parser != own),
        "groups": tuple(
            chain.from_iterable(
                findings_by_group(asked_of(tests, table.benchmark, table.kind), table) for table in tables.values()
            )
        ),
        "over_all": tuple(withhold_verdict(each, delivery) for each in _span(tests, comparable, brought)),
        "models_compared": tuple(_compare_models(comparable, brought)),
    }


def _mark_models(tables: Tables, brought: set[str], looks: Mapping[Any, Sequence[int]]) -> Iterator[Finding]:
    """Yield the three verdicts of every model on every benchmark. Questions that a test brings have none."""
    for at, table in tables.items():
        if at[1] not in brought and table.kind != "report" and is_judged(table):
            yield from mark_model(table, looks=len(looks[at]))


def _span(tests: Sequence[StressTest], tables: Tables, brought: set[str]) -> Iterator[Finding]:
    """Yield results of each model over its benchmarks. Then of each benchmark over its models."""
    shared = [table for table in tables.values() if table.benchmark not in brought]
    for name in dict.fromkeys(table.model for table in shared):
        yield from findings_over_all(tests, [table for table in shared if table.model == name])
    for name in dict.fromkeys(table.benchmark for table in shared):
        yield from findings_over_models(tests, [table for table in shared if table.benchmark == name])


def _compare_models(tables: Tables, brought: set[str]) -> Iterator[ManyModels]:
    for name in dict.fromkeys(benchmark for _, benchmark in tables if benchmark not in brought):
        yield from many_models([table for table in tables.values() if table.benchmark == name])


def _judge_benchmarks(tables: Tables, own: set[str], delivery: Sequence[Delivery]) -> Iterator[BenchmarkLine]:
    """Yield the verdict on each benchmark, from models that may have received its images."""
    lost = {(each.model, each.benchmark) for each in delivery if each.status is Arrival.CONTRADICTED}
    tables = {at: table for at, table in tables.items() if at not in lost}
    for name in dict.fromkeys(benchmark for _, benchmark in tables if benchmark not in own):
        asked = [table for table in tables.values() if table.benchmark == name and table.kind != "report"]
        if asked and any(map(is_judged, asked)) and (line := judge_benchmark(asked)) is not None:
            yield line
