"""T2: the answers without an image, on the questions that need it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from snellen.conditions import IMAGE_REMOVED
from snellen.report.components import Cell, Column, Fold, Key, Note, Part, Row, Section, Table
from snellen.report.figures.bars import Slice, whole_bar
from snellen.report.figures.layout import FigureAxis, FigureKey, FigureRow
from snellen.report.figures.marks import axis_words, share_axis, swatch
from snellen.report.figures.standalone import About, Datum, Figure, datum
from snellen.report.lookup import Found, Lookup, show_found
from snellen.report.sections.comparison import could_show
from snellen.report.sections.headline import short_names
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
BY_CHANCE = "blind_above_chance"
LEGEND = (*PARTS.values(), OTHER)


class Blindly(NamedTuple):
    """The answers of one model: its finding, the numbers of their parts, the rest, and how far it is above luck."""

    finding: Finding
    parts: tuple[Found, ...]
    rest: float
    above: Found | None
    luck: float | None

    def draw(self) -> list[Slice]:
        """The bar of its answers; the mark is where right answers would end by luck."""
        slices = [Slice(*look, each.estimate.value) for look, each in zip(PARTS.values(), self.parts, strict=True)]
        return [*slices, Slice(*OTHER, self.rest)]


def draw_necessity(lookup: Lookup) -> Iterator[Section]:
    """A plot for every benchmark and every choice of questions."""
    parts: list[Part] = []
    for _, findings in by_test_and_benchmark(lookup.of_family("visual-necessity")):
        lines = [_measure(lookup, each) for each in findings if _has_parts(each)]
        if lines:
            parts += _draw_benchmark(lookup, lines)
    if parts:
        yield Section("T2: no image, on the questions that need it", tuple(parts), "readiness-necessity")


def _has_parts(finding: Finding) -> bool:
    return all(finding.measure(IMAGE_REMOVED.name, name) is not None for name in PARTS)


def _measure(lookup: Lookup, finding: Finding) -> Blindly:
    found = {name: finding.measure(IMAGE_REMOVED.name, name) for name in (*PARTS, BY_CHANCE, "accuracy")}
    there = {name: lookup.printed(finding, measure) for name, measure in found.items() if measure is not None}
    rest = max(0.0, 1 - sum(there[name].estimate.value for name in PARTS))
    above, right = there.get(BY_CHANCE), there.get("accuracy")
    luck = right.estimate.value - above.estimate.value if above and right else None
    return Blindly(finding, tuple(there[name] for name in PARTS), rest if rest > 1e-9 else 0.0, above, luck)


def _draw_benchmark(lookup: Lookup, lines: Sequence[Blindly]) -> Iterator[Part]:
    evidence, names = lookup.evidence, short_names(lookup.evidence.results)
    on = f" on {lines[0].finding.benchmark}" if evidence.several else ""
    questions = from_to([each.estimate.n for line in lines for each in line.parts])
    yield Note(
        f"{questions} questions{on}, chosen by {lines[0].parts[0].measure.subset}. The dashed mark is where right "
        "answers would end by chance alone, given how many a model answered. A model that needs the image is left "
        "with no answer and with chance.",
        look="quiet",
    )
    rows, numbers = [], []
    for line in lines:
        model, above = line.finding.model, line.above
        head = Cell(names[model], place=evidence.place(model))
        notes = ", ".join(filter(None, (*(above.printed.notes if above else ()), could_show(above))))
        cells = Cell(drawing=whole_bar(line.draw(), line.luck)), replace(show_found(above, "above chance"), note=notes)
        rows.append(Row(head, cells, model, line.finding.benchmark))
        each_part = (*map(show_found, line.parts), Cell(figure(line.rest, "share")))
        numbers.append(Row(Cell(names[model]), each_part, model, line.finding.benchmark))
    yield Table(
        (Column("model"), Column("answers"), Column("right answers above chance")), tuple(rows),
        f"Answers without the image{on}", "drawn", figure=_draw_figure(lookup, lines),
        axis=share_axis() + axis_words("Responses (%)"), key=tuple(Key(f"outcome {look}", words) for look, words in
                                                                   LEGEND),
    )  # fmt: skip
    columns = (Column("model"), *(Column(words) for _, words in LEGEND))
    yield Fold("Each part in numbers", (Table(columns, tuple(numbers)),))


def _draw_figure(lookup: Lookup, lines: Sequence[Blindly]) -> Figure:
    evidence = lookup.evidence
    rows = [
        FigureRow(line.finding.model, whole_bar(line.draw(), line.luck), (), f"n {line.parts[0].printed.n}",
                  evidence.place(line.finding.model))
        for line in lines
    ]  # fmt: skip
    shown = [*(each for line in lines for each in line.parts), *(line.above for line in lines if line.above)]
    data = [datum(each.finding, each.measure) for each in shown]
    data += [Datum("guessing", line.luck, model=line.finding.model, benchmark=line.finding.benchmark)
             for line in lines if line.luck is not None]  # fmt: skip
    first = lines[0].finding
    about = About(
        (first.test.name, "answers-without-image", first.benchmark if evidence.several else ""),
        f"What becomes of the answers without the image, on the items that need it; {first.benchmark}",
        "The dashed mark is where right answers would end by chance alone",
    )
    legend = [FigureKey(swatch(f"outcome {look}"), words) for look, words in LEGEND]
    axis = FigureAxis(share_axis(), "Responses (%)")
    return evidence.figures.rows(about, rows, data, axis, legend=legend, row_height=32.0)
