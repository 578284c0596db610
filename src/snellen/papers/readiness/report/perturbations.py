"""T3, T4 and T5: accuracy before and after each change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

from markupsafe import Markup

from snellen.conditions import (
    IMAGE_REMOVED,
    ORIGINAL,
    DistractorsReplaced,
    ImageSubstituted,
    OptionsShuffled,
    UnknownOffered,
)
from snellen.conditions.labels import read_label
from snellen.prompts import STEPS
from snellen.report.components import (
    Cell,
    Figure,
    Fold,
    Key,
    Listing,
    Note,
    Panel,
    Panels,
    Part,
    Row,
    Section,
    Table,
    explain,
    fold_if_long,
    name_columns,
    quiet,
    rich,
)
from snellen.report.figures.bars import Slice, whole_bar
from snellen.report.figures.drawn import add_figure, add_figure_of_panels
from snellen.report.figures.forests import list_limit_accuracies
from snellen.report.figures.layout import FigureAxis
from snellen.report.figures.marks import share_axis
from snellen.report.figures.palette import SHAPES, model_dot
from snellen.report.figures.panels import ModelSeries, Tick, panel
from snellen.report.figures.standalone import About, Datum, datum
from snellen.report.lookup import Lookup, ModelOnBenchmark, ShownNumber, in_order, show_found
from snellen.report.sections.comparison import Ways, could_show, draw_comparison
from snellen.report.sections.tests import by_benchmark, by_test_and_benchmark
from snellen.report.words.arms import arm_label
from snellen.report.words.numbers import count, figure, from_to
from snellen.scoring.findings import Finding
from snellen.stats import Estimate
from snellen.stress.design import baseline
from snellen.stress.taxonomy import tag_measure
from snellen.stress.tests.rationale import KINDS

MOST = 4
"""Largest number of wrong options that are replaced."""
ACROSS, IN_FIGURE = 5, 3
"""Columns of panels on the page, and in a downloaded figure.

A wide panel takes two columns on the page, and all in a figure.
"""
TOGETHER = len(SHAPES) - 1
"""Up to this number of models share a panel; with more, each model has its own row of panels."""
AS_ASKED = "as asked"
IMAGES = {"kept": "Image and text", "removed": "Text only"}


PanelData = tuple[Panel, list[Datum]]
"""A panel and the numbers in it."""


class Perturbation(NamedTuple):
    """A change of the question: test, words, families, arms with their labels, panel width and axis title."""

    name: str
    words: str
    families: tuple[str, ...]
    arms: tuple[tuple[str, str], ...]
    span: int = 1
    across: str = "Condition"


def draw_perturbations(lookup: Lookup) -> list[Section]:
    """Draw panels and numbers of the changes on every benchmark."""
    told = (
        "Accuracy as asked stands on the left of every panel, after the change to its right. Lines are 95% intervals, "
        "dashes are blind guessing. A change is asked of the questions that it has a meaning for, so n differs within "
        "a panel: the short line at a mark is what the same questions had as asked, dotted ones are the limits of the "
        "test, and the table has every change on the same questions. After a substitution, right is what the new image "
        "shows."
    )
    drawn = [part for _, places in lookup.list_places() for part in _draw_benchmark(lookup, places)]
    return explain("T3 to T5: options moved, options replaced, image substituted", told, drawn, "readiness-perturbed")


def _draw_benchmark(lookup: Lookup, places: Sequence[ModelOnBenchmark]) -> Iterator[Part]:
    groups = [places] if len(places) <= TOGETHER else [[place] for place in places]
    drawn = {image: [_draw_panels(lookup, some, image) for some in groups] for image in IMAGES}
    for image, rows in drawn.items():
        if any(rows):
            yield from _draw_block(lookup, groups, rows, image)
    if any(any(rows) for rows in drawn.values()):
        on = f": {places[0].benchmark}" if lookup.evidence.several else ""
        title = f"The numbers of these panels, and every change on the same questions{on}"
        yield Fold(title, (_draw_numbers(lookup, places),))


def _draw_block(
    lookup: Lookup, groups: Sequence[Sequence[ModelOnBenchmark]], drawn: Sequence[Sequence[PanelData]], image: str
) -> list[Part]:
    """Draw the panels with the image or without it, one row per group of models."""
    evidence, together, benchmark = lookup.evidence, len(groups) == 1, groups[0][0].benchmark
    key = tuple(Key("", lookup.short_names[each.model], model_dot(evidence.place(each.model))) for each in groups[0])
    key, caption = key if together else (), f"{IMAGES[image]}{lookup.describe_benchmark(benchmark)}"
    rows: list[Part] = []
    ordered: list[Panel] = []
    for some, those in zip(groups, drawn, strict=True):
        if those:
            name = "" if together else f"{lookup.short_names[some[0].model]}, {IMAGES[image].lower()}"
            rows += [Note("", name)] if name else []
            last = Panels(tuple(each for each, _ in those), key, columns=ACROSS)
            rows.append(last)
            whose = "" if together else f"{some[0].model}: "
            named = (replace(each, title=Markup("{}{}").format(whose, each.title)) for each in last.panels)
            ordered += sorted(named, key=lambda each: each.span)  # wide panels last
    data = [each for those in drawn for _, some in those for each in some]
    figure = _draw_figure(lookup, benchmark, Panels(tuple(ordered), key), data, IMAGES[image])
    rows[-1] = replace(last, caption=caption, figure=figure)
    return rows if together or image == "kept" else [Fold(caption, tuple(rows))]


def _draw_figure(lookup: Lookup, benchmark: str, panels: Panels, data: Sequence[Datum], image: str) -> Figure | None:
    about = About(
        ("readiness-perturbed", image, benchmark if lookup.evidence.several else ""),
        f"Accuracy as asked and after each change, {image.lower()}; {benchmark}",
        "Marks are accuracies, lines are 95% CIs, dashes are blind guessing; the short line at a mark is what the same "
        "items had as asked, the dotted ones are the limits of the test",
    )
    placed = tuple(replace(each, span=IN_FIGURE if each.span > 1 else 1) for each in panels.panels)
    whole = replace(panels, panels=placed)
    return add_figure_of_panels(lookup.evidence, whole, about, data, columns=IN_FIGURE).figure


def _list_changes(lookup: Lookup, benchmark: str, image: str) -> list[Perturbation]:
    """List the changes; images are only substituted if the questions have their image."""
    reordered = ((baseline(image, OptionsShuffled()).name, "reordered"),)
    offered = ((baseline(image, UnknownOffered()).name, "Unknown"),)
    replaced = tuple((baseline(image, DistractorsReplaced(n)).name, f"{n} replaced") for n in range(1, MOST + 1))
    changes = [
        Perturbation("T3", "options reordered", ("option-order",), reordered),
        Perturbation("T4", "“Unknown” offered", ("unknown-option",), offered),
        Perturbation("T4", "wrong options replaced", ("distractors",), replaced, 2, "Number of wrong options replaced"),
    ]
    if image == "removed":
        return changes
    other = [arm for arm in lookup.arms(benchmark) if read_label(arm).has(ImageSubstituted)]
    words = ["swapped"] if len(other) == 1 else [f"swap {number}" for number in range(1, len(other) + 1)]
    shown = tuple(zip(other, words, strict=True))
    return [*changes, Perturbation("T5", "image substituted", ("visual-substitution",), shown)]


def _draw_panels(lookup: Lookup, places: Sequence[ModelOnBenchmark], image: str) -> list[PanelData]:
    """Draw a panel for each change with results of any of these models."""
    drawn = []
    for change in _list_changes(lookup, places[0].benchmark, image):
        arms = [(baseline(image).name, AS_ASKED), *change.arms]
        found, before = (
            {place: [lookup.find(change.families, place, arm, name) for arm, _ in arms] for place in places}
            for name in ("accuracy", "baseline_accuracy")
        )
        if not any(each for points in found.values() for each in points[1:]):
            continue
        limits = {place: tuple(list_limit_accuracies(each.finding, each.measure.arm) if each else ()
                               for each in found[place]) for place in places}  # fmt: skip
        series = [
            ModelSeries(place.model, _estimates(found[place]), _estimates(before[place]),
                   lookup.evidence.place(place.model) or 0, limits[place])
            for place in places
        ]  # fmt: skip
        ticks = []
        for at, (arm, words) in enumerate(arms):
            counts = [each.estimate.n for points in found.values() if (each := points[at])]
            luck = (chance for place in places if (chance := lookup.chance(place, arm)) is not None)
            ticks.append(Tick(words, f"n {from_to(counts)}" if counts else "", next(luck, None)))
        shown = [each for by in (found, before) for place in places for each in by[place] if each is not None]
        drawing = panel(ticks, series, seen=image == "kept", across=change.across)
        title = rich("**{}** {}", change.name, change.words)
        data = [datum(each.finding, each.measure) for each in shown]
        data += [each for place in places for each in _list_limits(place, dict(arms), limits[place])]
        drawn.append((Panel(title, drawing, span=change.span), data))
    return drawn


def _list_limits(place: ModelOnBenchmark, arms: Iterable[str], limits: Iterable[Sequence[float]]) -> list[Datum]:
    return [
        Datum("limit", limit, model=place.model, benchmark=place.benchmark, condition=arm)
        for arm, some in zip(arms, limits, strict=True)
        for limit in some
    ]


def _estimates(found: Sequence[ShownNumber | None]) -> tuple[Estimate | None, ...]:
    return tuple(each.estimate if each else None for each in found)


def _draw_numbers(lookup: Lookup, places: Sequence[ModelOnBenchmark]) -> Table:
    rows: dict[tuple[ModelOnBenchmark, str], Row] = {}
    for place, image in product(places, IMAGES):
        for change in _list_changes(lookup, place.benchmark, image):
            for arm in (baseline(image).name, *(arm for arm, _ in change.arms)):
                accuracy, before, moved = (lookup.find(change.families, place, arm, name)
                                           for name in ("accuracy", "baseline_accuracy", "difference"))  # fmt: skip
                if accuracy is not None and (place, arm) not in rows:
                    changed = replace(show_found(moved), note=", ".join(moved.printed.notes) if moved else "")
                    cells = show_found(accuracy), show_found(before), changed
                    rows[place, arm] = lookup.row_under_name(place, arm_label(arm), *cells)
    columns = name_columns("condition", "accuracy", "as asked, same questions", "change")
    return Table(columns, tuple(rows.values()))


PARTS = {
    "shortcut_right_rate": ("correct", "right, by a shortcut"),
    "confident_wrong_rate": ("wrong", "wrong, and answered all the same"),
    "silence_rate": ("abstained", "no answer"),
}
"""Kinds of responses without an image; the remainder is `OTHER`."""
OTHER = ("unparsed", "other: unreadable, cut off, image too poor")
KEY = tuple(Key(f"outcome {look}", words) for look, words in (*PARTS.values(), OTHER))


def draw_necessity(lookup: Lookup) -> list[Section]:
    """Draw the answers without the image, per benchmark and choice of questions."""
    parts: list[Part] = []
    for _, findings in by_test_and_benchmark(lookup.of_family("visual-necessity")):
        if asked := [each for each in findings if all(each.measure(IMAGE_REMOVED.name, name) for name in PARTS)]:
            parts += _draw_answers(lookup, asked)
    return [Section("T2: no image, on the questions that need it", tuple(parts), "readiness-necessity")] * bool(parts)


def _draw_answers(lookup: Lookup, findings: Sequence[Finding]) -> list[Part]:
    rows, numbers, shown, above_chance, guessing = [], [], [], [], []
    for each in findings:
        found = [part for name in PARTS if (part := lookup.find_number(each, IMAGE_REMOVED.name, name))]
        above, right = (
            lookup.find_number(each, IMAGE_REMOVED.name, name) for name in ("blind_above_chance", "accuracy")
        )
        rest = max(0.0, round(1 - sum(part.estimate.value for part in found), 9))
        slices = [Slice(*look, part.estimate.value) for look, part in zip(PARTS.values(), found, strict=True)]
        slices.append(Slice(*OTHER, rest))
        luck = right.estimate.value - above.estimate.value if above and right else None
        notes = ", ".join(filter(None, (*(above.printed.notes if above else ()), could_show(above))))
        cells = Cell(drawing=whole_bar(slices, luck)), replace(show_found(above, "above chance"), note=notes)
        rows.append(lookup.row(each, *cells))
        numbers.append(lookup.row(each, *map(show_found, found), Cell(figure(rest, "share"))))
        shown += found
        above_chance += [above] if above else []
        if luck is not None:
            guessing.append(Datum("guessing", luck, model=each.model, benchmark=each.benchmark))
    first, on = findings[0], lookup.describe_benchmark(findings[0].benchmark)
    about = About(
        (first.test.name, "answers-without-image", first.benchmark if on else ""),
        f"Answers without the image, on the items that need it; {first.benchmark}",
        "The dashed mark is where right answers would end by chance alone",
    )
    columns = name_columns("model", "answers", "right answers above chance")
    table = Table(columns, tuple(rows), f"Answers without the image{on}", "drawn", key=KEY)
    data = [*(datum(each.finding, each.measure) for each in (*shown, *above_chance)), *guessing]
    return [
        quiet(
            f"{from_to([each.estimate.n for each in shown])} questions{on}, chosen by {shown[0].measure.subset}. The "
            "dashed mark is where right answers would end by chance alone, given how many a model answered. A model "
            "that needs the image is left with no answer and with chance."
        ),
        add_figure(lookup.evidence, table, about, data, FigureAxis(share_axis(), "Responses (%)"), row_height=32.0),
        Fold("Each part in numbers", (Table(name_columns("model", *(each.words for each in KEY)), tuple(numbers)),)),
    ]


STEPPED = Ways(
    ("chain-of-thought",),
    (ORIGINAL.name, f"{ORIGINAL.name}+{STEPS}"),
    ("answer alone", "step by step"),
    looks=("plain", "seen"),
)
SAID = ("described_rate", *(tag_measure("hallucinated features", by) for by in ("rule", "judge")))
"""Measures of what the reasoning states about the image."""


def draw_reasoning(lookup: Lookup) -> Iterator[Section]:
    """Draw accuracy with and without reasoning steps and by effort. Empty if no test has them."""
    parts: list[Part] = [*draw_comparison(lookup, STEPPED).values()]
    parts += [_draw_efforts(lookup, each) for each in by_benchmark(lookup.of_family("reasoning-effort")).values()]
    if parts:
        parts += _draw_described(lookup)
        yield Section("T6: reasoning aloud, and thinking longer", tuple(parts), "readiness-reasoning")


def _draw_efforts(lookup: Lookup, findings: Sequence[Finding]) -> Panels:
    """Draw a panel per model, with changes from the first effort level."""
    panels, data = [], []
    for each in findings:
        moved = {arm.name: lookup.find_number(each, arm.name, "difference") for arm in each.test.compared}
        changes = tuple(show_found(found, read_label(arm).ways[-1], n=False) for arm, found in moved.items() if found)
        place, at = ModelOnBenchmark(each.model, each.benchmark), lookup.evidence.place(each.model) or 0
        levels = {arm.name: each.measure(arm.name, "accuracy") for arm in each.test.all_arms}
        ticks = []
        for arm, found in levels.items():
            n = f"n {count(found.estimate.n)}" if found else ""
            ticks.append(Tick(read_label(arm).ways[-1], n, lookup.chance(place, arm)))
        points = tuple(found.estimate if found else None for found in levels.values())
        limits = tuple(list_limit_accuracies(each, arm) for arm in levels)
        series = ModelSeries(each.model, points, place=at, limits=limits)
        drawing = panel(ticks, [series], seen=True, across="Reasoning effort")
        panels.append(Panel(lookup.short_names[each.model], drawing, (Listing(changes),)))
        data += [datum(each, found) for found in levels.values() if found]
        data += _list_limits(place, levels, limits)
    first, on = findings[0], lookup.describe_benchmark(findings[0].benchmark)
    about = About(
        (first.test.name, "accuracy", first.benchmark if on else ""),
        f"Accuracy by the effort to reason that was asked for; {first.benchmark}",
        "Marks are accuracies, lines are 95% CIs, dashes are blind guessing, short dotted lines the limits of the test",
    )
    caption = f"By the effort that the provider was asked for{on}. Changes are from the first level, same questions."
    return add_figure_of_panels(lookup.evidence, Panels(tuple(panels), (), caption), about, data)


def _draw_described(lookup: Lookup) -> Iterator[Part]:
    """Table of how often the reasoning describes the image and invents features, by condition."""
    for benchmark, findings in by_benchmark(lookup.of_family("rationale")).items():
        names = [name for name in SAID if any(m.name == name for each in findings for m in each.measures)]
        rows = tuple(
            lookup.row_under_name(each, arm_label(arm), *(lookup.cell(each, arm, name) for name in names))
            for each in findings
            for arm in in_order(measure.arm for measure in each.measures)
        )
        columns = name_columns("condition", *(KINDS[name].words for name in names))
        yield fold_if_long(
            Table(columns, rows), f"What the reasoning says it sees{lookup.describe_benchmark(benchmark)}", 0
        )
