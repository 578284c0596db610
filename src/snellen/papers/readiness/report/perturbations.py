"""T3, T4 and T5: accuracy as asked and after each change, with the image and without it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

from markupsafe import Markup

from snellen.conditions import DistractorsReplaced, ImageSubstituted, OptionsShuffled, UnknownOffered
from snellen.conditions.labels import read_label
from snellen.report.components import (
    Figure,
    Fold,
    Key,
    Note,
    Panel,
    Panels,
    Part,
    Row,
    Section,
    Table,
    explain,
    name_columns,
    rich,
)
from snellen.report.figures.drawn import add_figure_of_panels
from snellen.report.figures.forests import list_limit_accuracies
from snellen.report.figures.palette import SHAPES, model_dot
from snellen.report.figures.panels import Series, Tick, panel
from snellen.report.figures.standalone import About, Datum, datum
from snellen.report.lookup import Found, Lookup, Place, show_found
from snellen.report.words.arms import arm_label
from snellen.report.words.numbers import from_to
from snellen.stats import Estimate
from snellen.stress.design import baseline

MOST = 4
"""The most wrong options that are replaced."""
ACROSS, IN_FIGURE = 5, 3
"""Columns on the page, where a wide panel takes two, and in a figure of its own, where it takes all."""
TOGETHER = len(SHAPES) - 1
"""More models than this have a row of panels each, rather than one panel together."""
AS_ASKED = "as asked"
IMAGES = {"kept": "Image and text", "removed": "Text only"}


PanelData = tuple[Panel, list[Datum]]
"""A panel of some models, with the numbers in it."""


class Perturbation(NamedTuple):
    """A change: its test, what it does, the families that know it, its conditions with their ticks, and their axis."""

    name: str
    words: str
    families: tuple[str, ...]
    arms: tuple[tuple[str, str], ...]
    span: int = 1
    across: str = "Condition"


def draw_perturbations(lookup: Lookup) -> list[Section]:
    """A row of panels for every benchmark on which something was changed, and the numbers below."""
    told = (
        "Accuracy as asked stands on the left of every panel, after the change to its right. Lines are 95% intervals, "
        "dashes are blind guessing. A change is asked of the questions that it has a meaning for, so n differs within "
        "a panel: the short line at a mark is what the same questions had as asked, dotted ones are the limits of the "
        "test, and the table has every change on the same questions. After a substitution, right is what the new image "
        "shows."
    )
    drawn = [part for _, places in lookup.everywhere() for part in _draw_benchmark(lookup, places)]
    return explain("T3 to T5: options moved, options replaced, image substituted", told, drawn, "readiness-perturbed")


def _draw_benchmark(lookup: Lookup, places: Sequence[Place]) -> Iterator[Part]:
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
    lookup: Lookup, groups: Sequence[Sequence[Place]], drawn: Sequence[Sequence[PanelData]], image: str
) -> list[Part]:
    """The panels with the image or without it, a row for each group, with one figure; many without it are folded."""
    evidence, together, benchmark = lookup.evidence, len(groups) == 1, groups[0][0].benchmark
    key = tuple(Key("", lookup.short_names[each.model], model_dot(evidence.place(each.model))) for each in groups[0])
    key, caption = key if together else (), f"{IMAGES[image]}{lookup.on(benchmark)}"
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
            ordered += sorted(named, key=lambda each: each.span)  # wide ones last
    data = [each for those in drawn for _, some in those for each in some]
    figure = _draw_figure(lookup, benchmark, Panels(tuple(ordered), key), data, IMAGES[image])
    rows[-1] = replace(last, caption=caption, figure=figure)
    return rows if together or image == "kept" else [Fold(caption, tuple(rows))]


def _draw_figure(lookup: Lookup, benchmark: str, panels: Panels, data: Sequence[Datum], image: str) -> Figure | None:
    """All panels with the image or without it as one figure; a wide one has a row of its own."""
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
    """The changes; images are substituted only where there are some."""
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


def _draw_panels(lookup: Lookup, places: Sequence[Place], image: str) -> list[PanelData]:
    """A panel for each change that any of these models was asked after."""
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
            Series(place.model, _estimates(found[place]), _estimates(before[place]),
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
        data += [Datum("limit", limit, model=place.model, benchmark=place.benchmark, condition=arm)
                 for place in places for (arm, _), some in zip(arms, limits[place], strict=True)
                 for limit in some]  # fmt: skip
        drawn.append((Panel(title, drawing, span=change.span), data))
    return drawn


def _estimates(found: Sequence[Found | None]) -> tuple[Estimate | None, ...]:
    return tuple(each.estimate if each else None for each in found)


def _draw_numbers(lookup: Lookup, places: Sequence[Place]) -> Table:
    """Every number of the panels, once: accuracy, that of the same questions as asked, and the paired change."""
    rows: dict[tuple[Place, str], Row] = {}
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
