"""The estimates as the page shows them: a table of all numbers of a test, and forest plots over the models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from snellen.report.evidence.evidence import ArmAddress
from snellen.report.evidence.people import People
from snellen.report.figures.marks import forest_axis, forest_mark, scale
from snellen.report.words import numbers as wording
from snellen.report.words.arms import arm_label
from snellen.scoring.findings import Finding
from snellen.stress.base import Kind, Measure, Unit

Anchors = Mapping[ArmAddress, str]


@dataclass(frozen=True)
class Number:
    """A number in print: value, interval, n, how it was made, what else is known of it, and where its rows are."""

    value: str
    interval: str
    n: str
    method: str
    notes: tuple[str, ...]
    anchor: str


def number(measure: Measure, anchor: str) -> Number:
    """A measure in print."""
    estimate, unit = measure.estimate, measure.kind.unit
    notes = []
    if estimate.p is not None:
        notes.append(f"p {wording.p_value(estimate.p, at_floor=estimate.p_at_floor)}")
    if measure.p_adjusted is not None:
        notes.append(f"Holm p {wording.p_value(measure.p_adjusted, at_floor=estimate.p_at_floor)}")
    if measure.ceiling is not None:
        notes.append(f"of at most {wording.figure(measure.ceiling, unit)}")
    return Number(
        wording.figure(estimate.value, unit),
        wording.interval(estimate, unit),
        wording.count(estimate.n),
        measure.how,
        tuple(notes),
        anchor,
    )


def number_to_tenths(measure: Measure, anchor: str) -> Number:
    """A measure in print with one decimal, to be held against printed tables."""
    estimate, unit = measure.estimate, measure.kind.unit
    ends = ", ".join(wording.tenths(value, unit).partition("%")[0] for value in (estimate.low, estimate.high))
    value = wording.tenths(estimate.value, unit) + (" points" if unit is Unit.POINTS else "")
    return Number(value, ends, wording.count(estimate.n), measure.how, (), anchor)


@dataclass(frozen=True)
class GridLine:
    """One measure of one arm over all models; None where a model has no such number."""

    words: str
    name: str
    cells: tuple[Number | None, ...]


@dataclass(frozen=True)
class GridBlock:
    """The lines of one arm."""

    arm: str
    lines: tuple[GridLine, ...]


@dataclass(frozen=True)
class NumberGrid:
    """All numbers of a test on one benchmark: measures down, models across."""

    benchmark: str
    models: tuple[str, ...]
    blocks: tuple[GridBlock, ...]
    numbers: int


def grid(findings: Sequence[Finding], anchors: Anchors) -> NumberGrid:
    """The table of one test's findings on one benchmark."""
    benchmark = findings[0].benchmark
    order = [arm.name for arm in findings[0].test.all_arms]
    keys = dict.fromkeys((measure.arm, measure.kind) for finding in findings for measure in finding.measures)
    arms = dict.fromkeys([arm for arm in order if any(key[0] == arm for key in keys)] + [arm for arm, _ in keys])
    blocks = []
    for arm in arms:
        lines = [
            GridLine(kind.words, kind.name, tuple(_cell(finding, arm, kind.name, anchors) for finding in findings))
            for each, kind in keys
            if each == arm
        ]
        blocks.append(GridBlock(arm, tuple(lines)))
    count = sum(len(finding.measures) for finding in findings)
    return NumberGrid(benchmark, tuple(finding.model for finding in findings), tuple(blocks), count)


def _cell(finding: Finding, arm: str, name: str, anchors: Anchors) -> Number | None:
    measure = finding.measure(arm, name)
    return None if measure is None else number(measure, anchor_of(finding, arm, anchors))


def anchor_of(finding: Finding, arm: str, anchors: Anchors) -> str:
    """Where the rows behind a number are; a number over several arms leads to the baseline's."""
    address = ArmAddress(finding.model, finding.benchmark, arm)
    return anchors.get(address) or anchors.get(address._replace(arm=finding.test.baseline.name), "rows")


@dataclass(frozen=True)
class ForestMark:
    """One row of a forest plot."""

    label: str
    number: Number
    picture: Markup


@dataclass(frozen=True)
class Forest:
    """A forest plot over models: what it shows, its rows and its axis."""

    caption: str
    marks: tuple[ForestMark, ...]
    axis: Markup
    note: str = ""


@dataclass(frozen=True)
class Against:
    """What the values of a forest plot are held against: a dashed line, and what people score."""

    reference: float | None = None
    people: People | None = None


NOTHING_MORE = Against()


def forest(
    findings: Sequence[Finding],
    arm: str,
    name: str,
    *,
    anchors: Anchors,
    label: Callable[[Finding], str],
    against: Against = NOTHING_MORE,
) -> Forest | None:
    """One measure of one arm over all models that have it; None where none has."""
    found = [(each, measure) for each in findings if (measure := each.measure(arm, name)) is not None]
    return _plotted(found, arm_label(arm), anchors, label, against) if found else None


def resting(
    findings: Sequence[Finding],
    *,
    anchors: Anchors,
    label: Callable[[Finding], str],
    arm_words: Callable[[str], str] = arm_label,
) -> list[Forest]:
    """What the verdicts rest on, a plot for every kind of number; where they rest on several arms, each row says which.

    A finding whose verdict rests on no number has no row.
    """
    by_kind: dict[Kind, list[tuple[Finding, Measure]]] = {}
    for each in findings:
        if (decides := each.verdict.rests_on) is not None:
            by_kind.setdefault(decides.kind, []).append((each, decides))

    def with_arm(finding: Finding) -> str:
        decides = finding.verdict.rests_on
        return f"{label(finding)}, {arm_words(decides.arm)}" if decides else label(finding)

    plots = []
    for found in by_kind.values():
        arms = {measure.arm for _, measure in found}
        if len(arms) == 1:
            plots.append(_plotted(found, arm_words(arms.pop()), anchors, label))
        else:
            plots.append(_plotted(found, "under the condition that decides", anchors, with_arm))
    return plots


def _plotted(
    found: Sequence[tuple[Finding, Measure]],
    where: str,
    anchors: Anchors,
    label: Callable[[Finding], str],
    against: Against = NOTHING_MORE,
) -> Forest:
    kind = found[0][1].kind
    reference = 0.0 if kind.unit in (Unit.POINTS, Unit.CHANGE) and against.reference is None else against.reference
    people = against.people if kind.name == "accuracy" else None
    line = people.accuracy if people else None
    span = scale([measure.estimate for _, measure in found], kind.unit, reference=reference, people=line)
    marks = tuple(
        ForestMark(
            label(finding),
            number(measure, anchor_of(finding, measure.arm, anchors)),
            forest_mark(measure.estimate, span),
        )
        for finding, measure in found
    )
    caption = f"{wording.begun(kind.words)}, {where} ({wording.UNITS[kind.unit]})"
    return Forest(caption, marks, forest_axis(span), people.note if people else "")
