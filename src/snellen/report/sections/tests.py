"""A section for every test of a study, whichever they are: its question, verdicts, images and numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from markupsafe import Markup

from snellen.report.evidence.evidence import ArmAddress, Evidence, distinct
from snellen.report.evidence.people import people
from snellen.report.evidence.reply_kinds import ReplyKind, counted
from snellen.report.figures.forests import (
    Against,
    Forest,
    Number,
    NumberGrid,
    anchor_of,
    forest,
    grid,
    ladder,
    number,
    resting,
)
from snellen.report.figures.layout import FigureAxis, FigureRow, Key
from snellen.report.figures.marks import kind_bar, kinds_in_words, share_axis, swatch
from snellen.report.figures.standalone import About, Datum, Figure
from snellen.report.words import numbers as wording
from snellen.report.words.arms import arm_label
from snellen.scoring.findings import Finding
from snellen.stress.base import Status, StressTest


@dataclass(frozen=True)
class OutcomeBar:
    """What became of one model's responses under one arm; `n` is the number's own where there is one."""

    label: str
    arm: str
    picture: Markup
    words: str
    n: str
    anchor: str
    number: Number | None = None
    finding: Finding | None = None
    counts: tuple[tuple[ReplyKind, int], ...] = ()


@dataclass(frozen=True)
class Section:
    """One test on all benchmarks and models."""

    test: StressTest
    anchor: str
    hope: str
    findings: tuple[Finding, ...]
    resting: tuple[Forest, ...]
    """What the verdicts rest on."""
    forests: tuple[Forest, ...]
    """The headline under every arm."""
    bars: tuple[OutcomeBar, ...]
    grids: tuple[NumberGrid, ...]
    power: tuple[str, ...]
    outcomes: Figure | None = None
    """The bars as a figure of their own."""
    ladders: tuple[Forest, ...] = ()
    """Of a test in steps, the accuracy at every step, a plot for each model."""


def sections(evidence: Evidence) -> list[Section]:
    """The three verdicts of every model, then the tests in the order of the study."""
    by_test: dict[str, list[Finding]] = {}
    for finding in (*evidence.results.marks, *evidence.results.findings):
        by_test.setdefault(finding.test.name, []).append(finding)
    ids = distinct(f"test-{name}" for name in by_test)
    return [_section(evidence, findings, anchor) for findings, anchor in zip(by_test.values(), ids, strict=True)]


def _section(evidence: Evidence, findings: Sequence[Finding], anchor: str) -> Section:
    test = findings[0].test
    arms = dict.fromkeys(measure.arm for finding in findings for measure in finding.measures)
    against = Against(people=people(evidence.results.study))
    shown = [test.headline, *(["accuracy"] if against.people else [])]
    whose = _labelled(evidence)
    drawn = bars(evidence, findings, list(arms) if test.marks else [arm.name for arm in test.all_arms])
    rests = resting(findings, evidence=evidence, label=whose)
    forests = (
        forest(findings, arm, name, evidence=evidence, label=whose, against=against)
        for name in dict.fromkeys(shown)
        for arm in arms
    )
    return Section(
        test=test,
        anchor=anchor,
        hope=wording.expected(test, reports=_only_reports(findings)),
        findings=tuple(findings),
        resting=tuple(rests),
        forests=_noted_once([each for each in forests if each is not None and each not in rests]),
        bars=tuple(drawn),
        grids=tuple(grid(some, evidence.anchors) for some in by_benchmark(findings).values()),
        power=tuple(could_have_shown(arm, findings) for arm in arms if _detectable(arm, findings)),
        outcomes=outcome_figure(evidence, drawn, "Outcomes of the responses", by_arm=True),
        ladders=tuple(_ladders(evidence, findings)) if test.in_steps else (),
    )


def _only_reports(findings: Sequence[Finding]) -> bool:
    """Whether a test draws no verdict on anybody."""
    statuses = {each.verdict.status for each in findings}
    return Status.REPORTED in statuses and statuses <= {Status.REPORTED, Status.WITHHELD}


def _ladders(evidence: Evidence, findings: Sequence[Finding]) -> Iterator[Forest]:
    drawn = (ladder(finding, evidence, label(finding, evidence)) for finding in findings)
    return (each for each in drawn if each is not None)


def _noted_once(forests: Sequence[Forest]) -> tuple[Forest, ...]:
    """The same note under several images stands under the last of them."""
    later = [{each.note for each in forests[place + 1 :]} for place in range(len(forests))]
    return tuple(
        replace(each, note="") if each.note in notes else each for each, notes in zip(forests, later, strict=True)
    )


def by_benchmark(findings: Sequence[Finding]) -> dict[str, list[Finding]]:
    """The findings apart by benchmark, in their order."""
    apart: dict[str, list[Finding]] = {}
    for finding in findings:
        apart.setdefault(finding.benchmark, []).append(finding)
    return apart


def by_test_and_benchmark(findings: Sequence[Finding]) -> list[tuple[str, list[Finding]]]:
    """The findings apart by test and benchmark, in their order, each with its benchmark.

    One test may be asked in several ways.
    """
    apart: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        apart.setdefault((finding.test.name, finding.benchmark), []).append(finding)
    return [(benchmark, found) for (_, benchmark), found in apart.items()]


def bars(evidence: Evidence, findings: Sequence[Finding], arms: Sequence[str], name: str = "") -> list[OutcomeBar]:
    """The outcomes of each model under each of these arms; with a measure's name, also that number."""
    made = []
    for finding in findings:
        for arm in arms:
            address = ArmAddress(finding.model, finding.benchmark, arm)
            if address not in evidence.anchors or not len(evidence.grades(address)):
                continue
            counts = counted(evidence.grades(address))
            measure, anchor = finding.measure(arm, name), evidence.anchors[address]
            shown = number(measure, anchor) if measure else None
            made.append(
                OutcomeBar(
                    finding.model if name else label(finding, evidence),
                    arm,
                    kind_bar(counts),
                    kinds_in_words(counts),
                    shown.n if shown else wording.count(sum(counts.values())),
                    anchor,
                    shown,
                    finding,
                    tuple(counts.items()),
                )
            )
    return made


OUTCOME_ROW = 30.0


def outcome_figure(
    evidence: Evidence, drawn: Sequence[OutcomeBar], caption: str, *, by_arm: bool, name: str = "outcomes"
) -> Figure | None:
    """Bars of outcomes as a figure of their own; with `by_arm` a model's bars stand under its name."""
    found = [bar for bar in drawn if bar.finding is not None]
    if not found:
        return None
    rows, before = [], ""
    for bar in found:
        place = evidence.place(bar.finding.model) if bar.finding else None
        said = (bar.number.said,) if bar.number else ()
        heading = bar.label if by_arm and bar.label != before else ""
        label_of = arm_label(bar.arm) if by_arm else bar.label
        rows.append(FigureRow(label_of, bar.picture, said, f"n {bar.n}", None if by_arm else place, heading))
        before = bar.label
    seen = {kind for bar in found for kind, number in bar.counts if number}
    kinds = [kind for kind in dict.fromkeys(kind for bar in found for kind, _ in bar.counts) if kind in seen]
    legend = [Key(swatch(f"outcome {kind.name}"), kind.words) for kind in kinds]
    totals = [sum(number for _, number in bar.counts) for bar in found]
    first = found[0].finding
    assert first is not None
    data = [
        Datum(kind.name, number / total, n=total, model=bar.finding.model, benchmark=bar.finding.benchmark,
              condition=bar.arm)
        for bar, total in zip(found, totals, strict=True)
        for kind, number in bar.counts
        if bar.finding is not None
    ]  # fmt: skip
    arms = {bar.arm for bar in found}
    benchmarks = {bar.finding.benchmark for bar in found if bar.finding}
    only = min(benchmarks) if len(benchmarks) == 1 and evidence.several else ""
    words = [first.test.name, name, min(arms) if len(arms) == 1 else "", only]
    about = About(words, f"{caption}: {first.test.name}", "Bars are shares of all responses; a bar adds up to 100%")
    axis = FigureAxis(share_axis(), "Responses (%)")
    return evidence.figures.rows(about, rows, data, axis, legend=legend, row_height=OUTCOME_ROW)


def _labelled(evidence: Evidence) -> Callable[[Finding], str]:
    return lambda finding: label(finding, evidence)


def label(finding: Finding, evidence: Evidence) -> str:
    """The model's name, with the benchmark's where there are several that it could be."""
    several = evidence.several and finding.benchmark in evidence.benchmarks
    return f"{finding.model} on {finding.benchmark}" if several else finding.model


def could_have_shown(arm: str, findings: Sequence[Finding]) -> str:
    """What so many items could not have shown, over the models."""
    found = _detectable(arm, findings)
    least, most = (wording.figure(value, "points").lstrip("+") for value in (min(found), max(found)))
    change = least if least == most else f"{least.partition(' ')[0]} to {most} (it depends on the model)"
    tested = [m for finding in findings for m in finding.measures if m.arm == arm and m.detectable]
    items = wording.from_to([m.estimate.n for m in tested])
    return (
        f"What this many items could not have shown: under {arm_label(arm)}, {items} items show a change of at least "
        f"{change} with 80% power; a smaller one may well go unseen."
    )


def _detectable(arm: str, findings: Sequence[Finding]) -> list[float]:
    return [m.detectable for finding in findings for m in finding.measures if m.arm == arm and m.detectable]


OWN = "Questions of the tests' own, sent without an image"


class BoardCell(NamedTuple):
    """A verdict in a table of verdicts, with the number that it rests on."""

    finding: Finding
    number: Number | None


class BoardLine(NamedTuple):
    """One test over the models, in their order; None where a model was not examined."""

    section: Section
    cells: tuple[BoardCell | None, ...]


class Board(NamedTuple):
    """One table of verdicts: what it is about, and a line for every test."""

    caption: str
    lines: tuple[BoardLine, ...]


def boards(evidence: Evidence, sections: Sequence[Section]) -> list[Board]:
    """The tables that have anything to say; scores have no verdict and are left out."""
    wanted: list[tuple[str, tuple[str, ...]]] = [(name, (name,)) for name in evidence.benchmarks]
    wanted.append((OWN, tuple(sorted(evidence.own_questions))))
    models = [name for name, _ in evidence.results.study["models"]]
    made = []
    for caption, names in wanted:
        lines = []
        for section in sections:
            found = {each.model: each for each in section.findings if each.benchmark in names}
            if found and not section.test.scores:
                lines.append(
                    BoardLine(
                        section,
                        tuple(board_cell(evidence, found[model]) if model in found else None for model in models),
                    )
                )
        made.append(Board(caption, tuple(lines)))
    return [board for board in made if board.lines]


def board_cell(evidence: Evidence, finding: Finding) -> BoardCell:
    """A verdict with the number that it rests on."""
    rests_on = finding.verdict.rests_on
    if rests_on is None:
        return BoardCell(finding, None)
    return BoardCell(finding, number(rests_on, anchor_of(finding, rests_on.arm, evidence.anchors)))
