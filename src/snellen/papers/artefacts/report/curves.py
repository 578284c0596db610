"""Curves of artefacts: accuracy against severity and measured degradation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from snellen.papers.artefacts.report.maps import CURVE, STRONG, WEAK, of_family, strategy
from snellen.papers.artefacts.tests.arms import condition_of
from snellen.papers.artefacts.tests.dose_response import KINDS, curve, series
from snellen.prompts import Arm
from snellen.report.components import Cell, Key, Listing, Panel, Panels, Part, Section, quiet
from snellen.report.figures.curves import Axis, FittedLine, curve_panel, line_mark
from snellen.report.figures.drawn import add_figure_of_panels
from snellen.report.figures.forests import anchor_of, list_limits, number
from snellen.report.figures.palette import set_of
from snellen.report.figures.standalone import About, Datum, of_estimate
from snellen.report.lookup import Lookup
from snellen.report.sections.tests import by_test_and_benchmark, label
from snellen.report.words.arms import artefact_words
from snellen.report.words.numbers import begun
from snellen.scoring.findings import Finding
from snellen.stats import DoseResponse
from snellen.stress.base import Measure

SEVERITY = Axis(1.0, ((0.0, "none"), (0.5, "weak"), (1.0, "strong")), "Severity (0 to 1)")
MEASURED = {"": "threshold", "ssim": "threshold_ssim"}
"""Name of the measure of the dose at which half of the possible loss occurs.

The key is the dose's scale: "" is severity, ssim is 1 − SSIM.
"""
AXES = {"": "severity", "ssim": "measured degradation"}
NO_GROWTH = "No curve: the measured degradation does not grow with the strength."
TOO_FEW = "No curve: fewer than three strengths were answered."
NONE_WITHIN = "no threshold within the strengths asked"
ABOUT = (
    "Accuracy as images get worse, a response that flags or declines counting as a guess: marks with their 95% CIs as "
    "measured; the line is the falling curve that fits them best; the dashed line across is blind guessing, a short "
    "dotted one the limit to which a test of weak artefacts holds the loss. The number and the band below the plot are "
    "the dose at which half of what can be lost is lost, from the accuracy on the images as they are down to guessing; "
    "an arrow, or “or more”, means that it may lie beyond the strengths asked. One item’s image gets worse along one "
    "path: every strength takes the same random draw further."
)
SSIM = (
    "The same answers against how unlike the originals the images are, the mean of 1 − SSIM over the items: artefacts "
    "can be compared on one scale. It measures pixels and not what a clinician loses; an image turned or cropped is "
    "unlike the original and may be read as well."
)
NO_SSIM = (
    "How far the images are from the originals was not measured, or does not grow with the strength: there is no curve "
    "against it."
)

Series = Mapping[str, tuple[Arm, ...]]


class _SameSeries(NamedTuple):
    """Results of all models on one benchmark whose arms degrade images in the same way."""

    findings: list[Finding]
    series: Series


def draw_curves(lookup: Lookup) -> list[Part]:
    """Draw the curves of the dose-response tests; without one, from the weak and strong tests."""
    several, made = lookup.evidence.several, []
    curves = [each for _, each in by_test_and_benchmark(of_family(lookup, CURVE))]
    asked = [_SameSeries(each, series(each[0].test)) for each in curves] or _through_three(lookup)
    sets = [some for each in asked for some in _in_sets(lookup, each)]
    for some in sets:
        first = some.findings[0]
        if (by_severity := _draw_panels(lookup, some, "")) is None:
            continue
        words = strategy(first.test, lookup.evidence.results.study)
        models = ", ".join(label(each, lookup.evidence) for each in some.findings) if len(sets) > 1 else ""
        title = ": ".join(filter(None, (first.benchmark if several else "", words, models)))
        by_ssim = _draw_panels(lookup, some, "ssim")
        below = (quiet(SSIM), by_ssim) if by_ssim else (quiet(NO_SSIM),)
        parts = (Section("By severity", (by_severity,)), Section("By measured degradation", below))
        made.append(Section(begun(title), parts))
    return [quiet(ABOUT), *made] if made else []


def _in_sets(lookup: Lookup, asked: _SameSeries) -> list[_SameSeries]:
    """Split the models into sets in which all markers differ."""
    sets: dict[int, list[Finding]] = {}
    for each in asked.findings:
        sets.setdefault(set_of(lookup.evidence.place(each.model) or 0), []).append(each)
    return [asked._replace(findings=findings) for findings in sets.values()]


def _through_three(lookup: Lookup) -> list[_SameSeries]:
    """Build curves with three points: original, weak and strong, if both tests have the same prompt."""
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


def _draw_panels(lookup: Lookup, asked: _SameSeries, by: str) -> Panels | None:
    """Draw one panel per artefact; None if no curve fits."""
    evidence, first = lookup.evidence, asked.findings[0]
    every = evidence.results.tables
    # with the questions that the tests use
    tables = {each.model: each.test.restrict_table(every[each.model, each.benchmark]) for each in asked.findings}
    places = {model: evidence.place(model) or 0 for model in tables}
    lines = {
        artefact_words(name): [
            FittedLine(each.model, fit, places[each.model], tuple(_list_limits(each, arms, fit)))
            for each in asked.findings
            if (fit := curve(tables[each.model], arms, by=by))
        ]
        for name, arms in asked.series.items()
    }
    drawn = [(words, line) for words, some in lines.items() for line in some]
    if not drawn:
        return None
    axis = _axis([line.fitted.doses[-1] for _, line in drawn]) if by else SEVERITY
    chances = (float(table.chance[table.asked].mean()) for table in tables.values() if len(table.asked))
    chance = next(chances, math.nan)
    panels = tuple(_draw_panel(lookup, asked, words, some, axis, chance, by) for words, some in lines.items())
    key = tuple(Key("", lookup.short_names[model], line_mark(place)) for model, place in places.items())
    data = _list_data(drawn, first.benchmark, by)
    data.append(Datum("guessing", chance, benchmark=first.benchmark))
    number = set_of(places[first.model])
    about = About(
        (first.test.name, "accuracy-by", by or "severity", f"models-{number + 1}" if number else "",
         first.benchmark if evidence.several else ""),
        f"Accuracy as images get worse, by {AXES[by]}, {strategy(first.test, evidence.results.study)}; "
        f"{first.benchmark}",
        "Marks are accuracies with their 95% CIs, lines the falling curves that fit them, the dashed line blind "
        "guessing, short dotted lines the limits of the test; bands below: where half of what can be lost is lost, "
        "with its 95% CI",
    )  # fmt: skip
    return add_figure_of_panels(evidence, Panels(panels, key), about, data)


def _draw_panel(
    lookup: Lookup, asked: _SameSeries, words: str, lines: Sequence[FittedLine], axis: Axis, chance: float, by: str
) -> Panel:
    """Draw one artefact's curves, with the dose at which each model loses half."""
    if not lines:
        return Panel(words, None, (Listing((Cell(NO_GROWTH if by else TOO_FEW),)),))
    fits = {line.name: line.fitted for line in lines}
    told = tuple(_tell(lookup, each, fits.get(each.model), by) for each in asked.findings)
    return Panel(words, curve_panel(lines, axis, chance), (Listing(told),))


def _list_data(drawn: Sequence[tuple[str, FittedLine]], benchmark: str, by: str) -> list[Datum]:
    """List the accuracies, thresholds and limits of these curves, each with its artefact."""
    where, dose_words = {"benchmark": benchmark}, by or "severity"
    data = [
        of_estimate("accuracy", point, model=line.name, condition=f"{words}, {dose_words} {dose:g}", **where)
        for words, line in drawn
        for dose, point in zip(line.fitted.doses, line.fitted.accuracies, strict=True)
    ]
    data += [
        of_estimate(MEASURED[by], line.fitted.threshold, model=line.name, condition=words, unit="dose", **where)
        for words, line in drawn
        if line.fitted.threshold is not None
    ]
    data += [
        Datum("limit", limit, model=line.name, benchmark=benchmark, condition=f"{words}, {dose_words} {dose:g}")
        for words, line in drawn
        for dose, limit in line.limits
    ]
    return data


def _list_limits(finding: Finding, arms: Sequence[Arm], fitted: DoseResponse) -> Iterator[tuple[float, float]]:
    """Yield each dose with the accuracies at which the verdict changes."""
    for dose, arm in zip(fitted.doses, arms, strict=False):
        if (change := finding.measure(arm.name, "difference")) is not None and len(fitted.doses) == len(arms):
            limits = (fitted.accuracies[0].value + each for each in list_limits([(finding, change)]))
            yield from ((float(dose), each) for each in limits if 0 <= each <= 1)


def _axis(doses: Sequence[float]) -> Axis:
    last = max(0.25, math.ceil(4 * max(doses, default=1.0)) / 4)
    step = 0.25 if last <= 0.75 else 0.5
    count = math.floor(last / step)
    return Axis(last, tuple((step * n, f"{step * n:g}") for n in range(count + 1)), "1 − SSIM (0 to 1)")


def _tell(lookup: Lookup, finding: Finding, fitted: DoseResponse | None, by: str) -> Cell:
    """Describe the dose at which a model loses half, or why there is none."""
    place, name = lookup.evidence.place(finding.model), lookup.short_names[finding.model]
    if fitted is None:
        return Cell(name, place=place, note=NO_GROWTH if by else TOO_FEW)
    if fitted.threshold is None:
        beyond = fitted.reason.startswith("Half of")
        why = ": at the strongest, more than half is left" if beyond else f". {fitted.reason}".replace(" -", " −")
        return Cell(name, place=place, note=f"{NONE_WITHIN}{why}")
    measure = Measure(finding.test.baseline.name, KINDS[MEASURED[by]], fitted.threshold)
    shown = number(measure, anchor_of(finding, measure.arm, lookup.evidence.anchors))
    return replace(shown.cell(f"{name}: half is lost at"), place=place)
