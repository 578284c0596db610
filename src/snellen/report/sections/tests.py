"""One section per test: its question, verdicts, figures and numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from snellen.items import describe_benchmark, whole_of
from snellen.report.components import (
    Cell,
    Column,
    Fold,
    Key,
    Listing,
    Part,
    Row,
    Section,
    Table,
    name_columns,
    quiet,
    write_row,
)
from snellen.report.evidence.evidence import ArmAddress, Evidence, distinct, people
from snellen.report.evidence.reply_kinds import ReplyKind, count_kinds
from snellen.report.figures.drawn import add_figure
from snellen.report.figures.forests import (
    Against,
    PrintedNumber,
    anchor_of_measure,
    forest,
    grid,
    ladder,
    number,
    resting,
)
from snellen.report.figures.layout import FigureAxis
from snellen.report.figures.marks import kind_bar, kinds_in_words, share_axis
from snellen.report.figures.standalone import About, Datum
from snellen.report.sections.headline import short_names
from snellen.report.words import numbers as wording
from snellen.report.words.arms import arm_label, arm_words, page_words
from snellen.scoring.findings import Finding
from snellen.stress.base import Status, StressTest


@dataclass(frozen=True)
class ShownTest:
    """One test on all benchmarks and models."""

    test: StressTest
    anchor: str
    findings: tuple[Finding, ...]


def sections(evidence: Evidence) -> list[ShownTest]:
    """List the tests of the three verdicts that every model gets, then the other tests."""
    by_test: dict[str, list[Finding]] = {}
    for finding in (*evidence.results.marks, *evidence.results.findings):
        by_test.setdefault(finding.test.name, []).append(finding)
    ids = distinct(f"test-{name}" for name in by_test)
    return [ShownTest(found[0].test, anchor, tuple(found)) for found, anchor in zip(by_test.values(), ids, strict=True)]


def draw_test(evidence: Evidence, shown: ShownTest) -> Section:
    """Draw a test: expectation, verdicts with numbers, and folded details."""
    test, findings = shown.test, shown.findings
    named = partial(label, evidence=evidence)
    rests = resting(findings, evidence=evidence, label=named)
    steps = [drawn for each in findings if test.in_steps and (drawn := ladder(each, evidence, named(each)))]
    more = tuple(_draw_details(evidence, shown, rests))
    statuses = {each.verdict.status for each in findings}
    reports = Status.REPORTED in statuses and statuses <= {Status.REPORTED, Status.WITHHELD}
    told = quiet(wording.describe_expected(test, reports=reports)), list_verdicts(evidence, findings)
    details = [Fold("Conditions, outcomes, power and all numbers", more)] if more else []
    return Section(test.asks, (*told, *rests, *steps, *details), shown.anchor, test.name)


def _draw_details(evidence: Evidence, shown: ShownTest, rests: Sequence[Table]) -> Iterator[Part]:
    test, findings = shown.test, shown.findings
    arms = list(dict.fromkeys(measure.arm for finding in findings for measure in finding.measures))
    bars = draw_bars(evidence, findings, arms if test.marks else [arm.name for arm in test.all_arms])
    if bars is None:
        return
    words = arm_words(evidence.results)
    asked = [arm for arm in test.all_arms if arm.name in words]
    if asked:
        yield Listing(tuple(Cell(arm_label(arm.name), note=words[arm.name]) for arm in asked))
    against = Against(people=people(evidence.results.study))
    names = dict.fromkeys([test.headline, *(["accuracy"] if against.people else [])])
    plots = [forest(findings, arm, name, evidence=evidence, label=partial(label, evidence=evidence), against=against)
             for name in names for arm in arms]  # fmt: skip
    yield from _note_once([each for each in plots if each is not None and each not in rests])
    yield bars
    yield from (quiet(said) for arm in arms if (said := _describe_detectable(arm, findings)))
    yield from draw_grids(evidence, findings, folded=False)


def _note_once(plots: Sequence[Table]) -> Iterator[Table]:
    """Keep a note that several plots share only on the last of them."""
    for at, each in enumerate(plots, 1):
        yield replace(each, note="") if each.note in {later.note for later in plots[at:]} else each


def draw_grids(evidence: Evidence, findings: Sequence[Finding], *, folded: bool = True) -> Iterator[Table]:
    """Yield all numbers of a test, one table per benchmark."""
    for benchmark, some in by_benchmark(findings).items():
        count = sum(len(each.measures) for each in some)
        on = f" on {describe_benchmark(benchmark)}" if evidence.several else ""
        title = f"All {count} numbers{on}"
        made = grid(some, evidence.anchors, [*name_models(evidence, [each.model for each in some])])
        yield replace(made, folded=title) if folded else replace(made, caption=title)


def list_verdicts(evidence: Evidence, findings: Sequence[Finding]) -> Listing:
    """List the verdict of each model in a sentence."""
    return Listing(
        tuple(
            Cell(f"{label(each, evidence)}: {page_words(each.verdict.sentence)}", each.verdict.status,
                 note=f"{each.caution}." if each.caution else "")
            for each in findings
        )
    )  # fmt: skip


def by_benchmark(findings: Sequence[Finding]) -> dict[str, list[Finding]]:
    """Group findings by benchmark, in their order."""
    apart: dict[str, list[Finding]] = {}
    for finding in findings:
        apart.setdefault(finding.benchmark, []).append(finding)
    return apart


def by_test_and_benchmark(findings: Sequence[Finding]) -> list[tuple[str, list[Finding]]]:
    """Group findings by test and benchmark, in their order.

    Returns pairs of benchmark and findings, because one test may exist with several settings.
    """
    apart: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        apart.setdefault((finding.test.name, finding.benchmark), []).append(finding)
    return [(benchmark, found) for (_, benchmark), found in apart.items()]


class OutcomeBar(NamedTuple):
    """Counts of one model's responses under a condition, and perhaps a measure."""

    finding: Finding
    arm: str
    counts: dict[ReplyKind, int]
    anchor: str
    number: PrintedNumber | None

    @property
    def n(self) -> str:
        """The measure's n, or else the number of responses."""
        return self.number.n if self.number else wording.count(sum(self.counts.values()))


def count_outcomes(
    evidence: Evidence, findings: Sequence[Finding], arms: Sequence[str], name: str = ""
) -> list[OutcomeBar]:
    """Count the outcomes of each model under these conditions, with the measure `name` if given."""
    made = []
    for finding in findings:
        for arm in arms:
            address = ArmAddress(finding.model, finding.benchmark, arm)
            if address not in evidence.anchors or not len(evidence.grades(address)):
                continue
            measure, anchor = finding.measure(arm, name), evidence.anchors[address]
            shown = number(measure, anchor) if measure else None
            made.append(OutcomeBar(finding, arm, count_kinds(evidence.grades(address)), anchor, shown))
    return made


def draw_bars(evidence: Evidence, findings: Sequence[Finding], arms: Sequence[str]) -> Table | None:
    """Draw outcomes as bars by model and condition. None without responses."""
    bars = count_outcomes(evidence, findings, arms)
    rows = [
        write_row(arm_label(each.arm), Cell(drawing=kind_bar(each.counts), to=each.anchor),
                  Cell(n=f"n {each.n}", note=kinds_in_words(each.counts)), model=each.finding.model,
                  benchmark=each.finding.benchmark, heading=label(each.finding, evidence))
        for each in bars
    ]  # fmt: skip
    caption = "Outcomes of the responses"
    table = Table(
        name_columns("condition", "outcomes", "responses"), tuple(rows), caption, "drawn", key=list_kinds(bars)
    )
    return add_outcome_figure(evidence, table, bars, caption) if bars else None


def list_kinds(bars: Sequence[OutcomeBar]) -> tuple[Key, ...]:
    """Return a legend of the kinds of responses that occur in some bars."""
    seen = {kind for bar in bars for kind, number in bar.counts.items() if number}
    kinds = dict.fromkeys(kind for bar in bars for kind in bar.counts if kind in seen)
    return tuple(Key(f"outcome {kind.name}", kind.words) for kind in kinds)


OUTCOME_ROW = 30.0


def add_outcome_figure(
    evidence: Evidence, table: Table, found: Sequence[OutcomeBar], caption: str, name: str = "outcomes"
) -> Table:
    """Add outcome bars to the report's figures; return the table with its figure and axis."""
    data = [
        Datum(kind.name, number / sum(bar.counts.values()), n=sum(bar.counts.values()), model=bar.finding.model,
              benchmark=bar.finding.benchmark, condition=bar.arm)
        for bar in found
        for kind, number in bar.counts.items()
    ]  # fmt: skip
    test, arms, benchmarks = (
        found[0].finding.test.name, {bar.arm for bar in found}, {bar.finding.benchmark for bar in found},
    )  # fmt: skip
    only = min(benchmarks) if len(benchmarks) == 1 and evidence.several else ""
    about = About([test, name, min(arms) if len(arms) == 1 else "", only], f"{caption}: {test}",
                  "Bars are shares of all responses; a bar adds up to 100%")  # fmt: skip
    return add_figure(evidence, table, about, data, FigureAxis(share_axis(), "Responses (%)"), row_height=OUTCOME_ROW)


def label(finding: Finding, evidence: Evidence) -> str:
    """Return the model's name, with the benchmark if the study has several."""
    several = len(set(map(whole_of, evidence.benchmarks))) > 1 and finding.benchmark in evidence.benchmarks
    name = short_names(evidence.results).get(finding.model, finding.model)
    return f"{name} on {describe_benchmark(finding.benchmark)}" if several else name


def _describe_detectable(arm: str, findings: Sequence[Finding]) -> str:
    """Smallest change that could be detected under a condition, over models. "" if unknown."""
    tested = [m for finding in findings for m in finding.measures if m.arm == arm and m.detectable]
    if not tested:
        return ""
    found = [m.detectable or 0.0 for m in tested]
    least, most = (wording.figure(value, "points").lstrip("+") for value in (min(found), max(found)))
    change = least if least == most else f"{least.partition(' ')[0]} to {most} (it depends on the model)"
    items = wording.from_to([m.estimate.n for m in tested])
    return (
        f"Detectable change: under {arm_label(arm)}, {items} items show a change of at least "
        f"{change} with 80% power; a smaller change may be missed."
    )


OWN = "Questions of the tests' own, sent without an image"


def draw_boards(evidence: Evidence, shown: Sequence[ShownTest]) -> Iterator[Table]:
    """Draw verdicts with numbers: tests in rows, models in columns."""
    wanted: list[tuple[str, tuple[str, ...]]] = [(name, (name,)) for name in evidence.benchmarks]
    wanted.append((OWN, tuple(sorted(evidence.own_questions))))
    models = [name for name, _ in evidence.results.study["models"]]
    for caption, names in wanted:
        rows = []
        for each in shown:
            found = {one.model: one for one in each.findings if one.benchmark in names}
            if found and not each.test.scores:
                head = Cell(wording.begun(each.test.label) or each.test.name, to=each.anchor, note=each.test.name)
                cells = (verdict_cell(evidence, found[name]) if name in found else Cell("not examined", n="")
                         for name in models)  # fmt: skip
                rows.append(Row(head, tuple(cells)))
        if rows:
            yield Table((Column("test"), *name_models(evidence, models)), tuple(rows), caption)


def name_models(evidence: Evidence, models: Sequence[str]) -> Iterator[Column]:
    """Yield a column per model, with its short name and its full name below."""
    names = short_names(evidence.results)
    for each in models:
        yield Column(names[each], each if names[each] != each else "", label=each)


def verdict_cell(evidence: Evidence, finding: Finding) -> Cell:
    """Return a cell with a verdict and the number on which it is based."""
    verdict = finding.verdict
    if finding.test.marks:
        return Cell(verdict.numbers, verdict.status, finding.doubt)
    if verdict.rests_on is None:
        return Cell("", verdict.status, finding.doubt)
    found = number(verdict.rests_on, anchor_of_measure(finding, verdict.rests_on, evidence.anchors))
    return replace(found.cell(n=False), status=verdict.status, note=finding.doubt)
