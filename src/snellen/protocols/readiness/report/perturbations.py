"""T3, T4 and T5: accuracy as asked and after each change, with the image and without it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from markupsafe import Markup

from snellen.conditions import DistractorsReplaced, ImageSubstituted, OptionsShuffled, UnknownOffered
from snellen.conditions.labels import read_label
from snellen.report.components import Cell, Column, Fold, Key, Note, Panel, Panels, Part, Row, Section, Table, rich
from snellen.report.figures.layout import FigureKey, FigurePanel
from snellen.report.figures.palette import SHAPES, model_dot
from snellen.report.figures.panels import HEIGHT, Series, Tick, panel
from snellen.report.figures.standalone import About, Datum, Figure, datum
from snellen.report.lookup import Found, Lookup, Place, show_found
from snellen.report.sections.headline import short_names
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


class Perturbation(NamedTuple):
    """A change: its test, what it does, the families that know it, and its conditions, each with its tick."""

    name: str
    words: str
    families: tuple[str, ...]
    arms: tuple[tuple[str, str], ...]
    span: int = 1


class PanelOf(NamedTuple):
    """A panel of some models, with the numbers in it."""

    heading: str
    name: str
    words: str
    panel: Panel
    data: tuple[Datum, ...]


def draw_perturbations(lookup: Lookup) -> Iterator[Section]:
    """A row of panels for every benchmark on which something was changed, and the numbers below."""
    told = Note(
        "Accuracy as asked stands on the left of every panel, after the change to its right. Lines are 95% intervals, "
        "dashes are blind guessing. A change is asked of the questions that it has a meaning for, so n differs within "
        "a panel: the short line at a mark is what the same questions had as asked, and the table has every change on "
        "the same questions. After a substitution, right is what the new image shows.",
        look="quiet",
    )
    drawn = [part for _, places in lookup.everywhere() for part in _draw_benchmark(lookup, places)]
    if drawn:
        title = "T3 to T5: options moved, options replaced, image substituted"
        yield Section(title, (told, *drawn), "readiness-perturbed")


def _draw_benchmark(lookup: Lookup, places: Sequence[Place]) -> Iterator[Part]:
    together = len(places) <= TOGETHER
    groups = [places] if together else [[place] for place in places]
    there = False
    for image in IMAGES:
        panels = [each for some in groups for each in _draw_panels(lookup, some, image)]
        if panels:
            there = True
            yield from _draw_block(lookup, places, panels, image)
    if there:
        on = f": {places[0].benchmark}" if lookup.evidence.several else ""
        title = f"The numbers of these panels, and every change on the same questions{on}"
        yield Fold(title, (_draw_numbers(lookup, places),))


def _draw_block(lookup: Lookup, places: Sequence[Place], drawn: Sequence[PanelOf], image: str) -> Iterator[Part]:
    """The panels with the image or without it, a row for each heading, with one figure; many without it are folded."""
    evidence, names = lookup.evidence, short_names(lookup.evidence.results)
    dots = {place.model: model_dot(evidence.place(place.model)) for place in places}
    headings = list(dict.fromkeys(each.heading for each in drawn))
    key = tuple(Key("", names[model], mark) for model, mark in dots.items()) if headings == [""] else ()
    on = f" on {places[0].benchmark}" if evidence.several else ""
    rows: list[Part] = []
    for heading in headings:
        panels = tuple(each.panel for each in drawn if each.heading == heading)
        if heading:
            rows.append(Note("", f"{names[heading]}, {IMAGES[image].lower()}"))
        rows.append(Panels(panels, key, columns=ACROSS))
    figure = _draw_figure(lookup, places[0].benchmark, drawn, image, [] if headings != [""] else
                          [FigureKey(mark, model) for model, mark in dots.items()])  # fmt: skip
    rows[-1] = Panels(panels, key, f"{IMAGES[image]}{on}", figure, ACROSS)
    folded = image == "removed" and headings != [""]
    yield from [Fold(f"{IMAGES[image]}{on}", tuple(rows))] if folded else rows


def _draw_figure(
    lookup: Lookup, benchmark: str, drawn: Sequence[PanelOf], image: str, legend: Sequence[FigureKey]
) -> Figure:  # fmt: skip
    """All panels with the image or without it as a figure of its own, the wide ones last in each row."""
    headings = dict.fromkeys(each.heading for each in drawn)
    ordered = [each for heading in headings for each in sorted(drawn, key=lambda one: one.panel.span)
               if each.heading == heading]  # fmt: skip
    panels = [
        FigurePanel(f"{each.heading}: {each.words}" if each.heading else f"{each.name} {each.words}",
                    each.panel.drawing or Markup(""), HEIGHT, IN_FIGURE if each.panel.span > 1 else 1)
        for each in ordered
    ]  # fmt: skip
    about = About(
        ("readiness-perturbed", IMAGES[image], benchmark if lookup.evidence.several else ""),
        f"Accuracy as asked and after each change, {IMAGES[image].lower()}; {benchmark}",
        "Marks are accuracies, lines are 95% CIs, dashes are blind guessing; the short line at a mark is what the same "
        "items had as asked",
    )
    data = [datum for each in drawn for datum in each.data]
    return lookup.evidence.figures.panels(about, panels, data, columns=IN_FIGURE, legend=legend)


def _list_changes(lookup: Lookup, benchmark: str, image: str) -> list[Perturbation]:
    """The changes; images are substituted only where there are some."""
    reordered = ((baseline(image, OptionsShuffled()).name, "reordered"),)
    offered = ((baseline(image, UnknownOffered()).name, "Unknown"),)
    replaced = tuple((baseline(image, DistractorsReplaced(n)).name, f"{n}R") for n in range(1, MOST + 1))
    changes = [
        Perturbation("T3", "options reordered", ("option-order",), reordered),
        Perturbation("T4", "“Unknown” offered", ("unknown-option",), offered),
        Perturbation("T4", "wrong options replaced", ("distractors",), replaced, span=2),
    ]
    if image == "removed":
        return changes
    other = [arm for arm in lookup.arms(benchmark) if read_label(arm).has(ImageSubstituted)]
    words = ["swapped"] if len(other) == 1 else [f"swap {number}" for number in range(1, len(other) + 1)]
    shown = tuple(zip(other, words, strict=True))
    return [*changes, Perturbation("T5", "image substituted", ("visual-substitution",), shown)]


def _draw_panels(lookup: Lookup, places: Sequence[Place], image: str) -> Iterator[PanelOf]:
    """A panel for each change that any of these models was asked after."""
    heading = places[0].model if len(lookup.models) > TOGETHER else ""
    for change in _list_changes(lookup, places[0].benchmark, image):
        arms = [(baseline(image).name, AS_ASKED), *change.arms]
        found, before = (
            {place: [lookup.find(change.families, place, arm, name) for arm, _ in arms] for place in places}
            for name in ("accuracy", "baseline_accuracy")
        )
        if not any(each for points in found.values() for each in points[1:]):
            continue
        series = [
            Series(place.model, _estimates(found[place]), _estimates(before[place]),
                   lookup.evidence.place(place.model) or 0)
            for place in places
        ]  # fmt: skip
        ticks = []
        for at, (arm, words) in enumerate(arms):
            counts = [each.estimate.n for points in found.values() if (each := points[at])]
            luck = (chance for place in places if (chance := lookup.chance(place, arm)) is not None)
            ticks.append(Tick(words, f"n {from_to(counts)}" if counts else "", next(luck, None)))
        shown = [each for by in (found, before) for place in places for each in by[place] if each is not None]
        drawing = panel(ticks, series, seen=image == "kept")
        drawn = Panel(rich("**{}** {}", change.name, change.words), drawing, span=change.span)
        yield PanelOf(
            heading, change.name, change.words, drawn, tuple(datum(each.finding, each.measure) for each in shown)
        )


def _estimates(found: Sequence[Found | None]) -> tuple[Estimate | None, ...]:
    return tuple(each.estimate if each else None for each in found)


def _draw_numbers(lookup: Lookup, places: Sequence[Place]) -> Table:
    """Every number of the panels, once: accuracy, that of the same questions as asked, and the paired change."""
    names, rows, there = short_names(lookup.evidence.results), [], set()
    for place in places:
        heading = names[place.model]
        for image in IMAGES:
            for change in _list_changes(lookup, place.benchmark, image):
                for arm in (baseline(image).name, *(arm for arm, _ in change.arms)):
                    accuracy = lookup.find(change.families, place, arm, "accuracy")
                    if accuracy is None or (place, arm) in there:
                        continue
                    there.add((place, arm))
                    before, moved = (lookup.find(change.families, place, arm, name)
                                     for name in ("baseline_accuracy", "difference"))  # fmt: skip
                    notes = ", ".join(moved.printed.notes) if moved else ""
                    cells = show_found(accuracy), show_found(before), replace(show_found(moved), note=notes)
                    rows.append(Row(Cell(arm_label(arm)), cells, *place, heading))
                    heading = ""
    columns = Column("condition"), Column("accuracy"), Column("as asked, same questions"), Column("change")
    return Table(columns, tuple(rows))
