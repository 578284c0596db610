"""T6: accuracy with reasoning aloud and by effort, and how often the reasoning describes an image."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snellen.conditions import ORIGINAL
from snellen.conditions.labels import read_label
from snellen.prompts import STEPS
from snellen.report.components import Listing, Panel, Panels, Part, Section, Table, fold_if_long, name_columns
from snellen.report.figures.drawn import add_figure_of_panels
from snellen.report.figures.forests import list_limit_accuracies
from snellen.report.figures.panels import Series, Tick, panel
from snellen.report.figures.standalone import About, Datum, datum
from snellen.report.lookup import Lookup, Place, in_order, show_found
from snellen.report.sections.comparison import Ways, draw_comparison
from snellen.report.sections.tests import by_benchmark
from snellen.report.words.arms import arm_label
from snellen.report.words.numbers import count
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
    parts += [_draw_efforts(lookup, each) for each in by_benchmark(lookup.of_family("reasoning-effort")).values()]
    if parts:
        parts += _draw_described(lookup)
        yield Section("T6: reasoning aloud, and thinking longer", tuple(parts), "readiness-reasoning")


def _draw_efforts(lookup: Lookup, findings: Sequence[Finding]) -> Panels:
    """A panel for every model, with the change from the first level to each other one."""
    panels, data = [], []
    for each in findings:
        moved = {arm.name: lookup.measured(each, arm.name, "difference") for arm in each.test.compared}
        changes = tuple(show_found(found, _name_level(arm), n=False) for arm, found in moved.items() if found)
        place, at = Place(each.model, each.benchmark), lookup.evidence.place(each.model) or 0
        levels = {arm.name: each.measure(arm.name, "accuracy") for arm in each.test.all_arms}
        ticks = [Tick(_name_level(arm), f"n {count(found.estimate.n)}" if found else "", lookup.chance(place, arm))
                 for arm, found in levels.items()]  # fmt: skip
        points = tuple(found.estimate if found else None for found in levels.values())
        limits = tuple(list_limit_accuracies(each, arm) for arm in levels)
        series = Series(each.model, points, place=at, limits=limits)
        drawing = panel(ticks, [series], seen=True, across="Reasoning effort")
        panels.append(Panel(lookup.short_names[each.model], drawing, (Listing(changes),)))
        data += [datum(each, found) for found in levels.values() if found]
        data += [Datum("limit", limit, model=each.model, benchmark=each.benchmark, condition=arm)
                 for arm, some in zip(levels, limits, strict=True) for limit in some]  # fmt: skip
    first, on = findings[0], lookup.on(findings[0].benchmark)
    about = About(
        (first.test.name, "accuracy", first.benchmark if on else ""),
        f"Accuracy by the effort to reason that was asked for; {first.benchmark}",
        "Marks are accuracies, lines are 95% CIs, dashes are blind guessing, short dotted lines the limits of the test",
    )
    caption = f"By the effort that the provider was asked for{on}. Changes are from the first level, same questions."
    return add_figure_of_panels(lookup.evidence, Panels(tuple(panels), (), caption), about, data)


def _name_level(arm: str) -> str:
    return read_label(arm).ways[-1]


def _draw_described(lookup: Lookup) -> Iterator[Part]:
    """For every model and condition, how often responses describe the image, and invent what is not there."""
    for benchmark, findings in by_benchmark(lookup.of_family("rationale")).items():
        names = [name for name in SAID if any(m.name == name for each in findings for m in each.measures)]
        rows = tuple(
            lookup.row_under_name(each, arm_label(arm), *(lookup.cell(each, arm, name) for name in names))
            for each in findings
            for arm in in_order(measure.arm for measure in each.measures)
        )
        columns = name_columns("condition", *(KINDS[name].words for name in names))
        yield fold_if_long(Table(columns, rows), f"What the reasoning says it sees{lookup.on(benchmark)}", 0)
