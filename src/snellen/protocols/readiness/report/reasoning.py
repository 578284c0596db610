"""T6: accuracy with and without reasoning aloud and by effort, and how often the reasoning describes an image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from snellen.conditions import ORIGINAL
from snellen.conditions.labels import read_label
from snellen.prompts import STEPS
from snellen.report.figures.layout import FigurePanel
from snellen.report.figures.panels import HEIGHT, Series, Tick, panel
from snellen.report.figures.standalone import About, Figure, datum
from snellen.report.lookup import Found, Lookup, in_order
from snellen.report.sections.comparison import Comparison, Ways, compared
from snellen.report.sections.tests import by_benchmark
from snellen.report.words import numbers as wording
from snellen.scoring.findings import Finding
from snellen.stress.taxonomy import tag_measure
from snellen.stress.tests.rationale import KINDS

STEPPED = Ways(
    ("chain-of-thought",),
    (ORIGINAL.name, f"{ORIGINAL.name}+{STEPS}"),
    ("answer alone", "step by step"),
    looks=("plain", "seen"),
)
SAID = ("described_rate", *(tag_measure("hallucinated features", by) for by in ("rule", "judge")))
"""What is told of the words themselves."""


@dataclass(frozen=True)
class Efforts:
    """One benchmark by effort: a panel for every model, and the change from the first level to each other one."""

    benchmark: str
    panels: tuple[tuple[str, Markup, tuple[tuple[str, Found], ...]], ...]
    figure: Figure


@dataclass(frozen=True)
class Described:
    """One benchmark: for every model and arm how often responses describe the image, and make up what is not there."""

    benchmark: str
    columns: tuple[str, ...]
    lines: tuple[tuple[str, str, tuple[Found | None, ...]], ...]


@dataclass(frozen=True)
class Reasoning:
    """All that T6 knows; any part may be empty."""

    steps: tuple[Comparison, ...]
    efforts: tuple[Efforts, ...]
    described: tuple[Described, ...]


def reasoning(lookup: Lookup) -> Reasoning | None:
    """The three parts; None where no test asked for reasoning."""
    steps, efforts = compared(lookup, STEPPED), _efforts(lookup)
    if not steps and not efforts:
        return None
    return Reasoning(tuple(steps), tuple(efforts), tuple(_described(lookup)))


def _efforts(lookup: Lookup) -> list[Efforts]:
    made = []
    for benchmark, findings in by_benchmark(lookup.of_family("reasoning-effort")).items():
        panels = [(each.model, _levels(lookup, each), tuple(_changes(lookup, each))) for each in findings]
        made.append(Efforts(benchmark, tuple(panels), _figure(lookup, findings, [each[1] for each in panels])))
    return made


def _figure(lookup: Lookup, findings: Sequence[Finding], pictures: Sequence[Markup]) -> Figure:
    """The panels of all models as a figure of its own."""
    benchmark = findings[0].benchmark
    panels = [FigurePanel(each.model, picture, HEIGHT) for each, picture in zip(findings, pictures, strict=True)]
    measured = [(each, each.measure(arm.name, "accuracy")) for each in findings for arm in each.test.all_arms]
    data = [datum(finding, measure) for finding, measure in measured if measure is not None]
    about = About(
        (findings[0].test.name, "accuracy", benchmark if lookup.evidence.several else ""),
        f"Accuracy by the effort to reason that was asked for; {benchmark}",
        "Marks are accuracies, lines are 95% CIs, dashes are blind guessing",
    )
    return lookup.evidence.figures.panels(about, panels, data)


def _levels(lookup: Lookup, finding: Finding) -> Markup:
    found = [(arm.name, finding.measure(arm.name, "accuracy")) for arm in finding.test.all_arms]
    place = lookup.places(finding.benchmark)[lookup.models.index(finding.model)]
    ticks = [
        Tick(_level(arm), f"n {wording.count(each.estimate.n)}" if each else "", lookup.chance(place, arm))
        for arm, each in found
    ]
    points = tuple(each.estimate if each else None for _, each in found)
    series = Series(finding.model, points, place=lookup.evidence.place(finding.model) or 0)
    return panel(ticks, [series], seen=True, across="Reasoning effort")


def _changes(lookup: Lookup, finding: Finding) -> list[tuple[str, Found]]:
    moved = [(arm.name, finding.measure(arm.name, "difference")) for arm in finding.test.compared]
    return [(_level(arm), lookup.printed(finding, each)) for arm, each in moved if each is not None]


def _level(arm: str) -> str:
    return read_label(arm).ways[-1]


def _described(lookup: Lookup) -> list[Described]:
    made = []
    for benchmark, findings in by_benchmark(lookup.of_family("rationale")).items():
        names = [name for name in SAID if any(m.name == name for each in findings for m in each.measures)]
        lines = [
            (finding.model, arm, tuple(_said(lookup, finding, arm, name) for name in names))
            for finding in findings
            for arm in in_order(measure.arm for measure in finding.measures)
        ]
        made.append(Described(benchmark, tuple(KINDS[name].words for name in names), tuple(lines)))
    return made


def _said(lookup: Lookup, finding: Finding, arm: str, name: str) -> Found | None:
    measure = finding.measure(arm, name)
    return None if measure is None else lookup.printed(finding, measure)
