"""Tables of a test's numbers, and forest plots over models."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from snellen.conditions.labels import arm_effects
from snellen.report.components import Cell, Column, Row, Table, name_columns
from snellen.report.evidence.acts import Act
from snellen.report.evidence.evidence import ArmAddress, Evidence, People
from snellen.report.figures.drawn import add_figure
from snellen.report.figures.layout import axis_of
from snellen.report.figures.marks import Scale, axis_title, forest_mark, scale, titled_axis
from snellen.report.figures.standalone import About, Datum, datum
from snellen.report.words import numbers as wording
from snellen.report.words.arms import arm_label
from snellen.scoring.findings import Finding
from snellen.stats import Estimate
from snellen.stress.base import Expectation, Kind, Measure, Unit
from snellen.stress.conclusions import agreeing_decimals, join_ends, report_moved
from snellen.stress.measures import KEPT, KEPT_ANSWERED
from snellen.stress.table import Moves
from snellen.stress.verdicts.follows import FOLLOWED
from snellen.stress.verdicts.honest import ADMITTED, INVENTED
from snellen.stress.verdicts.steady import MOVED

Anchors = Mapping[ArmAddress, str]


@dataclass(frozen=True)
class PrintedNumber:
    """A measure formatted for print: value, interval, n, method, notes and link."""

    value: str
    interval: str
    n: str
    method: str
    notes: tuple[str, ...]
    anchor: str

    @property
    def said(self) -> str:
        """Value with its interval."""
        return wording.with_ends(self.value, self.interval)

    def cell(self, words: str = "", *, n: bool = True, notes: bool = False) -> Cell:
        """Return the number as a table cell, with or without n and notes."""
        beside = [f"n {self.n}"] * n + list(self.notes) * notes
        return Cell(f"{words} {self.said}".lstrip(), to=self.anchor, how=self.method, n=", ".join(beside))


def number(measure: Measure, anchor: str, digits: int = 0) -> PrintedNumber:
    """Format a measure with at least `digits` decimals."""
    estimate, unit = measure.estimate, measure.kind.unit
    notes = []
    if estimate.p is not None:
        notes.append(f"p {wording.p_value(estimate.p, at_floor=estimate.p_at_floor)}")
    if measure.p_adjusted is not None:
        correction = "Bonferroni" if "betting" in estimate.method else "Holm"
        notes.append(f"{correction} p {wording.p_value(measure.p_adjusted, at_floor=estimate.p_at_floor)}")
    if measure.ceiling is not None:
        notes.append(f"of at most {wording.figure(measure.ceiling, unit)}")
    return PrintedNumber(
        wording.figure(estimate.value, unit, digits),
        wording.interval(estimate, unit),
        wording.count(estimate.n),
        measure.how,
        tuple(notes),
        anchor,
    )


def number_to_tenths(measure: Measure, anchor: str) -> PrintedNumber:
    """Format a measure with one decimal, for comparison with published tables."""
    estimate, unit = measure.estimate, measure.kind.unit
    ends = join_ends(*(wording.tenths(value, unit).partition("%")[0] if math.isfinite(value) else ""
                               for value in (estimate.low, estimate.high)))  # fmt: skip
    value = wording.tenths(estimate.value, unit) + (" points" if unit is Unit.POINTS else "")
    return PrintedNumber(value, ends, wording.count(estimate.n), measure.how, (), anchor)


def grid(findings: Sequence[Finding], anchors: Anchors, models: Sequence[Column]) -> Table:
    """Table of one test's numbers: measures in rows, models in columns, grouped by condition."""
    order = [arm.name for arm in findings[0].test.all_arms]
    keys = dict.fromkeys((measure.arm, measure.kind) for finding in findings for measure in finding.measures)
    arms = dict.fromkeys([arm for arm in order if any(key[0] == arm for key in keys)] + [arm for arm, _ in keys])
    rows = []
    for arm, kind in ((arm, kind) for arm in arms for each, kind in keys if each == arm):
        cells = (_grid_cell(each.measure(arm, kind.name), each, anchors) for each in findings)
        rows.append(Row(Cell(kind.words, note=kind.name), tuple(cells), heading=arm_label(arm)))
    return Table((Column("measure"), *models), tuple(rows))


def _grid_cell(measure: Measure | None, finding: Finding, anchors: Anchors) -> Cell:
    if measure is None:
        return Cell("–")
    digits = _find_decimals(finding, measure.arm) if measure.name in COMPARED else 0
    return number(measure, anchor_of_measure(finding, measure, anchors), digits).cell(notes=True)


COMPARED = ("accuracy", "baseline_accuracy", "difference", "bootstrap_difference")
"""Measures of one table, of which one is the difference of two others."""


def _find_decimals(finding: Finding, arm: str) -> int:
    """Number of decimals needed so that the printed change agrees with both accuracies."""
    before, change = finding.measure(arm, "baseline_accuracy"), finding.measure(arm, "difference")
    if before is None or change is None:
        return 0
    value = change.estimate.value
    return agreeing_decimals(before.estimate.value, min(1.0, max(0.0, before.estimate.value + value)), value)


def row_of_estimate(words: str, estimate: Estimate, span: Scale, note: str = "", place: int | None = None) -> Row:
    """Return a row with an estimate as a mark and a number. No mark without an interval."""
    mark = None if math.isnan(estimate.low) else forest_mark(estimate, span, place)
    said = wording.with_interval(estimate, span.unit) if mark else wording.figure(estimate.value, span.unit)
    shown = Cell(said, n=f"n {wording.count(estimate.n)}", note=note, how=estimate.method)
    return Row(Cell(words), (Cell(drawing=mark), shown))


EXACT = {"accuracy": Act.RIGHT, "invents_rate": Act.INVENTS}
"""Measures that count exactly the responses with one act (what a response does)."""


def anchor_of_measure(finding: Finding, measure: Measure, anchors: Anchors) -> str:
    """Anchor of the responses that a measure counts, or on which it is based."""
    anchor, act = anchor_of(finding, measure.arm, anchors), EXACT.get(measure.name)
    whole = (
        not (finding.group or measure.subset) and ArmAddress(finding.model, finding.benchmark, measure.arm) in anchors
    )
    if act is None or not whole or arm_effects(measure.arm).truth == "unknown":
        return anchor
    return f"{anchor}--{act.anchor}"


def anchor_of(finding: Finding, arm: str, anchors: Anchors) -> str:
    """Anchor of a condition's responses, or else of the baseline's."""
    address = ArmAddress(finding.model, finding.benchmark, arm)
    return anchors.get(address) or anchors.get(address._replace(arm=finding.test.baseline.name), "rows")


@dataclass(frozen=True)
class Against:
    """Reference line of a forest plot: value and meaning; also the human accuracy."""

    reference: float | None = None
    people: People | None = None
    words: str = "guessing"


NOTHING_MORE = Against()


def forest(
    findings: Sequence[Finding],
    arm: str,
    name: str,
    *,
    evidence: Evidence,
    label: Callable[[Finding], str],
    against: Against = NOTHING_MORE,
    caption: str = "",
) -> Table | None:
    """Plot one measure of one condition over all models that have it. None if no model has it."""
    found = [(each, measure) for each in findings if (measure := each.measure(arm, name)) is not None]
    if not found:
        return None
    return plot_measures(found, evidence, label, where=arm_label(arm), against=against, caption=caption)


def resting(
    findings: Sequence[Finding],
    *,
    evidence: Evidence,
    label: Callable[[Finding], str],
    arm_words: Callable[[str], str] = arm_label,
    caption: str = "",
) -> list[Table]:
    """Plot the numbers on which the verdicts are based, one plot per kind of measure.

    Verdicts that are based on no number have no row.
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
        where = arm_words(min(arms)) if len(arms) == 1 else "under the condition that decides"
        named = label if len(arms) == 1 else with_arm
        plots.append(plot_measures(found, evidence, named, where=where, caption=caption))
    return plots


LIMITS = {
    "followed_share": FOLLOWED,
    "admits_rate": ADMITTED,
    "invents_rate": INVENTED,
    "order_adds": MOVED,
    "order_moves": MOVED,
}
"""Limits of the verdicts that every model gets, by measure; those of other tests are in their verdicts or thresholds.
"""


def list_limits(found: Sequence[tuple[Finding, Measure]]) -> tuple[float, ...]:
    """List the limits of the verdicts on these numbers. Empty for groups of items."""
    if found[0][0].group:
        return ()
    limits: set[float] = set()
    for finding, measure in found:
        decides, values = finding.verdict.rests_on, finding.verdict.values
        first = decides is not None and (decides.name, decides.subset) == (measure.name, measure.subset)
        names = ("limit", "upper_limit") if first else () if measure.subset else (f"{measure.name}_limit",)
        limits |= {each for name in names if isinstance(each := values.get(name), float)}
    finding, measure = found[0]
    if not limits and not measure.subset:
        own = LIMITS.get(measure.name)
        limits = {*_list_thresholds(finding, measure.name)} if own is None else {own}
    return tuple(sorted(limits - {0.0}))


def list_limit_accuracies(finding: Finding, arm: str) -> tuple[float, ...]:
    """Accuracies under a condition that are the limits of a verdict on its change."""
    change, before = (finding.measure(arm, name) for name in ("difference", "baseline_accuracy"))
    if change is None or before is None:
        return ()
    limits = (before.estimate.value + each for each in list_limits([(finding, change)]))
    return tuple(each for each in limits if 0 <= each <= 1)


def _list_thresholds(finding: Finding, name: str) -> tuple[float, ...]:
    """Thresholds of a test for a measure, used if no verdict names a limit."""
    test, limits = finding.test, finding.test.thresholds
    if test.expects is Expectation.WORSE and name in (KEPT, KEPT_ANSWERED):
        return (limits.image_dependence,)
    if test.expects is not Expectation.INVARIANT:
        return ()
    if name == "difference":
        return (-limits.margin, limits.margin) if test.concluding in (None, report_moved) else (-limits.margin,)
    moved = {f"{each}_{ending}" for each in Moves for ending in ("rate", "beyond_rerun")}
    return (limits.moved,) if name in moved else ()


def ladder(finding: Finding, evidence: Evidence, label: str) -> Table | None:
    """Plot a model's accuracy at each step of a test. None for fewer than two steps."""
    # without options on the page, chance does not apply
    words = {arm.name: arm.in_words for arm in finding.test.all_arms if not arm.condition.hides_options}
    found = [(finding, measure) for arm in words if (measure := finding.measure(arm, "accuracy")) is not None]
    if len(found) < 2:
        return None
    chance = finding.measure(found[-1][1].arm, "chance")
    against = Against(None if chance is None else chance.estimate.value)
    labels = {measure: words[measure.arm] for _, measure in found}
    caption = f"Accuracy step by step (%): {label}"
    return plot_measures(found, evidence, lambda _: label, where="", against=against, caption=caption, rows=labels)


def plot_measures(
    found: Sequence[tuple[Finding, Measure]],
    evidence: Evidence,
    label: Callable[[Finding], str],
    *,
    where: str,
    rows: Mapping[Measure, str] = MappingProxyType({}),
    against: Against = NOTHING_MORE,
    caption: str = "",
) -> Table:
    """Plot measures of one kind. `where` names the condition and `rows` the rows."""
    kind = found[0][1].kind
    own = against.reference is not None
    limits = () if own else list_limits(found)
    reference = 0.0 if kind.unit in (Unit.POINTS, Unit.CHANGE) and not (own or limits) else against.reference
    people = against.people if kind.name == "accuracy" else None
    line = people.accuracy if people else None
    span = scale([measure.estimate for _, measure in found], kind.unit, reference=reference, people=line, limits=limits)
    title = axis_title(kind.words, kind.unit)
    shown = caption or f"{wording.begun(kind.words)}, {where} ({wording.UNITS[kind.unit]})"
    line_is = "" if reference is None else against.words if own else "no change"
    line_is += f" {wording.figure(reference, kind.unit)}" if reference else ""
    dashed = _describe_dashed(limits, kind.unit) if limits else f"the dashed line is {line_is}" if own else ""
    drawn = []
    for finding, measure in found:
        at = evidence.place(finding.model)
        cell = number(measure, anchor_of_measure(finding, measure, evidence.anchors)).cell()
        head = Cell(rows.get(measure) or label(finding), place=at)
        mark = Cell(drawing=forest_mark(measure.estimate, span, at))
        drawn.append(Row(head, (mark, cell), finding.model, finding.benchmark))
    table = Table(
        name_columns("model", "drawn", "estimate, 95% CI, n"), tuple(drawn),
        "; ".join(filter(None, (shown, dashed))), "drawn", people.note if people else "",
    )  # fmt: skip
    made = _add_figure(found, table, evidence, (span, title, shown, line_is))
    return replace(made, axis=titled_axis(span, title))  # with the human accuracy; the figure shows it above instead


def _describe_dashed(limits: Sequence[float], unit: str) -> str:
    said = " and ".join(wording.figure(each, unit) for each in limits)
    return f"the dashed line{'s are the limits' if len(limits) > 1 else ' is the limit'}, {said}"


def _add_figure(
    found: Sequence[tuple[Finding, Measure]], table: Table, evidence: Evidence, drawn: tuple[Scale, str, str, str]
) -> Table:
    """Add the table's figure, named by test, measure, condition and benchmark."""
    span, title, shown, line_is = drawn
    lines = [words for words in (
        f"the dashed line is {line_is}" if line_is else "",
        _describe_dashed(span.limits, span.unit) if span.limits else "",
        f"the dotted line is what people score, {wording.figure(span.people, 'share')}" if span.people else "",
    ) if words]  # fmt: skip
    marks_are = "; ".join(["Marks are estimates, lines are 95% CIs", *lines])
    benchmarks, models = ({getattr(finding, of) for finding, _ in found} for of in ("benchmark", "model"))
    scope = [*(models if len(models) == 1 < len(found) else ()), *(benchmarks if len(benchmarks) == 1 else ())]
    about = About(_name_words(found, evidence), shown + (f"; {', '.join(scope)}" if scope else ""), marks_are)
    data = [datum(finding, measure) for finding, measure in found]
    limits = [("limit", "the limit", each) for each in span.limits]
    held = (("reference", line_is, span.reference), ("people", "people", span.people), *limits)
    data += [Datum(measure, value, group=words, unit=str(span.unit)) for measure, words, value in held
             if value is not None and words]  # fmt: skip
    return add_figure(evidence, table, about, data, axis_of(span, title, line_is))


def _name_words(found: Sequence[tuple[Finding, Measure]], evidence: Evidence) -> list[str]:
    """Words for the name of a figure of these numbers."""
    findings, measures = [finding for finding, _ in found], [measure for _, measure in found]
    tests, benchmarks = {each.test.name for each in findings}, {each.benchmark for each in findings}
    models, groups = {each.model for each in findings}, {each.group.partition("=")[0] for each in findings}
    arms = {each.arm for each in measures}
    grouped = "by-" + min(groups) if min(groups) else ""
    steps = len(models) == len(benchmarks) == 1 < len(arms) and not grouped
    where = min(arms) if len(arms) == 1 else "deciding-condition"
    return [
        min(tests) if len(tests) == 1 else min(tests).partition(":")[0],
        min(each.name for each in measures),
        "step-by-step" if steps else where,
        min(benchmarks) if len(benchmarks) == 1 and evidence.several else "",
        min(models) if grouped or steps else "",
        grouped,
    ]
