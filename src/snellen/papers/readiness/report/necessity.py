"""T2: the answers without an image, on the questions that need it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from snellen.conditions import IMAGE_REMOVED
from snellen.report.components import Cell, Fold, Key, Part, Section, Table, name_columns, quiet
from snellen.report.figures.bars import Slice, whole_bar
from snellen.report.figures.drawn import add_figure
from snellen.report.figures.layout import FigureAxis
from snellen.report.figures.marks import share_axis
from snellen.report.figures.standalone import About, Datum, datum
from snellen.report.lookup import Lookup, show_found
from snellen.report.sections.comparison import could_show
from snellen.report.sections.tests import by_test_and_benchmark
from snellen.report.words.numbers import figure, from_to
from snellen.scoring.findings import Finding

PARTS = {
    "shortcut_right_rate": ("correct", "right, by a shortcut"),
    "confident_wrong_rate": ("wrong", "wrong, and answered all the same"),
    "silence_rate": ("abstained", "no answer"),
}
"""Kinds of responses without an image; the rest is other."""
OTHER = ("unparsed", "other: unreadable, cut off, image too poor")
KEY = tuple(Key(f"outcome {look}", words) for look, words in (*PARTS.values(), OTHER))


def draw_necessity(lookup: Lookup) -> list[Section]:
    """A plot for every benchmark and every choice of questions."""
    parts: list[Part] = []
    for _, findings in by_test_and_benchmark(lookup.of_family("visual-necessity")):
        if asked := [each for each in findings if all(each.measure(IMAGE_REMOVED.name, name) for name in PARTS)]:
            parts += _draw_benchmark(lookup, asked)
    return [Section("T2: no image, on the questions that need it", tuple(parts), "readiness-necessity")] * bool(parts)


def _draw_benchmark(lookup: Lookup, findings: Sequence[Finding]) -> list[Part]:
    rows, numbers, shown, above_chance, guessing = [], [], [], [], []
    for each in findings:
        found = [part for name in PARTS if (part := lookup.measured(each, IMAGE_REMOVED.name, name))]
        above, right = (lookup.measured(each, IMAGE_REMOVED.name, name) for name in ("blind_above_chance", "accuracy"))
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
    first, on = findings[0], lookup.on(findings[0].benchmark)
    about = About(
        (first.test.name, "answers-without-image", first.benchmark if on else ""),
        f"What becomes of the answers without the image, on the items that need it; {first.benchmark}",
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
