"""Mirage score: what is kept without the image, model by benchmark with its means, and what the image adds on top."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from snellen.items import describe_benchmark
from snellen.papers.mirage.tests.score import ABOVE_LUCK, MEAN, SCORE
from snellen.report.components import Cell, Fold, Key, Part, Row, Section, Table, name_columns, quiet
from snellen.report.figures.bars import topped_bar
from snellen.report.figures.drawn import add_figure
from snellen.report.figures.layout import axis_of
from snellen.report.figures.marks import scale
from snellen.report.figures.standalone import About, datum
from snellen.report.lookup import Lookup, Place
from snellen.report.sections.tests import ShownTest, by_benchmark, draw_grids, list_verdicts
from snellen.report.words.numbers import begun
from snellen.scoring.findings import ALL_BENCHMARKS, ALL_MODELS, Finding

KEY = (
    Key("bar blind", "accuracy without the image"),
    Key("bar seen", "what the image adds"),
    Key("outcome wrong", "what it takes away"),
)
LINES = "the upper line is the 95% CI without the image, the lower one with it; the dashed line is blind guessing"


def draw_score(lookup: Lookup, shown: ShownTest) -> Section:
    """The scores with their means, and for each benchmark what the image adds."""
    said = (
        "The mirage score is the accuracy without the image over the accuracy with it, on the items answered both "
        "times, as published. Guessing alone scores something both times and raises it. Below it stands the same with "
        "guessing taken off both, which is below 0 if a model without the image does worse than guessing. A score is "
        "reported without a verdict: it is high because the model does not look, or because the benchmark does not "
        "need it to."
    )
    parts: tuple[Part, ...] = (
        quiet(said),
        draw_matrix(lookup, shown),
        *_draw_added(lookup, shown),
        Fold("Every score in words", (list_verdicts(lookup.evidence, shown.findings),)),
        *draw_grids(lookup.evidence, shown.findings),
    )
    return Section(shown.test.asks, parts, shown.anchor, shown.test.name)


def draw_matrix(lookup: Lookup, shown: ShownTest) -> Table:
    """The scores: models down, benchmarks across, the means at the end of both."""
    spanning = [each for each in lookup.evidence.results.over_all if each.test.name == shown.test.name]
    found = {Place(each.model, each.benchmark): _draw_cell(lookup, each, MEAN) for each in spanning}
    found |= {Place(each.model, each.benchmark): _draw_cell(lookup, each, SCORE) for each in shown.findings}
    names = [*by_benchmark(shown.findings)]
    names += [ALL_BENCHMARKS] if any(place.benchmark == ALL_BENCHMARKS for place in found) else []
    models = [*dict.fromkeys(each.model for each in shown.findings)]
    models += [ALL_MODELS] if any(place.model == ALL_MODELS for place in found) else []
    words = {ALL_MODELS: "mean over models", ALL_BENCHMARKS: "mean over benchmarks", **lookup.short_names}
    rows = tuple(
        Row(Cell(words[model], place=lookup.evidence.place(model)),
            tuple(found.get(Place(model, name), Cell("–")) for name in names), look="total" * (model == ALL_MODELS))
        for model in models
    )  # fmt: skip
    note = (
        "“–” is a score that cannot be: nothing was right with the image, or no more than guessing gets right. "
        "“Or more” leaves out an end that the data cannot bound. A mean is of those that have a score."
    )
    columns = name_columns("model", *(words.get(name) or describe_benchmark(name) for name in names))
    return Table(columns, rows, "Mirage scores", note=note)


def _draw_cell(lookup: Lookup, finding: Finding, name: str) -> Cell:
    """A score, below it the one above guessing, and of a mean how many it is of."""
    blind = finding.test.compared[0].name
    score, above = (lookup.measured(finding, blind, each) for each in (name, ABOVE_LUCK))
    if score is None:
        return Cell("–")
    lines = [above.printed.cell("above guessing", n=False)] if above else []
    if of := score.estimate.method.partition("; of ")[2]:
        lines.append(Cell(n=f"of {of}"))
    return replace(score.printed.cell(), lines=tuple(lines))


def _draw_added(lookup: Lookup, shown: ShownTest) -> Iterator[Table]:
    """For each benchmark, every model's accuracy without the image and what the image adds."""
    evidence = lookup.evidence
    for benchmark, findings in by_benchmark(shown.findings).items():
        rows, data = [], []
        for each in findings:
            blind = each.test.compared[0].name
            without, seen = (lookup.measured(each, arm, "accuracy") for arm in (blind, each.test.baseline.name))
            if without and seen:
                luck, place = lookup.chance(Place(each.model, benchmark), blind), evidence.place(each.model)
                bar = Cell(drawing=topped_bar(without.estimate, seen.estimate, luck, place))
                rows.append(lookup.row(each, bar, Cell(lines=(without.printed.cell("without"),
                                                              seen.printed.cell("with")))))  # fmt: skip
                data += [datum(found.finding, found.measure) for found in (without, seen)]
        if rows:
            caption = f"What the image adds on {describe_benchmark(benchmark)}; {LINES}"
            table = Table(name_columns("model", "drawn", "accuracy, n"), tuple(rows), caption, "drawn", key=KEY)
            about = About(
                (shown.test.name, "accuracy", benchmark if evidence.several else ""),
                f"Accuracy without the image, and what the image adds; {benchmark}", begun(LINES),
            )  # fmt: skip
            axis = axis_of(scale([], "share"), "Accuracy (%)")
            yield add_figure(evidence, table, about, data, axis, row_height=36.0)
