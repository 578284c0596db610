"""The curves of artefacts: accuracy against severity and against measured degradation, a small panel an artefact."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from snellen.prompts import Arm
from snellen.protocols.artefacts.report.tests import CURVE, STRONG, WEAK, of_family, strategy
from snellen.protocols.artefacts.tests.arms import condition_of
from snellen.protocols.artefacts.tests.dose_response import KINDS, curve, series
from snellen.report.figures.curves import Axis, FittedLine, curve_panel, height, line_mark
from snellen.report.figures.forests import Number, anchor_of, number
from snellen.report.figures.layout import FigurePanel, Key
from snellen.report.figures.palette import set_of
from snellen.report.figures.standalone import About, Datum, Figure, of_estimate
from snellen.report.lookup import Lookup
from snellen.report.words.arms import artefact_words
from snellen.scoring.findings import Finding
from snellen.stats import DoseResponse
from snellen.stress.base import Measure
from snellen.stress.table import Table

SEVERITY = Axis(1.0, ((0.0, "none"), (0.5, "weak"), (1.0, "strong")), "Severity (0 to 1)")
MEASURED = {"": "threshold", "ssim": "threshold_ssim"}
"""By what the dose is: severity or 1 − SSIM; the name of where half is lost."""
NO_GROWTH = "No curve: the measured degradation does not grow with the strength."
TOO_FEW = "No curve: fewer than three strengths were answered."
NONE_WITHIN = "no threshold within the strengths asked"

Series = Mapping[str, tuple[Arm, ...]]


class Told(NamedTuple):
    """One model under a panel: its mark, and where half is lost, or why that cannot be said."""

    model: str
    mark: Markup
    threshold: Number | None
    reason: str


class CurvePanel(NamedTuple):
    """One artefact: the curves of some models and what is told of each, or why there is none."""

    artefact: str
    picture: Markup | None
    told: tuple[Told, ...]
    why: str
    lines: tuple[FittedLine, ...] = ()


@dataclass(frozen=True)
class ArtefactCurves:
    """A few models on one benchmark, asked in one way: panels by severity and by measured degradation."""

    benchmark: str
    strategy: str
    models: tuple[str, ...]
    by_severity: tuple[CurvePanel, ...]
    by_ssim: tuple[CurvePanel, ...]
    figures: tuple[Figure | None, Figure | None]
    """The panels of each as a figure of its own."""


class _SameSeries(NamedTuple):
    """The findings of all models on one benchmark whose arms make the same series."""

    findings: list[Finding]
    series: Series


def curves(lookup: Lookup) -> list[ArtefactCurves]:
    """The curves that were asked for; where none was, those through no, weak and strong artefacts."""
    made = []
    for asked in _asked(lookup) or _through_three(lookup):
        first = asked.findings[0]
        words = strategy(first.test, lookup.evidence.results.study)
        for some in _in_sets(lookup, asked):
            panels = {by: tuple(_panels(lookup, some, by)) for by in MEASURED}
            models = tuple(each.model for each in some.findings)
            if any(panel.picture for panel in panels[""]):
                ssim = panels["ssim"] if any(panel.picture for panel in panels["ssim"]) else ()
                figures = (_figure(lookup, some, words, panels[""], ""), _figure(lookup, some, words, ssim, "ssim"))
                made.append(ArtefactCurves(first.benchmark, words, models, panels[""], ssim, figures))
    return made


def _in_sets(lookup: Lookup, asked: _SameSeries) -> list[_SameSeries]:
    """The models apart, so that those of one panel all differ in shape."""
    sets: dict[int, list[Finding]] = {}
    for each in asked.findings:
        sets.setdefault(set_of(lookup.evidence.place(each.model) or 0), []).append(each)
    return [asked._replace(findings=findings) for findings in sets.values()]


def _figure(lookup: Lookup, asked: _SameSeries, words: str, panels: Sequence[CurvePanel], by: str) -> Figure | None:
    """The panels that have curves, put together as a figure of its own."""
    drawn = [(panel, panel.picture) for panel in panels if panel.picture is not None]
    if not drawn:
        return None
    evidence, first = lookup.evidence, asked.findings[0]
    models = [each.model for each in asked.findings]
    data = [
        of_estimate("accuracy", point, model=line.name, benchmark=first.benchmark,
                    condition=f"{panel.artefact}, {by or 'severity'} {dose:g}")
        for panel, _ in drawn
        for line in panel.lines
        for dose, point in zip(line.fitted.doses, line.fitted.accuracies, strict=True)
    ]  # fmt: skip
    data += [
        of_estimate(MEASURED[by], line.fitted.threshold, model=line.name, benchmark=first.benchmark,
                    condition=panel.artefact, unit="dose")
        for panel, _ in drawn
        for line in panel.lines
        if line.fitted.threshold is not None
    ]  # fmt: skip
    data += [Datum("guessing", _chance(lookup, asked), benchmark=first.benchmark)]
    number = set_of(evidence.place(models[0]) or 0)
    about = About(
        (first.test.name, "accuracy-by", by or "severity", f"models-{number + 1}" if number else "",
         first.benchmark if evidence.several else ""),
        f"Accuracy as images get worse, by {'measured degradation' if by else 'severity'}, {words}; {first.benchmark}",
        "Marks are accuracies with their 95% CIs, lines the falling curves that fit them, the dashed line blind "
        "guessing; bands below: where half of what can be lost is lost, with its 95% CI",
    )  # fmt: skip
    legend = [Key(line_mark(evidence.place(model) or 0), model) for model in models]
    shown = [FigurePanel(panel.artefact, picture, height(panel.lines)) for panel, picture in drawn]
    return evidence.figures.panels(about, shown, data, legend=legend)


def _chance(lookup: Lookup, asked: _SameSeries) -> float:
    tables = _tables(lookup, asked).values()
    return next((float(table.chance[table.asked].mean()) for table in tables if len(table.asked)), math.nan)


def _tables(lookup: Lookup, asked: _SameSeries) -> dict[str, Table]:
    """The table of each model, as the tests see it."""
    tables = lookup.evidence.results.tables
    return {each.model: each.test.restrict_table(tables[each.model, each.benchmark]) for each in asked.findings}


def _asked(lookup: Lookup) -> list[_SameSeries]:
    found: dict[tuple[str, str], list[Finding]] = {}
    for each in of_family(lookup, CURVE):
        found.setdefault((each.test.name, each.benchmark), []).append(each)
    return [_SameSeries(findings, series(findings[0].test)) for findings in found.values()]


def _through_three(lookup: Lookup) -> list[_SameSeries]:
    """Three points an artefact, where the same prompt asked about weak and about strong ones."""
    strong = {(each.model, each.benchmark, each.test.baseline.name): each for each in of_family(lookup, STRONG)}
    found: dict[tuple[str, str], _SameSeries] = {}
    for weak in of_family(lookup, WEAK):
        other = strong.get((weak.model, weak.benchmark, weak.test.baseline.name))
        if other is None:
            continue
        arms = [{condition_of(arm).artefact: arm for arm in each.test.compared} for each in (weak, other)]
        both = {name: (weak.test.baseline, arms[0][name], arms[1][name]) for name in arms[0] if name in arms[1]}
        found.setdefault((weak.test.name, weak.benchmark), _SameSeries([], both)).findings.append(weak)
    return [each for each in found.values() if each.series]


def _panels(lookup: Lookup, asked: _SameSeries, by: str) -> Iterator[CurvePanel]:
    tables = _tables(lookup, asked)
    fits = {
        name: {model: curve(table, arms, by=by) for model, table in tables.items()}
        for name, arms in asked.series.items()
    }
    axis = SEVERITY if not by else _axis([fit.doses[-1] for some in fits.values() for fit in some.values() if fit])
    chance = _chance(lookup, asked)
    for name, some in fits.items():
        lines = {
            model: FittedLine(model, fit, lookup.evidence.place(model) or 0)
            for model, fit in some.items()
            if fit is not None
        }
        if not lines:
            yield CurvePanel(artefact_words(name), None, (), NO_GROWTH if by else TOO_FEW)
            continue
        told = tuple(_told(lookup, each, lines.get(each.model), by) for each in asked.findings)
        drawn = tuple(lines.values())
        yield CurvePanel(artefact_words(name), curve_panel(drawn, axis, chance), told, "", drawn)


def _axis(doses: Sequence[float]) -> Axis:
    """An axis for measured degradation that holds all doses, with a tick at every quarter or half."""
    last = max(0.25, math.ceil(4 * max(doses, default=1.0)) / 4)
    step = 0.25 if last <= 0.75 else 0.5
    count = math.floor(last / step)
    return Axis(last, tuple((step * n, f"{step * n:g}") for n in range(count + 1)), "1 − SSIM (0 to 1)")


def _told(lookup: Lookup, finding: Finding, line: FittedLine | None, by: str) -> Told:
    mark = line_mark(lookup.evidence.place(finding.model) or 0)
    if line is None:
        return Told(finding.model, mark, None, NO_GROWTH if by else TOO_FEW)
    found = line.fitted.threshold
    if found is None:
        return Told(finding.model, mark, None, _in_words(line.fitted))
    arm = finding.test.baseline.name
    shown = number(Measure(arm, KINDS[MEASURED[by]], found), anchor_of(finding, arm, lookup.evidence.anchors))
    return Told(finding.model, mark, shown, "")


def _in_words(fitted: DoseResponse) -> str:
    """Why there is no threshold, the doses called strengths."""
    beyond = fitted.reason.startswith("Half of")
    return f"{NONE_WITHIN}" + (": at the strongest, more than half is left" if beyond else f". {fitted.reason}")
