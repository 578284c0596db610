"""T6: accuracy with reasoning aloud and by effort, and how often the reasoning describes an image."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from snellen.conditions import ORIGINAL
from snellen.conditions.labels import read_label
from snellen.prompts import STEPS
from snellen.report.components import Cell, Column, Listing, Panel, Panels, Part, Row, Section, Table, fold_if_long
from snellen.report.figures.layout import FigurePanel
from snellen.report.figures.panels import HEIGHT, Series, Tick, panel
from snellen.report.figures.standalone import About, Figure, datum
from snellen.report.lookup import Lookup, Place, in_order, show_found
from snellen.report.sections.comparison import Ways, draw_comparison
from snellen.report.sections.headline import short_names
from snellen.report.sections.tests import by_benchmark
from snellen.report.words import numbers as wording
from snellen.report.words.arms import arm_label
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


def draw_reasoning(lookup: Lookup) -> Iterator[Section]:
    """With and without steps, by effort, and descriptions; nothing if no test asked for reasoning."""
    parts: list[Part] = [*draw_comparison(lookup, STEPPED).values()]
    for findings in by_benchmark(lookup.of_family("reasoning-effort")).values():
        parts.append(_draw_efforts(lookup, findings))
    if parts:
        parts += _draw_described(lookup)
        yield Section("T6: reasoning aloud, and thinking longer", tuple(parts), "readiness-reasoning")


def _draw_efforts(lookup: Lookup, findings: Sequence[Finding]) -> Panels:
    """A panel for every model, with the change from the first level to each other one."""
    names = short_names(lookup.evidence.results)
    drawings = [_draw_levels(lookup, each) for each in findings]
    panels = []
    for each, drawing in zip(findings, drawings, strict=True):
        moved = [(arm.name, measure) for arm in each.test.compared if (measure := each.measure(arm.name, "difference"))]
        changes = (show_found(lookup.printed(each, measure), _name_level(arm), n=False) for arm, measure in moved)
        panels.append(Panel(names[each.model], drawing, (Listing(tuple(changes)),)))
    on = f" on {findings[0].benchmark}" if lookup.evidence.several else ""
    caption = f"By the effort that the provider was asked for{on}. Changes are from the first level, same questions."
    return Panels(tuple(panels), (), caption, _draw_figure(lookup, findings, drawings))


def _draw_figure(lookup: Lookup, findings: Sequence[Finding], drawings: Sequence[Markup]) -> Figure:
    """The panels of all models as a figure of its own."""
    benchmark = findings[0].benchmark
    panels = [FigurePanel(each.model, drawing, HEIGHT) for each, drawing in zip(findings, drawings, strict=True)]
    measured = [(each, each.measure(arm.name, "accuracy")) for each in findings for arm in each.test.all_arms]
    data = [datum(finding, measure) for finding, measure in measured if measure is not None]
    about = About(
        (findings[0].test.name, "accuracy", benchmark if lookup.evidence.several else ""),
        f"Accuracy by the effort to reason that was asked for; {benchmark}",
        "Marks are accuracies, lines are 95% CIs, dashes are blind guessing",
    )
    return lookup.evidence.figures.panels(about, panels, data)


def _draw_levels(lookup: Lookup, finding: Finding) -> Markup:
    place = Place(finding.model, finding.benchmark)
    found = [(arm.name, finding.measure(arm.name, "accuracy")) for arm in finding.test.all_arms]
    ticks = [
        Tick(_name_level(arm), f"n {wording.count(each.estimate.n)}" if each else "", lookup.chance(place, arm))
        for arm, each in found
    ]
    points = tuple(each.estimate if each else None for _, each in found)
    series = Series(finding.model, points, place=lookup.evidence.place(finding.model) or 0)
    return panel(ticks, [series], seen=True, across="Reasoning effort")


def _name_level(arm: str) -> str:
    return read_label(arm).ways[-1]


def _draw_described(lookup: Lookup) -> Iterator[Part]:
    """For every model and condition, how often responses describe the image, and invent what is not there."""
    models = short_names(lookup.evidence.results)
    for benchmark, findings in by_benchmark(lookup.of_family("rationale")).items():
        names = [name for name in SAID if any(m.name == name for each in findings for m in each.measures)]
        rows = []
        for each in findings:
            heading = models[each.model]
            for arm in in_order(measure.arm for measure in each.measures):
                found = (each.measure(arm, name) for name in names)
                cells = tuple(show_found(lookup.printed(each, measure) if measure else None) for measure in found)
                rows.append(Row(Cell(arm_label(arm)), cells, each.model, benchmark, heading))
                heading = ""
        columns = (Column("condition"), *(Column(KINDS[name].words) for name in names))
        on = f" on {benchmark}" if lookup.evidence.several else ""
        yield fold_if_long(Table(columns, tuple(rows)), f"What the reasoning says it sees{on}", 0)
