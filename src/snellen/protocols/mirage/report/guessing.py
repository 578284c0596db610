"""Guess mode against mirage mode: without the image, untold and told to guess, category by category."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from snellen.prompts import NAMED, UNNAMED, Arm
from snellen.report.figures.dumbbells import dumbbell, key
from snellen.report.figures.layout import FigureRow, Key, axis_of
from snellen.report.figures.marks import scale, titled_axis
from snellen.report.figures.standalone import About, Figure, datum
from snellen.report.lookup import Found, Lookup
from snellen.report.sections.comparison import Comparison, Ways, compared
from snellen.report.sections.tests import by_test_and_benchmark
from snellen.scoring.findings import Finding
from snellen.stress.base import baseline

WORDS = ("not named", "named")
LOOKS = {"removed": ("blind", "plain"), "kept": ("plain", "seen")}
SHOWN = {"removed": "No image was sent.", "kept": "The image was there."}


@dataclass(frozen=True)
class Naming:
    """One benchmark: whether the image was there, how the two bars look, and every model."""

    shown: str
    looks: tuple[str, str]
    comparison: Comparison


def naming(lookup: Lookup) -> list[Naming]:
    """A part for every benchmark and way of asking."""
    made = []
    for image, looks in LOOKS.items():
        condition = baseline(image).condition
        arms = Arm(condition, rewording=UNNAMED).name, Arm(condition, rewording=NAMED).name
        found = compared(lookup, Ways(("dataset-name",), arms, WORDS, looks))
        made += [Naming(SHOWN[image], looks, each) for each in found]
    return made


OPEN = 40
"""More rows than this are folded."""


@dataclass(frozen=True)
class ModePair:
    """Some items asked in both modes: both accuracies as a image, and the paired difference."""

    label: str
    picture: Markup
    untold: Found
    told: Found
    change: Found


@dataclass(frozen=True)
class GuessingOfModel:
    """One model: all items, every category, and in how many of these guessing scores more, less, or the same."""

    model: str
    whole: ModePair
    categories: tuple[ModePair, ...]
    more: int
    less: int
    same: int
    figure: Figure


@dataclass(frozen=True)
class Guessing:
    """One benchmark, all models over one axis."""

    benchmark: str
    models: tuple[GuessingOfModel, ...]
    axis: Markup

    @property
    def short(self) -> bool:
        """Whether all of it can be in sight at once."""
        return sum(1 + len(each.categories) for each in self.models) <= OPEN


def guessing(lookup: Lookup) -> list[Guessing]:
    """A part for every benchmark on which both modes were asked."""
    made = []
    for benchmark, findings in by_test_and_benchmark(lookup.of_family("guess-mode")):
        models = tuple(each for finding in findings if (each := _of_model(lookup, finding)) is not None)
        if models:
            made.append(Guessing(benchmark, models, titled_axis(scale([], "share"), "Accuracy (%)")))
    return made


def _of_model(lookup: Lookup, finding: Finding) -> GuessingOfModel | None:
    whole = _pair(lookup, finding, "all items")
    if whole is None:
        return None
    pairs = tuple(_categories(lookup, finding))
    values = [pair.change.estimate.value for pair in pairs]
    return GuessingOfModel(
        model=finding.model,
        whole=whole,
        categories=pairs,
        more=sum(value > 0 for value in values),
        less=sum(value < 0 for value in values),
        same=sum(value == 0 for value in values),
        figure=_figure(lookup, finding, (whole, *pairs)),
    )


def _figure(lookup: Lookup, finding: Finding, pairs: Sequence[ModePair]) -> Figure:
    evidence = lookup.evidence
    rows = [
        FigureRow(pair.label, pair.picture, (pair.change.printed.said,),
                  f"n {pair.change.printed.n}")
        for pair in pairs
    ]  # fmt: skip
    data = [datum(each.finding, each.measure) for pair in pairs for each in (pair.untold, pair.told, pair.change)]
    about = About(
        (finding.test.name, "accuracy", finding.model, finding.benchmark if evidence.several else ""),
        f"Accuracy without the image, untold and told to guess; {finding.model}, {finding.benchmark}",
        "Beside the marks: the change from untold to told with its 95% CI",
    )
    legend = [Key(key(0), "mirage mode: untold"), Key(key(1), "guess mode: told")]
    return evidence.figures.rows(about, rows, data, axis_of(scale([], "share"), "Accuracy (%)"), legend=legend)


def _categories(lookup: Lookup, finding: Finding) -> Iterator[ModePair]:
    for label, each in lookup.categories(finding).items():
        pair = _pair(lookup, each, label)
        if pair is not None:
            yield pair


def _pair(lookup: Lookup, finding: Finding, label: str) -> ModePair | None:
    """Both modes on some items; None where either was not answered."""
    arms = finding.test.baseline.name, finding.test.compared[0].name
    untold, told = (finding.measure(arm, "accuracy") for arm in arms)
    change = finding.measure(arms[1], "difference")
    if untold is None or told is None or change is None:
        return None
    found = [lookup.printed(finding, each) for each in (untold, told, change)]
    place = lookup.evidence.place(finding.model)
    return ModePair(label, dumbbell(untold.estimate, told.estimate, place), *found)
