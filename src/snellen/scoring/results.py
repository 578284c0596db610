"""Results: every stored response graded, every test measured and concluded; asks nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

import orjson

from snellen.asking.bill import Spent, spent
from snellen.asking.plan import Plan
from snellen.conditions import ORIGINAL
from snellen.errors import BrokenRow, MissingExtraError, StudyError
from snellen.files import StagedFiles, open_plain, replace_set, write_whole
from snellen.grading.parsers import Parser, parser_named
from snellen.images import USUAL_SIDE, PicturesSent
from snellen.items import Benchmark
from snellen.prompts import PROMPTS, Prompt, asked_under
from snellen.runtime import counted, html_table, visible
from snellen.scoring.every_look import at_every_look
from snellen.scoring.findings import Finding, arm_in_words
from snellen.scoring.many_models import ManyModels
from snellen.scoring.measuring import Measured, measure_tables
from snellen.scoring.pictures import pictures_sent
from snellen.scoring.portions import Watch, read_study, unwatched
from snellen.scoring.resolving import ResolvedStudy, resolve_study
from snellen.scoring.responses import COLUMNS as RESPONSE_COLUMNS
from snellen.scoring.responses import responses
from snellen.scoring.settled import Stop, asked_until
from snellen.scoring.tables import Tables
from snellen.scoring.writing import write_csv
from snellen.sight.delivery import Delivery
from snellen.stats import Estimate, Human
from snellen.store import Store
from snellen.store.records import TYPED, dump_json
from snellen.stress.base import Status, StressTest
from snellen.stress.conclusions import percent, rate_of
from snellen.stress.image_dependence.subset import with_list_kept
from snellen.stress.measures import of_arm
from snellen.stress.verdicts.decision import as_json
from snellen.stress.verdicts.possible_without import BenchmarkLine
from snellen.stress.verdicts.sentences import describe_error_rate

RULES = 2
"""The rules by which verdicts are made; files without this entry were judged by the first ones."""
SCHEMA = 2
"""The form of results.json, results.csv and breakdown.csv; higher where a name in them changes its meaning or goes."""
TABLE, BREAKDOWN, RECORD = "results.csv", "breakdown.csv", "results.json"
COLUMNS = (
    "model", "benchmark", "test", "arm", "measure", "parser", "subset", "value", "low", "high", "n", "method",
    "p", "p_adjusted", "detectable", "kind", "judge", "delivery",
)  # fmt: skip
"""Those up to `subset` name a number: no two rows of results.csv agree on all of them."""
_NUMBERS = ("value", "low", "high", "p", "p_adjusted", "detectable")
_LINE = ("model", "benchmark", "test", "verdict", "numbers")
_BEGINS = re.compile(
    rb'\s*\{\s*"schema"\s*:\s*\d+\s*,\s*(?:"rules"\s*:\s*(?P<rules>\d{1,9})\b|(?P<unfinished>"unfinished"))?'
)
"""How results.json begins: files of the first rules name no rules."""


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
    def rules_note(self) -> str:
        """That results.json was judged by other rules than these verdicts; "" if not, or if there is none."""
        path = self.folder / RECORD
        with path.open("rb") if path.is_file() else BytesIO() as file:
            begins = _BEGINS.match(file.read(200))
        stored = int(begins["rules"] or 1) if begins and not begins["unfinished"] else RULES
        if stored == RULES:
            return ""
        return f"{RECORD} in {self.folder} was judged by rules {stored}; these verdicts are by rules {RULES}."

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

    def doubts(self, findings: Sequence[Finding]) -> str:
        """What failures among the findings of one model leave open: nothing may show that it was sent the images."""
        failed = [each for each in findings if each.verdict.status is Status.FAIL and each.test.sends_images]
        of = (each.doubt for each in self.delivery if any(each.is_of(one.model, one.benchmark) for one in failed))
        return next(of, "")

    def rows(self) -> Iterator[dict[str, Any]]:
        """The tidy table: one row per number. A number that rests on none of several parsers stands once."""
        ranked = (each for compared in self.models_compared for each in compared.findings())
        for finding in (*self.own_findings, *ranked):
            yield from self._rows(finding)
        for finding in self.beside:
            yield from (row for row in self._rows(finding) if row["parser"] == finding.parser)

    def breakdown(self) -> Iterator[dict[str, Any]]:
        """The same by category and by language: rows with their group."""
        for finding in self.groups:
            yield from ({**row, "group": finding.group} for row in self._rows(finding))

    def responses(self) -> Iterator[dict[str, Any]]:
        """Every response with its grade by each parser, as `snellen export --to csv` writes it; read from the store.

        What failed, is missing or has no meaning under a condition is a row with that `state`.
        """
        with Store.open(self.folder) as store:
            yield from responses(store, self.study, {**self.readings, **self.judged})

    def to_pandas(self, table: Literal["results", "breakdown", "responses"] = "results") -> Any:
        """A DataFrame of results.csv, of breakdown.csv or of the graded responses; needs pandas."""
        try:
            import pandas
        except ImportError as error:
            raise MissingExtraError("pandas") from error
        if table == "responses":
            whole = {name: "Int64" for name, kind in RESPONSE_COLUMNS.items() if kind is int}
            return pandas.DataFrame(self.responses(), columns=list(RESPONSE_COLUMNS)).astype(whole)
        if table not in ("results", "breakdown"):
            raise StudyError(f"Expected the table 'results', 'breakdown' or 'responses', got {table!r}.")
        rows, columns = (self.rows(), COLUMNS) if table == "results" else (self.breakdown(), (*COLUMNS, "group"))
        return pandas.DataFrame(rows, columns=list(columns)).astype(dict.fromkeys(_NUMBERS, float))

    def _rows(self, finding: Finding) -> Iterator[dict[str, Any]]:
        arrived = next((each.status for each in self.delivery if each.is_of(finding.model, finding.benchmark)), None)
        for measure in finding.measures:
            estimate = measure.estimate
            values = (
                finding.model, finding.benchmark, finding.test.name, measure.arm, measure.name,
                measure.parser, measure.subset, estimate.value, estimate.low, estimate.high, estimate.n,
                estimate.method, estimate.p, measure.p_adjusted, measure.detectable, measure.kind.unit, measure.judge,
                arrived,
            )  # fmt: skip
            yield dict(zip(COLUMNS, values, strict=True))

    def __repr__(self) -> str:
        statuses = Counter(finding.verdict.status.words for finding in self.own_findings)
        found = ", ".join(f"{count} {status}" for status, count in statuses.items())
        models = counted(len(self.study["models"]), "model")
        return f"<Results of {models} on {counted(len(self.benchmarks), 'benchmark')} in {self.folder}: {found}>"

    def _repr_html_(self) -> str:
        notes = [f"{name}: {len(rows)} broken rows were left out" for name, rows in self.left_out.items()]
        notes += (sentence for sent in self.pictures.values() for sentence in sent.sentences())
        lines = ((each.model, each.benchmark, each.test.name, *each.line()[1:]) for each in self.own_findings)
        return html_table(_LINE, lines, [*notes, *self.unscored.values()])

    def __str__(self) -> str:
        lines = []
        for heading, found in self.by_model():
            lines.append(visible(heading))
            if accuracy := self.accuracy(found[0].model, found[0].benchmark):
                lines.append(visible(f"  accuracy | {accuracy}"))
            lines += (f"  {visible(' | '.join(finding.line()))}" for finding in found)
            lines += (f"  {said}" for said in [self.doubts(found)] if said)
        lines += (f"{visible(name)}: {len(rows)} broken rows were left out" for name, rows in self.left_out.items())
        lines += map(visible, self.unscored.values())
        return "\n".join(lines)

    def accuracy(self, model: str, benchmark: str) -> str:
        """The accuracy of a model on a benchmark in words, with n: as asked, else under the first arm with responses.

        Empty for reports, for questions that a test brings, and where no response is graded.
        """
        found, arm = self.measure_accuracy(model, benchmark), self.find_first_arm(model, benchmark)
        if found is None:
            return ""
        table = self.tables[model, benchmark]
        every = table.with_images() is table
        asked = {
            each.name: arm_in_words(each) if every else each.in_words
            for finding in self.findings
            for each in finding.test.all_arms
        }
        guess = float(table.chance[table.arms[arm].ordinal].mean())
        beside = f"; guessing scores {percent(guess)}" if guess else ""
        n = counted(found.n, "question")
        return f"{rate_of(found)} {asked.get(arm, f'under {arm}')} (n = {n}){beside}"

    def measure_accuracy(self, model: str, benchmark: str) -> Estimate | None:
        """The accuracy of a model on a benchmark; None where `accuracy` says nothing."""
        table = self.tables.get((model, benchmark))
        brought = benchmark in {each.test.questions for each in self.findings}
        if table is None or table.kind == "report" or brought:
            return None
        measures = of_arm(self.find_first_arm(model, benchmark), table)
        found = next((each for each in measures if each.name == "accuracy"), None)
        if found is None:
            return None
        return (found if table.looked is None else at_every_look(found, table.largest)).estimate

    def find_first_arm(self, model: str, benchmark: str) -> str:
        """The arm with the original image, else the first one with responses."""
        table = self.tables.get((model, benchmark))
        if table is None:
            return ""
        arms = (asked_under(ORIGINAL.name, table.arms), *table.arms)
        seen = (part.arms for part in (table.with_images(), table))
        return next((each for part in seen for each in arms if len(part.get(each, ()))), "")

    def by_model(self) -> Iterator[tuple[str, list[Finding]]]:
        """The findings of each model on each benchmark, under a heading that says how many questions were asked."""
        groups: dict[tuple[str, str], list[Finding]] = {}
        for finding in self.own_findings:
            groups.setdefault((finding.model, finding.benchmark), []).append(finding)
        for (model, benchmark), found in groups.items():
            table = self.tables.get((model, benchmark))
            what = "report" if table and table.kind == "report" else "question"
            few = table is not None and table.questions_asked < len(table.items)
            some = f"{table.questions_asked:,} of " if table and few else ""
            asked = f", {some}{counted(len(table.items), what)}" if table else ""
            if table and (until := asked_until(table, found)):
                asked = f", {until}"
            yield f"{model} on {benchmark}{asked}", found

    def save(self) -> tuple[Path, Path]:
        """Write results.csv and results.json beside the responses, and breakdown.csv where there are groups."""
        with self.replaced_files():
            return self.folder / TABLE, self.folder / RECORD

    @contextmanager
    def replaced_files(self, page: str = "") -> Iterator[StagedFiles]:
        """The files of `save`, written aside to replace those there together with a page and others."""
        with replace_set(self.folder, record=RECORD, schema=SCHEMA, page=page) as new:
            write_csv(new.folder / TABLE, COLUMNS, self.rows())
            if self.groups:
                write_csv(new.folder / BREAKDOWN, (*COLUMNS, "group"), self.breakdown())
            else:
                new.stale.add(BREAKDOWN)
            write_whole(new.folder / RECORD, dump_json(self.record(), TYPED | orjson.OPT_INDENT_2).encode())
            yield new

    def record(self) -> dict[str, Any]:
        """Everything but the responses: study, numbers, verdicts, and what was not asked or not answered."""
        return {
            "schema": SCHEMA,
            "rules": RULES,
            "columns": COLUMNS,
            "study": self.study,
            "unscored": self.unscored,
            "held_back": self.held_back,
            "parsers": [parser.record() for parser in self.parsers],
            "results": list(self.rows()),
            "breakdown": list(self.breakdown()),
            "verdicts": [
                {
                    "model": finding.model,
                    "benchmark": finding.benchmark,
                    "test": finding.test.name,
                    "status": finding.verdict.status,
                    "reason": finding.verdict.reason,
                    "numbers": {name: as_json(each) for name, each in finding.verdict.values.items()},
                    "sentence": finding.verdict.sentence,
                    "arm": finding.verdict.rests_on.arm if finding.verdict.rests_on else None,
                    "measure": finding.verdict.rests_on.name if finding.verdict.rests_on else None,
                    "unsure": finding.unsure._asdict() if finding.unsure else None,
                }
                for finding in self.own_findings
            ],
            "looks": [{"model": at[0], "benchmark": at[1], "questions": each} for at, each in self.looks.items()],
            "error_rate": self.error_rate,
            "benchmark_lines": [each.record() for each in self.lines],
            **(
                {"until_settled": [{**each._asdict(), "settled": each.settled} for each in self.stops]}
                if self.stops
                else {}
            ),
            "delivery": [each.record() for each in self.delivery],
            "reported_as": self.reported_as,
            "spent": [each.record() for each in self.spent],
            "pictures": {name: each.record() for name, each in self.pictures.items()},
            "accounting": [
                {
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
                        for parser, tables in self.readings.items()
                        if (model, benchmark) in tables
                    },
                }
                for (model, benchmark), table in self.tables.items()
                for arm, grades in table.with_repeats().arms.items()
            ],
        }


def study_record(plan: Plan, store: Store, provenance: Mapping[str, Any]) -> dict[str, Any]:
    """What the store keeps of a study, with its benchmarks stored."""
    for benchmark in plan.benchmarks:
        store.studies.add_benchmark(benchmark)
    return {**provenance, **planned_record(plan, store.folder)}


def planned_record(plan: Plan, folder: Path) -> dict[str, Any]:
    """What a plan asks for: names and digests, enough to score and report it without asking.

    The lists of items that tests name are copied into the folder.
    """
    digests = {benchmark.name: benchmark.digest for benchmark in plan.benchmarks}
    return {
        "models": [[model.name, model.revision] for model in plan.models],
        "benchmarks": digests,
        "sources": {
            benchmark.name: {"about": dict(benchmark.about), "broken": [list(row) for row in benchmark.broken]}
            for benchmark in plan.benchmarks
        },
        "tests": [with_list_kept(test.name, folder) for test in plan.tests],
        "arms": {
            benchmark.name: {
                arm.name: arm.digest(digests[benchmark.name], plan.seed) for arm in plan.arms_of(benchmark)
            }
            for benchmark in plan.benchmarks
        },
        "seed": plan.seed,
        "epochs": plan.epochs,
        "epochs_of": {benchmark.name: plan.epochs_of(benchmark) for benchmark in plan.benchmarks},
        **({"repeated": again} if (again := _list_repeated(plan)) else {}),
        "limit": plan.limit,
        "limit_of": {benchmark.name: plan.limit_of(benchmark) for benchmark in plan.benchmarks},
        "prompt": plan.prompt.name,
        **({"prompt_words": words} if (words := _own_words(plan.prompt)) else {}),
        **({"examples": [item.id for item in plan.examples]} if plan.examples else {}),
        "settings": plan.settings.over(plan.protocol).chosen,
        **({"settings_not_sent": plan.not_sent()} if plan.not_sent() else {}),
        "parser": plan.parser,
        "beside": [plan.prompt.parser] if plan.prompt.parser not in ("", plan.parser) else [],
        **({"text_only": names} if (names := [model.name for model in plan.models if model.text_only]) else {}),
        **({"groups": {group: list(members) for group, members in plan.groups.items()}} if plan.groups else {}),
        **({"image_side": plan.image_side or 0} if plan.image_side != USUAL_SIDE else {}),
        **(
            {"asked_as": about}
            if (about := {each.name: dict(each.about) for each in plan.models if each.about})
            else {}
        ),
        **(
            {"until_settled": asked}
            if (asked := [each.name for each in plan.benchmarks if plan.in_rounds(each)])
            else {}
        ),
        "human": plan.human,
        "thresholds": plan.thresholds._asdict(),
    }


def _list_repeated(plan: Plan) -> dict[str, dict[str, Any]]:
    """By benchmark, the arms and items that are asked once more."""
    found = {benchmark.name: plan.repeats_of(benchmark).record() for benchmark in plan.benchmarks}
    return {name: record for name, record in found.items() if record}


def _own_words(prompt: Prompt) -> dict[str, str]:
    """The words of a prompt that is none of ours; how each condition was worded is stored with it."""
    ours = prompt == PROMPTS.get(prompt.name)
    return {} if ours else {"user": prompt.user, **({"system": prompt.system} if prompt.system else {})}


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
    tables, delivery = read_study(
        store, resolved.record, resolved.benchmarks, resolved.plan, unqualified=unqualified, watch=watch
    )
    readings = {name: tables.pop(name) for name in resolved.plan.choice}
    looks = _count_looks(store, resolved.record["name"], readings[resolved.plan.choice[0]])
    measured = measure_tables(resolved, readings, tables, delivery, looks, watch=watch)
    return _join_results(store, resolved, readings, tables, delivery, looks, measured)


def _join_results(
    store: Store,
    resolved: ResolvedStudy,
    readings: Mapping[str, Tables],
    judged: Mapping[str, Tables],
    delivery: tuple[Delivery, ...],
    looks: Mapping[tuple[str, str], tuple[int, ...]],
    measured: Measured,
) -> Results:
    """The results, with what the store says beside the responses."""
    study = resolved.record
    graded_by = (table.parser for tables in (*readings.values(), *judged.values()) for table in tables.values())
    return Results(
        folder=store.studies.results_folder(study["name"]),
        study=study,
        benchmarks=resolved.benchmarks,
        readings=readings,
        judged=judged,
        delivery=delivery,
        looks=looks,
        **measured._asdict(),
        pictures=pictures_sent(store, study, resolved.benchmarks),
        parsers=tuple(map(parser_named, dict.fromkeys((*graded_by, *resolved.plan.names)))),
        out=store.folder,
        spent=tuple(spent(store, study)),
        reported_as={
            name: tuple(sorted(store.responses.served_by(store.studies.model_number(name, revision)) - {""}))
            for name, revision in study["models"]
        },
        others=tuple(each.name for each in store.studies.all() if each.name != study["name"]),
        unscored=resolved.unscored,
    )


def _count_looks(store: Store, name: str, tables: Tables) -> dict[tuple[str, str], tuple[int, ...]]:
    """With how many questions each model was judged before, by the results in the folder, and with how many now.

    What a later study found is no look of this one.
    """
    before: dict[tuple[str, str], set[int]] = {}
    names = [study.name for study in store.studies.all()]
    for earlier in names[: names.index(name) + 1]:
        for each in _read_looks(store.studies.results_folder(earlier) / RECORD):
            before.setdefault((each["model"], each["benchmark"]), set()).update(each["questions"])
    found = {}
    for at, table in tables.items():
        now = table.questions_asked
        found[at] = (*sorted(each for each in before.get(at, ()) if 0 < each < now), now)
    return found


def _read_looks(published: Path) -> list[dict[str, Any]]:
    """The looks that a results.json tells; none if it is not there, damaged or of other rules."""
    try:
        with open_plain(published) as file:
            record = orjson.loads(file.read())
        looks = record["looks"] if record["rules"] == RULES else []
        return [each for each in looks if all(isinstance(count, int) for count in each["questions"]) and each["model"]]
    except (OSError, ValueError, TypeError, KeyError):
        return []
