"""T3, T4 and T5: accuracy as asked and after each change, with the image above and without it below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from snellen.conditions import DistractorsReplaced, ImageSubstituted, OptionsShuffled, UnknownOffered
from snellen.conditions.labels import read_label
from snellen.report.figures.layout import FigurePanel, Key
from snellen.report.figures.palette import SHAPES, model_dot
from snellen.report.figures.panels import HEIGHT, Series, Tick, panel
from snellen.report.figures.standalone import About, Datum, Figure, datum
from snellen.report.lookup import Found, Lookup, Place
from snellen.report.words.numbers import from_to
from snellen.stats import Estimate
from snellen.stress.base import baseline

MOST = 4
"""The most wrong options that are replaced."""
COLUMNS = 3
"""Panels side by side in a figure of its own; a wide one has a line for itself."""
TOGETHER = len(SHAPES) - 1
"""More models than this have a row of panels each, rather than one panel together."""
AS_ASKED = "as asked"


@dataclass(frozen=True)
class Perturbation:
    """One column of the figure: its tests, and the arms that stand beside what was asked, each with its tick."""

    name: str
    words: str
    families: tuple[str, ...]
    arms: tuple[tuple[str, str], ...]
    span: int = 1


@dataclass(frozen=True)
class PerturbationPanel:
    """One panel: what was changed, the image, and where its test stands."""

    name: str
    words: str
    picture: Markup
    span: int
    data: tuple[Datum, ...]


@dataclass(frozen=True)
class PerturbedLine:
    """One model under one arm: its accuracy, that of the same items as asked, and how far the two are apart."""

    model: str
    arm: str
    accuracy: Found
    before: Found | None
    change: Found | None


@dataclass(frozen=True)
class PanelRow:
    """The panels of one model, or of all models together."""

    heading: str
    panels: tuple[PerturbationPanel, ...]


@dataclass(frozen=True)
class PanelBlock:
    """One way of asking, with the image or on the words alone: rows of panels."""

    words: str
    rows: tuple[PanelRow, ...]
    figure: Figure | None = None


@dataclass(frozen=True)
class Perturbed:
    """All panels of one benchmark, the marks of its models where they share panels, and the numbers."""

    benchmark: str
    marks: tuple[tuple[str, Markup], ...]
    blocks: tuple[PanelBlock, ...]
    lines: tuple[PerturbedLine, ...]


def perturbed(lookup: Lookup) -> list[Perturbed]:
    """A figure for every benchmark on which something was changed."""
    made = []
    for benchmark, places in lookup.everywhere():
        together = len(places) <= TOGETHER
        rows = [places] if together else [[place] for place in places]
        blocks = [_block(lookup, rows, image) for image in ("kept", "removed")]
        drawn = tuple(_with_figure(lookup, block, places) for block in blocks if block.rows)
        if drawn:
            marks = [(place.model, _dot(lookup, place)) for place in places] if together else []
            made.append(Perturbed(benchmark, tuple(marks), drawn, tuple(_lines(lookup, places))))
    return made


def _dot(lookup: Lookup, place: Place) -> Markup:
    return model_dot(lookup.evidence.place(place.model))


def _with_figure(lookup: Lookup, block: PanelBlock, places: Sequence[Place]) -> PanelBlock:
    """The block, its panels put together as a figure of its own."""
    panels = [
        FigurePanel(
            f"{row.heading}: {each.words}" if row.heading else f"{each.name} {each.words}",
            each.picture,
            HEIGHT,
            COLUMNS if each.span > 1 else 1,
        )
        for row in block.rows
        for each in sorted(row.panels, key=lambda drawn: drawn.span)
    ]
    legend = [] if len(block.rows) > 1 else [Key(_dot(lookup, place), place.model) for place in places]
    benchmark = places[0].benchmark
    about = About(
        ("readiness-perturbed", block.words, benchmark if lookup.evidence.several else ""),
        f"Accuracy as asked and after each change, {block.words.lower()}; {benchmark}",
        "Marks are accuracies, lines are 95% CIs, dashes are blind guessing; the short line at a mark is what the same "
        "items had as asked",
    )
    data = [each for row in block.rows for drawn in row.panels for each in drawn.data]
    figure = lookup.evidence.figures.panels(about, panels, data, legend=legend, columns=COLUMNS)
    return replace(block, figure=figure)


def _changes(lookup: Lookup, benchmark: str, image: str) -> list[Perturbation]:
    """The columns; images are substituted only where there are some."""
    replaced = tuple((baseline(image, DistractorsReplaced(n)).name, f"{n}R") for n in range(1, MOST + 1))
    columns = [
        Perturbation(
            "T3", "options reordered", ("option-order",), ((baseline(image, OptionsShuffled()).name, "reordered"),)
        ),
        Perturbation(
            "T4", "“Unknown” offered", ("unknown-option",), ((baseline(image, UnknownOffered()).name, "Unknown"),)
        ),
        Perturbation("T4", "wrong options replaced", ("distractors",), replaced, span=2),
    ]
    if image == "removed":
        return columns
    other = [arm for arm in lookup.arms(benchmark) if read_label(arm).has(ImageSubstituted)]
    words = ["swapped"] if len(other) == 1 else [f"swap {number}" for number in range(1, len(other) + 1)]
    shown = tuple(zip(other, words, strict=True))
    return [*columns, Perturbation("T5", "image substituted", ("visual-substitution",), shown)]


def _block(lookup: Lookup, rows: Sequence[Sequence[Place]], image: str) -> PanelBlock:
    words = "Image and text" if image == "kept" else "Text only"
    made = []
    for places in rows:
        panels = [
            drawn
            for change in _changes(lookup, places[0].benchmark, image)
            if (drawn := _panel(lookup, places, change, image)) is not None
        ]
        if panels:
            made.append(PanelRow(places[0].model if len(rows) > 1 else "", tuple(panels)))
    return PanelBlock(words, tuple(made))


def _panel(lookup: Lookup, places: Sequence[Place], change: Perturbation, image: str) -> PerturbationPanel | None:
    """The accuracies of these models; None where none of them was asked after the change."""
    arms = [(baseline(image).name, AS_ASKED), *change.arms]
    found = {place: [lookup.find(change.families, place, arm, "accuracy") for arm, _ in arms] for place in places}
    if not any(each for points in found.values() for each in points[1:]):
        return None
    before = {
        place: [lookup.find(change.families, place, arm, "baseline_accuracy") for arm, _ in arms] for place in places
    }
    series = [
        Series(
            place.model,
            _estimates(found[place]),
            _estimates(before[place]),
            lookup.evidence.place(place.model) or 0,
        )
        for place in places
    ]
    ticks = []
    for at, (arm, words) in enumerate(arms):
        counts = [each.estimate.n for points in found.values() if (each := points[at])]
        luck = (chance for place in places if (chance := lookup.chance(place, arm)) is not None)
        ticks.append(Tick(words, f"n {from_to(counts)}" if counts else "", next(luck, None)))
    shown = [each for by in (found, before) for place in places for each in by[place] if each is not None]
    data = tuple(datum(each.finding, each.measure) for each in shown)
    return PerturbationPanel(change.name, change.words, panel(ticks, series, seen=image == "kept"), change.span, data)


def _estimates(found: Sequence[Found | None]) -> tuple[Estimate | None, ...]:
    return tuple(each.estimate if each else None for each in found)


def _lines(lookup: Lookup, places: Sequence[Place]) -> list[PerturbedLine]:
    """Every number of the panels, once."""
    made: dict[tuple[str, str], PerturbedLine] = {}
    for place in places:
        for image in ("kept", "removed"):
            for change in _changes(lookup, place.benchmark, image):
                for arm in (baseline(image).name, *(arm for arm, _ in change.arms)):
                    accuracy = lookup.find(change.families, place, arm, "accuracy")
                    if accuracy is not None and (place.model, arm) not in made:
                        names = ("baseline_accuracy", "difference")
                        held = (lookup.find(change.families, place, arm, name) for name in names)
                        made[place.model, arm] = PerturbedLine(place.model, arm, accuracy, *held)
    return list(made.values())
