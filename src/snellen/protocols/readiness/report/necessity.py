"""T2: what becomes of the answers without an image, on the items that nobody could answer without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from snellen.conditions import IMAGE_REMOVED
from snellen.report.figures.bars import Slice, whole_bar
from snellen.report.figures.layout import FigureAxis, FigureRow, Key
from snellen.report.figures.marks import share_axis, swatch
from snellen.report.figures.standalone import About, Datum, Figure, datum
from snellen.report.lookup import Found, Lookup
from snellen.report.sections.comparison import could_show
from snellen.report.sections.tests import by_benchmark
from snellen.report.words import numbers as wording
from snellen.scoring.findings import Finding

PARTS = {
    "shortcut_right_rate": ("correct", "right, by a shortcut"),
    "confident_wrong_rate": ("wrong", "wrong, and said all the same"),
    "silence_rate": ("abstained", "silent"),
}
"""What an answer without an image can be; the rest is other."""
OTHER = Slice("unparsed", "other", 0.0)
BY_CHANCE = "blind_above_chance"
LEGEND = (*PARTS.values(), (OTHER.look, "other: unreadable, cut off, image too poor"))


@dataclass(frozen=True)
class Blindly:
    """One model: the bar of its answers, their numbers, and how far it is above luck."""

    model: str
    picture: Markup
    numbers: tuple[tuple[str, Found], ...]
    other: str
    above: Found | None
    could_show: str
    luck: float | None = None


@dataclass(frozen=True)
class Necessity:
    """One choice of items on one benchmark: how they were chosen, how many there are, and every model."""

    benchmark: str
    test: str
    items: str
    chosen_by: str
    lines: tuple[Blindly, ...]
    figure: Figure


def necessity(lookup: Lookup) -> list[Necessity]:
    """A part for every benchmark and every choice of items."""
    made = []
    for benchmark, findings in by_benchmark(lookup.of_family("visual-necessity")).items():
        for test in dict.fromkeys(each.test.name for each in findings):
            lines = [_line(lookup, each) for each in findings if each.test.name == test and _answered(each)]
            if lines:
                first = next(found for line in lines for _, found in line.numbers)
                counts = [found.estimate.n for line in lines for _, found in line.numbers]
                items = wording.from_to(counts)
                subset = first.measure.subset
                made.append(Necessity(benchmark, test, items, subset, tuple(lines), _figure(lookup, test, lines)))
    return made


def _figure(lookup: Lookup, test: str, lines: Sequence[Blindly]) -> Figure:
    evidence = lookup.evidence
    rows = [
        FigureRow(line.model, line.picture, (), f"n {line.numbers[0][1].printed.n}", evidence.place(line.model))
        for line in lines
    ]
    shown = [each for line in lines for _, each in line.numbers] + [line.above for line in lines if line.above]
    data = [datum(each.finding, each.measure) for each in shown]
    data += [
        Datum("guessing", line.luck, model=line.model, benchmark=data[0].benchmark)
        for line in lines
        if line.luck is not None
    ]
    benchmark = data[0].benchmark
    about = About(
        (test, "answers-without-image", benchmark if evidence.several else ""),
        f"What becomes of the answers without the image, on the items that need it; {benchmark}",
        "The dashed mark is where right answers would end by chance alone",
    )
    legend = [Key(swatch(f"outcome {look}"), words) for look, words in LEGEND]
    return evidence.figures.rows(
        about, rows, data, FigureAxis(share_axis(), "Responses (%)"), legend=legend, row_height=32.0
    )


def _answered(finding: Finding) -> bool:
    return all(finding.measure(IMAGE_REMOVED.name, name) is not None for name in PARTS)


def _line(lookup: Lookup, finding: Finding) -> Blindly:
    arm = IMAGE_REMOVED.name
    found = {name: finding.measure(arm, name) for name in (*PARTS, BY_CHANCE, "accuracy")}
    there = {name: lookup.printed(finding, measure) for name, measure in found.items() if measure is not None}
    slices = [Slice(*PARTS[name], there[name].estimate.value) for name in PARTS]
    rest = max(0.0, 1 - sum(each.share for each in slices))
    above = there.get(BY_CHANCE)
    luck = there["accuracy"].estimate.value - above.estimate.value if above and "accuracy" in there else None
    return Blindly(
        model=finding.model,
        picture=whole_bar([*slices, OTHER._replace(share=rest if rest > 1e-9 else 0.0)], luck),
        numbers=tuple((PARTS[name][1], there[name]) for name in PARTS),
        other=wording.figure(rest if rest > 1e-9 else 0.0, "share"),
        above=above,
        could_show=could_show(above),
        luck=luck,
    )
