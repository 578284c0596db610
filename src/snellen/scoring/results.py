"""Results: every stored response graded, every test measured and concluded; asks nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from snellen.asking.asked import limit_asked
from snellen.asking.spent import Spent, spent
from snellen.errors import BrokenRow
from snellen.images import PicturesSent
from snellen.items import Benchmark
from snellen.plugins import referred
from snellen.reading.parsers import Parser, parser_named
from snellen.runtime import counted
from snellen.scoring.findings import Finding
from snellen.scoring.many_models import ManyModels
from snellen.scoring.measuring import measure_tables
from snellen.scoring.portions import Watch, read_study, unwatched
from snellen.scoring.resolving import resolve_study
from snellen.scoring.responses import responses
from snellen.scoring.result_files import RECORD, TABLE, list_breakdown, list_rows, make_frame, replaced_files
from snellen.scoring.settled import Stop
from snellen.scoring.tables import Tables
from snellen.sight.delivery import Delivery
from snellen.stats import Human
from snellen.store import Store
from snellen.stress.base import StressTest
from snellen.stress.verdicts.possible_without import BenchmarkLine
from snellen.stress.verdicts.sentences import describe_error_rate


@dataclass(frozen=True)
class Results:
    """All findings of a study, with the tables behind them.

    `tables` and `findings` are by the study's own parser. `readings` holds the tables of every parser, and `beside`
    what the parsers beside the study's own find; `groups` are the findings by category and language.
    """

    folder: Path
    """Where results and report lie: the folder of the responses, or one in it if that holds several studies."""
    study: Mapping[str, Any]
    benchmarks: Mapping[str, Benchmark]
    readings: Mapping[str, Tables]
    """The tables by each parser of choices, the study's own first; open answers stand among the first."""
    findings: tuple[Finding, ...]
    marks: tuple[Finding, ...] = ()
    """The verdicts that every model gets on every benchmark: follows, honest, steady."""
    lines: tuple[BenchmarkLine, ...] = ()
    """What each benchmark gives away to models that do not look."""
    beside: tuple[Finding, ...] = ()
    groups: tuple[Finding, ...] = ()
    over_all: tuple[Finding, ...] = ()
    """The scores over several benchmarks at once."""
    delivery: tuple[Delivery, ...] = ()
    """Whether images reached the models, for each model and benchmark that was sent any."""
    pictures: Mapping[str, PicturesSent] = field(default_factory=dict)
    """How the pictures of each benchmark were sent, and which of them show next to nothing."""
    parsers: tuple[Parser, ...] = ()
    """Every parser that read the responses: first those that graded them, then those that gave columns beside."""
    out: Path = Path()
    """The folder of the responses."""
    others: tuple[str, ...] = ()
    """The names of the other studies in that folder."""
    models_compared: tuple[ManyModels, ...] = ()
    """The models of each benchmark compared, where there are several."""
    judged: Mapping[str, Tables] = field(default_factory=dict)
    """The tables of open answers by those who do not count: single judges, other panels, words alone."""
    stops: tuple[Stop, ...] = ()
    """How far each test was asked, on the benchmarks on which asking stops once the verdicts are settled."""
    spent: tuple[Spent, ...] = ()
    """What the responses of each model were counted as, and what they have cost."""
    reported_as: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names and versions that the servers of each model reported with their responses."""
    looks: Mapping[tuple[str, str], tuple[int, ...]] = field(default_factory=dict)
    """By model and benchmark, with how many questions verdicts were published: a study may be extended."""
    unscored: Mapping[str, str] = field(default_factory=dict)
    """The tests of the study that could not be made again and are left out, with the reason."""

    @property
    def error_rate(self) -> str:
        """How often a mark is wrong by chance, in plain words."""
        return describe_error_rate(max(map(len, self.looks.values()), default=1))

    @property
    def tables(self) -> Tables:
        """The tables by the study's own parser."""
        return self.readings[self.study["parser"]]

    @property
    def own_findings(self) -> tuple[Finding, ...]:
        """The findings by the study's own parser, the three verdicts of each model first; verdicts are counted here."""
        return (*self.marks, *self.findings, *self.over_all)

    @property
    def every_finding(self) -> tuple[Finding, ...]:
        """The findings by the study's own parser, over all benchmarks or models, and by other parsers."""
        return (*self.own_findings, *self.beside)

    @property
    def held_back(self) -> tuple[str, ...]:
        """What judges said that is not published, each in a sentence that says why."""
        return tuple(dict.fromkeys(each for table in self.tables.values() for each in table.held_back))

    @property
    def left_out(self) -> dict[str, list[BrokenRow]]:
        """The rows that could not be used: of each benchmark, and of the files that were imported."""
        found = {name: list(each.broken) for name, each in self.benchmarks.items() if each.broken}
        rows = [BrokenRow(*row) for row in self.study.get("left_out", ())]
        return {**found, "The imported files": rows} if rows else found

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows of results.csv: one per number."""
        return list_rows(self)

    def breakdown(self) -> Iterator[dict[str, Any]]:
        """The rows of breakdown.csv: the same by category and by language."""
        return list_breakdown(self)

    def responses(self) -> Iterator[dict[str, Any]]:
        """Every response with its grade by each parser, as `snellen export --to csv` writes it; read from the store.

        What failed, is missing or has no meaning under a condition is a row with that `state`.
        """
        with Store.open(self.out) as store:
            yield from responses(store, self.study, {**self.readings, **self.judged})

    def to_pandas(self, table: Literal["results", "breakdown", "responses"] = "results") -> Any:
        """A DataFrame of results.csv, of breakdown.csv or of the graded responses; needs pandas."""
        return make_frame(self, table)

    def save(self) -> tuple[Path, Path]:
        """Write results.csv and results.json beside the responses, and breakdown.csv where there are groups."""
        with replaced_files(self):
            return self.folder / TABLE, self.folder / RECORD

    def __repr__(self) -> str:
        statuses = Counter(finding.verdict.status.words for finding in self.own_findings)
        found = ", ".join(f"{count} {status}" for status, count in statuses.items())
        models = counted(len(self.study["models"]), "model")
        return f"<Results of {models} on {counted(len(self.benchmarks), 'benchmark')} in {self.folder}: {found}>"

    def _repr_html_(self) -> str:
        drawn: str = referred("snellen.report.result_lines:write_html")(self)
        return drawn

    def __str__(self) -> str:
        lines: str = referred("snellen.report.result_lines:write_lines")(self)
        return lines


def rescore(
    out: str | Path,
    *,
    study: str | None = None,
    tests: Sequence[StressTest] = (),
    parsers: Sequence[str] = (),
    unqualified: bool = False,
) -> Results:
    """The results of a stored study, by default the latest; asks nothing and writes nothing."""
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
    watch: Watch = unwatched,
) -> Results:
    """Grade and measure a study of a store, by default the latest.

    `tests` adds those that no package registers; a test that is in neither is left out, and PluginError if none is
    left. The first of the parsers of choices counts, the others are shown beside it; without any, the study's own.
    Other parsers may be among them: they read all that they take. Opinions of judges that are not qualified are held
    back, unless `unqualified` lets them in.
    """
    resolved = resolve_study(store, study, tests=tests, parsers=parsers, human=human)
    graded = read_study(store, resolved, unqualified=unqualified, watch=watch)
    measured = measure_tables(resolved, graded, watch=watch)
    record = resolved.record
    read = (each.parser for some in (*graded.readings.values(), *graded.judged.values()) for each in some.values())
    return Results(
        folder=store.studies.results_folder(record["name"]),
        study=record,
        benchmarks=resolved.benchmarks,
        **graded._asdict(),
        **measured._asdict(),
        pictures=_list_pictures_sent(store, record, resolved.benchmarks),
        parsers=tuple(map(parser_named, dict.fromkeys((*read, *resolved.plan.names)))),
        out=store.folder,
        spent=tuple(spent(store, record)),
        reported_as={
            name: tuple(sorted(store.responses.served_by(store.studies.model_number(name, revision)) - {""}))
            for name, revision in record["models"]
        },
        others=tuple(each.name for each in store.studies.all() if each.name != record["name"]),
        unscored=resolved.unscored,
    )


def _list_pictures_sent(
    store: Store, study: Mapping[str, Any], benchmarks: Mapping[str, Benchmark]
) -> dict[str, PicturesSent]:
    """What is known of the pictures of each benchmark that was asked with any; nothing of those that others sent."""
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
            sent |= {each for at, images in store.variants.shown(number).items() if at < len(items) for each in images}
            for at, those in store.variants.shades(number).items():
                for shade in filter(None, those if at < len(items) else ()):
                    shades.setdefault(shade, {})[items[at].id] = None
        rules = Counter(rule for each in sent if each in known for rule in known[each].rule.split("; ") if rule)
        if sent:
            found[name] = PicturesSent(len(sent), rules, {shade: tuple(those) for shade, those in shades.items()})
    return found
