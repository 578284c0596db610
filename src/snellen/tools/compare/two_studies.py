"""Comparison of two studies on the questions that both asked and answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from snellen.conditions import ORIGINAL
from snellen.errors import StudyError
from snellen.files import write_whole
from snellen.reading.missing_image import Admission
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import parser_named
from snellen.reading.reports.columns import Reports
from snellen.runtime import counted
from snellen.scoring.findings import ALL_BENCHMARKS
from snellen.scoring.pairing import (
    FIRST,
    SECOND,
    ComparedStudy,
    MatchedPlaces,
    Names,
    QuestionPairs,
    join_tables,
    paired_benchmarks,
    paired_models,
    shared_parsers,
)
from snellen.scoring.result_files import note_rules
from snellen.scoring.results import Results, score
from snellen.scoring.writing import write_csv
from snellen.sight.delivery import Arrival
from snellen.stats import Estimate, holm, paired_difference
from snellen.store import Store, as_changed
from snellen.stress.base import Kind, Status, StressTest
from snellen.stress.conclusions import SIGNIFICANT
from snellen.stress.measures import KINDS, RATES, SHARED, share
from snellen.stress.reports import KINDS as REPORT_KINDS
from snellen.stress.table import OUTCOMES, PerItem, Table
from snellen.stress.tests.rationale import KINDS as RATIONALE_KINDS
from snellen.tools.compare import FLIPS_SHOWN

ACCURACY = KINDS["accuracy"]
OF_REPORTS = REPORT_KINDS["findings_f1_of_asked"]
DESCRIBED = RATIONALE_KINDS["described_rate"]
DESCRIBES = SHARED[f"{Admission.DESCRIBES}_share"]
COLUMNS = (
    "row", "model1", "model2", "benchmark1", "benchmark2", "arm", "parser",
    "measure", "value1", "value2", "difference", "low", "high", "n", "method", "p", "p_adjusted", "fell", "rose",
    "test", "verdict1", "verdict2",
    "item_id", "question", "answer_text", "outcome1", "outcome2", "response1", "response2",
)  # fmt: skip
"""Columns of the CSV file; `row` is measure, verdict or flip."""


@dataclass(frozen=True)
class ShareChange:
    """One measure in both studies on the same questions, and its change (second minus first)."""

    kind: Kind
    first: Estimate
    second: Estimate
    difference: Estimate
    fell: int
    """Questions with a lower value in the second study; for accuracy without repeats, right only in the first."""
    rose: int
    p_adjusted: float = 1.0
    family: int = 1
    """Number of conditions over which p was corrected."""

    @property
    def conclusion(self) -> str:
        """The conclusion in words: higher or lower only if CI and p agree."""
        if self.difference.low <= 0 <= self.difference.high:
            return "no difference shown"
        if self.p_adjusted >= SIGNIFICANT:
            corrected = f" after correction for {self.family} conditions" if self.family > 1 else ""
            return f"no difference shown: the CI excludes 0, but p is not below {SIGNIFICANT}{corrected}"
        return f"{'higher' if self.difference.value > 0 else 'lower'} in the second study"


class Flip(NamedTuple):
    """A question that one study answered right more often, with a response of each."""

    item_id: str
    question: str
    answer_text: str
    outcome1: str
    outcome2: str
    response1: str
    response2: str


@dataclass(frozen=True)
class ComparedModels:
    """Two models under one condition, on the same questions, read by one parser."""

    models: Names
    benchmarks: Names
    arm: str
    in_words: str
    parser: str
    changes: tuple[ShareChange, ...]
    flips: tuple[Flip, ...]
    left_out: Mapping[str, int]
    """Matching questions without answers from both models under this condition, by reason."""
    repeated: bool

    @property
    def name(self) -> dict[str, str]:
        """The columns that identify the comparison in a row."""
        return {**_name_pairs(self.models, self.benchmarks), "arm": self.arm, "parser": self.parser}


class Matched(NamedTuple):
    """The questions of a benchmark that match between both studies."""

    benchmarks: Names
    sizes: tuple[int, int]
    places: MatchedPlaces


class BothVerdicts(NamedTuple):
    """The verdicts of both studies on one test. Each uses all questions of its study."""

    models: Names
    benchmarks: Names
    test: str
    first: Status
    second: Status

    @property
    def changed(self) -> bool:
        """Whether the verdicts differ."""
        return self.first is not self.second


@dataclass(frozen=True, repr=False)
class TwoStudies:
    """Two studies compared question by question: differences, verdicts, and flipped answers.

    `print` shows it. `rows()` yields the numbers, `flips()` the flipped answers. `save` writes all as CSV, `save_page`
    the page.
    """

    first: Results
    second: Results
    warnings: tuple[str, ...]
    """Reasons why a difference may not come from the models, such as images that may not have arrived."""
    notes: tuple[str, ...]
    matched: tuple[Matched, ...]
    compared: tuple[ComparedModels, ...]
    verdicts: tuple[BothVerdicts, ...]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield rows of numbers: both shares, difference with 95% CI, p, and corrected p."""
        for each in self.compared:
            for change in each.changes:
                found = change.difference
                numbers = {
                    "measure": change.kind.name, "value1": change.first.value, "value2": change.second.value,
                    "difference": found.value, "low": found.low, "high": found.high, "n": found.n,
                    "method": found.method, "p": found.p, "p_adjusted": change.p_adjusted, "fell": change.fell,
                    "rose": change.rose,
                }  # fmt: skip
                yield {**each.name, "parser": change.kind.parser or each.parser, **numbers}

    def flips(self) -> Iterator[dict[str, Any]]:
        """Yield the flipped answers, in a stable random order."""
        found = [{**each.name, **flip._asdict()} for each in self.compared for flip in each.flips]
        return iter(sorted(found, key=_hash_flip))

    def save_page(self, path: str | Path) -> Path:
        """Write the page as one HTML file; return its path."""
        from snellen.tools.compare.page import draw_comparison  # it takes time to load

        path = Path(path)
        if path.suffix != ".html":
            raise StudyError(f"Expected a file that ends in .html, got {path.name!r}.")
        write_whole(path, draw_comparison(self).encode(errors="replace"))
        return path

    def save(self, path: str | Path) -> int:
        """Write numbers, verdicts and flips to a CSV file; return the number of rows."""
        path = Path(path)
        if path.suffix != ".csv":
            raise StudyError(f"Expected a file that ends in .csv, got {path.name!r}.")
        verdicts = (
            {
                **_name_pairs(each.models, each.benchmarks),
                "test": each.test, "verdict1": each.first.value, "verdict2": each.second.value,
            }
            for each in self.verdicts
        )  # fmt: skip
        parts = {"measure": self.rows(), "verdict": verdicts, "flip": self.flips()}
        rows = ({"row": kind, **row} for kind, of_kind in parts.items() for row in of_kind)
        return write_csv(path, COLUMNS, rows)

    def text(self, flips: int = FLIPS_SHOWN, width: int = 100) -> str:
        """Return the page's tables as text, with at most `flips` flipped answers."""
        # Imported here because drawing takes time to load, and most commands draw nothing.
        from snellen.report.text import draw_text
        from snellen.tools.compare.page import list_parts

        return draw_text(list_parts(self, flips), width)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        shared = sum(len(each.places.first) for each in self.matched)
        flipped = sum(len(each.flips) for each in self.compared)
        conditions = counted(len({each.arm for each in self.compared}), "condition")
        return f"<Two studies on {counted(shared, 'same question')} under {conditions}: {flipped} answers flipped>"


def _name_pairs(models: Names, benchmarks: Names) -> dict[str, str]:
    pairs = {"model": models, "benchmark": benchmarks}
    return {f"{what}{number}": each for what, pair in pairs.items() for number, each in enumerate(pair, 1)}


def _hash_flip(flip: Mapping[str, Any]) -> str:
    """Hash a flip. The hash does not depend on which study is the first."""
    pairs = (sorted((flip[f"{what}1"], flip[f"{what}2"])) for what in ("model", "benchmark"))
    named = (flip["item_id"], flip["arm"], *(name for pair in pairs for name in pair))
    return sha256("\0".join(named).encode()).hexdigest()


def name_both(names: Names) -> str:
    """Return both names with an arrow, or one name if they are equal."""
    return names[0] if names[0] == names[1] else f"{names[0]} → {names[1]}"


def list_reasons(left_out: Mapping[str, int]) -> str:
    """List how many questions are left out, by reason."""
    return ", ".join(f"{count} {reason}" for reason, count in left_out.items())


def describe_left_out(compared: ComparedModels) -> str:
    """Describe the questions that a condition leaves out, as a sentence with a leading space."""
    return f" {compared.in_words}, left out: {list_reasons(compared.left_out)}."


def describe_matched(matched: Matched) -> str:
    """Describe how many questions match, and why others are left out."""
    same, (one, two) = len(matched.places.first), matched.sizes
    said = [f"{same} questions are in both studies (of {one} and {two})"]
    if matched.places.left_out:
        said.append(f"left out: {list_reasons(matched.places.left_out)}")
    if by_words := matched.places.by_words:
        said.append(f"for {by_words}, the image sent is unknown, so only the text was matched")
    return "; ".join(said)


def compare(
    out1: str | Path,
    out2: str | Path,
    *,
    study1: str | None = None,
    study2: str | None = None,
    model1: str | None = None,
    model2: str | None = None,
    parsers: Sequence[str] = (),
    tests: Sequence[StressTest] = (),
) -> TwoStudies:
    """Compare two stored studies on the questions that both asked and answered.

    `study1` and `study2` are names of studies, by default the latest. If each study has one model, these are compared;
    otherwise models of the same name, or `model1` and `model2`. The same parsers read both. `tests` are tests of
    your own that no package registers.
    """
    for parser in parsers:
        parser_named(parser)  # a slip of the pen is told before anything is read
    with Store.open(out1) as first, Store.open(out2) as second:
        for store, name in ((first, study1), (second, study2)):
            if store.studies.record(name).get("until_settled"):
                raise StudyError(
                    f"The study in {store.folder} stopped early (until_settled), so its responses cannot be compared. "
                    "Run it again without until_settled, in the same folder."
                )
        read_by = shared_parsers(first.studies.record(study1), second.studies.record(study2), parsers)
        sides = [
            ComparedStudy(store, score(store, study=study, parsers=read_by, tests=tests), model)
            for store, study, model in ((first, study1, model1), (second, study2, model2))
        ]
        return two_studies(*sides)


def two_studies(first: ComparedStudy, second: ComparedStudy) -> TwoStudies:
    """Compare two scored studies; raise StudyError if no answers can be paired."""
    models, benchmarks = paired_models(first, second), paired_benchmarks(first, second)
    matched = []
    for names in benchmarks:
        one, two = (
            next(table.items for (_, name), table in side.results.tables.items() if name == benchmark)
            for side, benchmark in zip((first, second), names, strict=True)
        )
        places = QuestionPairs(first, second, names, one, two).match_questions()
        matched.append(Matched(names, (len(one), len(two)), places))
    compared = [each for of in models for each in _compare_conditions(first, second, of, matched)]
    if not any(each.changes for each in compared):
        shared = sum(len(each.places.first) for each in matched)
        why = [f"{name_both(each.benchmarks)}: {describe_matched(each)}." for each in matched]
        why = why or ["The studies share no benchmark."]
        under = "".join(describe_left_out(each) for each in compared if each.left_out)
        under = under or (" The studies share no condition." if shared else "")
        raise StudyError(
            f"No question can be compared. {' '.join(why)}{under}\nThe first is {first}.\nThe second is {second}."
        )
    return TwoStudies(
        first.results,
        second.results,
        tuple(_warnings(first, second, models, benchmarks)),
        tuple(_notes(first, second, models, benchmarks)),
        tuple(matched),
        tuple(compared),
        tuple(_verdicts(first.results, second.results, models, benchmarks)),
    )


def _compare_conditions(
    first: ComparedStudy, second: ComparedStudy, models: Names, matched: Sequence[Matched]
) -> Iterator[ComparedModels]:
    """Compare every condition of every benchmark by each parser, with Holm's correction."""
    for each in matched:
        for number, (parser, readings) in enumerate(first.results.readings.items()):
            keys = list(zip(models, each.benchmarks, strict=True))
            if keys[0] in readings and keys[1] in second.results.readings.get(parser, {}):
                tables = _graded_alike(first.results, second.results, parser, (keys[0], keys[1]))
                yield from _correct_p(list(_conditions(first, second, each, tables, by_first=number == 0)))


def _graded_alike(
    first: Results, second: Results, parser: str, keys: tuple[tuple[str, str], tuple[str, str]]
) -> tuple[Table, Table]:
    """Return a table of each study; open answers by a grader that both studies used."""
    ones, twos = (
        [tables[key] for tables in (results.readings[parser], *results.judged.values()) if key in tables]
        for results, key in zip((first, second), keys, strict=True)
    )
    if not (ones[0].by_judges or twos[0].by_judges):
        return ones[0], twos[0]
    graders = {_grader(table): table for table in reversed(twos)}
    return next((one, graders[_grader(one)]) for one in ones if _grader(one) in graders)


def _grader(table: Table) -> tuple[str, frozenset[str]]:
    return table.parser, frozenset(table.judge.split(", ") if table.by_judges else ())


def _correct_p(compared: Sequence[ComparedModels]) -> Iterator[ComparedModels]:
    families: dict[str, list[float]] = {}
    for change in (change for each in compared for change in each.changes):
        families.setdefault(change.kind.name, []).append(change.difference.p or 0.0)
    adjusted = {name: iter(holm(family).tolist()) for name, family in families.items()}
    for each in compared:
        changes = (
            replace(change, p_adjusted=next(adjusted[change.kind.name]), family=len(families[change.kind.name]))
            for change in each.changes
        )
        yield replace(each, changes=tuple(changes))


def _conditions(
    first: ComparedStudy, second: ComparedStudy, matched: Matched, tables: tuple[Table, Table], *, by_first: bool
) -> Iterator[ComparedModels]:
    """Compare the conditions that both studies have; flips use the first parser only."""
    one, two = tables
    questions = QuestionPairs(first, second, matched.benchmarks, one.items, two.items)
    words = _arm_words(first.results) | _arm_words(second.results)
    used = Counter(words[arm] for arm in one.arms if arm in words)
    for arm in (name for name in one.arms if name in two.arms):
        answered = set(one.arms[arm].ordinal.tolist()), set(two.arms[arm].ordinal.tolist())
        places = questions.restrict_to_arm(arm, matched.places, answered)
        table = join_tables(one, two, arm, places)
        in_words = words[arm] if arm in words and used[words[arm]] == 1 else f"under {arm}"
        if arm == ORIGINAL.name and any(each.images for each in first.load_asked(one.benchmark, arm).values()):
            in_words = "with the image"
        yield ComparedModels(
            models=(one.model, two.model),
            benchmarks=matched.benchmarks,
            arm=arm,
            in_words=in_words,
            parser=one.parser,
            changes=tuple(_changes(table, by_first=by_first)) if places.first else (),
            flips=tuple(_flips(questions, arm, places, table)) if places.first and by_first else (),
            left_out=places.left_out,
            repeated=any(grades.repeated for grades in table.arms.values()),
        )


def _arm_words(results: Results) -> dict[str, str]:
    every = (*results.marks, *results.findings)
    return {arm.name: arm.in_words for finding in every for arm in finding.test.possible_arms}


def _changes(table: Table, *, by_first: bool) -> Iterator[ShareChange]:
    before, after = dict(_shares(table, FIRST, by_first=by_first)), dict(_shares(table, SECOND, by_first=by_first))
    for kind in (kind for kind in before if kind in after):
        pairs = table.pair_items(before[kind], after[kind])
        yield ShareChange(
            kind=kind,
            first=share(table, before[kind]),
            second=share(table, after[kind]),
            difference=paired_difference(pairs.first, pairs.second, clusters=pairs.clusters),
            fell=int(np.sum(pairs.second < pairs.first)),
            rose=int(np.sum(pairs.second > pairs.first)),
        )


def _shares(table: Table, side: str, *, by_first: bool) -> Iterator[tuple[Kind, PerItem]]:
    """Yield the measures of one study, with a value per question.

    Accuracy is replaced by the share of responses that describe findings, for open questions without their image.
    """
    grades = table.arms[side]
    reports = grades.of(Reports)
    if reports is not None:
        yield OF_REPORTS, table.means(grades.ordinal, np.nan_to_num(reports.f1))
    elif grades.admissions is None:
        yield ACCURACY, table.share(side, [Outcome.CORRECT])
    else:
        yield DESCRIBES, table.rate(side, grades.admissions.is_(Admission.DESCRIBES))
    for name, outcome in RATES.items():
        yield KINDS[name], table.share(side, [outcome])
    if by_first and grades.rationales is not None:
        yield DESCRIBED, table.rate(side, grades.rationales.claims > 0)


def _flips(questions: QuestionPairs, arm: str, places: MatchedPlaces, table: Table) -> Iterator[Flip]:
    """Yield the questions that one study answers right more often, with a response of each."""
    if table.arms[FIRST].admissions is not None or table.kind == "report":
        return
    pairs = table.pair_items(table.share(FIRST, [Outcome.CORRECT]), table.share(SECOND, [Outcome.CORRECT]))
    shown = questions.first.load_asked(questions.benchmarks[0], arm)
    right1, right2 = (_examples(table, side, right=True) for side in (FIRST, SECOND))
    other1, other2 = (_examples(table, side, right=False) for side in (FIRST, SECOND))
    for at, before, after in zip(pairs.ordinal.tolist(), pairs.first, pairs.second, strict=True):
        if before == after:
            continue
        (outcome1, number1), (outcome2, number2) = (
            (right1[at], other2[at]) if before > after else (other1[at], right2[at])
        )
        place = places.first[at]
        item = as_changed(questions.one[place], shown[place].changed)
        key = item.options[item.answer].text if isinstance(item.answer, int) else str(item.answer)
        texts = questions.first.store.responses.text(number1), questions.second.store.responses.text(number2)
        yield Flip(item.id, item.question, key, outcome1, outcome2, *texts)


def _examples(table: Table, side: str, *, right: bool) -> dict[int, tuple[str, int]]:
    """Return, by question, the outcome and number of its best (or worst) response."""
    grades = table.arms[side]
    credit = grades.right().astype(np.float64)
    found = np.argsort(-credit if right else credit, kind="stable")
    ordinals, first = np.unique(grades.ordinal[found], return_index=True)
    return {
        ordinal: (OUTCOMES[grades.outcome[at]].value, int(grades.response[at]))
        for ordinal, at in zip(ordinals.tolist(), found[first].tolist(), strict=True)
    }


def _verdicts(
    first: Results, second: Results, models: Sequence[Names], benchmarks: Sequence[Names]
) -> Iterator[BothVerdicts]:
    one, two = (
        {(each.model, each.benchmark, each.test.name): each.verdict.status for each in of.own_findings}
        for of in (first, second)
    )
    for of, on in product(models, (*benchmarks, (ALL_BENCHMARKS, ALL_BENCHMARKS))):
        for (model, benchmark, test), status in one.items():
            if (model, benchmark) == (of[0], on[0]) and (other := two.get((of[1], on[1], test))) is not None:
                yield BothVerdicts(of, on, test, status, other)


def _warnings(
    first: ComparedStudy, second: ComparedStudy, models: Sequence[Names], benchmarks: Sequence[Names]
) -> Iterator[str]:
    """Describe evidence that images did not reach a model, or that its name is wrong."""
    for at, (which, side) in enumerate(((FIRST, first), (SECOND, second))):
        for each in side.results.delivery:
            if each.model in {of[at] for of in models} and each.benchmark in {on[at] for on in benchmarks}:
                where = f"{each.model} on {each.benchmark} in the {which} study"
                if each.status is Arrival.CONTRADICTED:
                    said = "This alone may explain differences with the image."
                    yield f"{where}: {each.problem}. {' '.join(each.sentences)} {said}"
                if each.other_name:
                    yield f"{where}: {each.other_name}"


_PARTS = ("prompt", "settings", "seed", "epochs", "limit")
"""Settings that may differ between two studies."""


def _notes(
    first: ComparedStudy, second: ComparedStudy, models: Sequence[Names], benchmarks: Sequence[Names]
) -> Iterator[str]:
    """Describe the two studies, their other differences, and what only one has."""
    for which, side in ((FIRST, first), (SECOND, second)):
        study = side.results.study
        when = f", {str(study['created'])[:10]}" if study.get("created") else ""
        yield f"The {which} study is {study['name']} in {side.results.out}{when}."
        yield from filter(None, [note_rules(side.results)])
    one, two = first.results.study, second.results.study
    if first.results.out.resolve() == second.results.out.resolve() and one["name"] == two["name"]:
        yield "Both are the same study. Choose others with --study1 and --study2."
    imported = [which for which, study in ((FIRST, one), (SECOND, two)) if "imported" in study]
    parts = [part for part in _PARTS if part in one and part in two and one[part] != two[part]]
    differ = [f"{part} ({_format_value(one[part])}; {_format_value(two[part])})" for part in parts]
    if imported:
        which = f"The {imported[0]} study was" if len(imported) == 1 else "Both studies were"
        yield f"{which} imported: {', '.join(_PARTS)} are not known, and may explain a difference."
    elif differ:
        yield f"The studies also differ in {', '.join(differ)}, which may explain a difference."
    if _judge(first) != _judge(second):
        said = "; ".join(_judge(side) or "no judge" for side in (first, second))
        yield f"Responses that the parser could not read for certain were read by different judges ({said})."
    yield from _graders_noted(first.results, second.results, models, benchmarks)
    for at, (which, side) in enumerate(((FIRST, first), (SECOND, second))):
        if alone := _list_alone(side.results, (two, one)[at]["arms"], at, models, benchmarks):
            yield f"Only in the {which} study and not compared: {', '.join(alone)}."
        yield from (f"The {which} study: {why}" for why in side.results.unscored.values())
    yield "Differences are the second study minus the first. p is corrected for the conditions of a benchmark (Holm)."


def _list_alone(
    own: Results, others: Mapping[str, Any], at: int, models: Sequence[Names], benchmarks: Sequence[Names]
) -> list[str]:
    """List the models, benchmarks and conditions that only one study has.

    `others` are the other study's conditions.
    """
    alone = [name for name, _ in own.study["models"] if name not in {of[at] for of in models}]
    alone += [name for name in own.benchmarks if name not in {on[at] for on in benchmarks}]
    for on in benchmarks:
        alone += [f"{arm} ({on[at]})" for arm in own.study["arms"][on[at]] if arm not in others[on[1 - at]]]
    return alone


def _graders_noted(
    first: Results, second: Results, models: Sequence[Names], benchmarks: Sequence[Names]
) -> Iterator[str]:
    """Describe whose grades of open answers are compared, if the studies were graded differently."""
    for of, on in product(models, benchmarks):
        keys = (of[0], on[0]), (of[1], on[1])
        if keys[0] in first.tables and keys[1] in second.tables:
            one, two = first.tables[keys[0]], second.tables[keys[1]]
            if (one.by_judges or two.by_judges) and _grader(one) != _grader(two):
                by, _ = _graded_alike(first, second, next(iter(first.readings)), keys)
                counts = f"{one.parser} in the {FIRST} and {two.parser} in the {SECOND}"
                yield (
                    f"{name_both(of)} on {name_both(on)}: graded differently ({counts} study), so open answers of "
                    f"both are compared by the grades of {by.parser}."
                )


def _format_value(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {each}" for name, each in value.items()) or "as the provider sets them"
    return "none" if value is None else str(value)


def _judge(side: ComparedStudy) -> str:
    """Return the judge whose readings count in a study; empty if there is none."""
    return next((table.judge for table in side.results.tables.values() if table.settled), "")
