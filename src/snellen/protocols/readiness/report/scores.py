"""The robustness score R beside sight, honesty and steadiness; no column ranks the models."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from snellen.conditions.labels import arm_effects
from snellen.protocols.readiness.tests.fragility import TESTS
from snellen.protocols.readiness.tests.grounded_reading import ARM as READING
from snellen.protocols.readiness.tests.grounded_reading import HONESTY, KINDS, SIGHT, STEADINESS
from snellen.protocols.readiness.tests.robustness import ARM as SCORE
from snellen.protocols.readiness.tests.robustness import BEYOND, FRAGILITIES, PARTIAL, WHOLE
from snellen.report.components import Cell, Column, Fold, Note, Part, Row, Section, Table, rich
from snellen.report.figures.bars import sliver
from snellen.report.figures.layout import FigureRow, axis_of
from snellen.report.figures.marks import scale
from snellen.report.figures.standalone import About, Figure, datum
from snellen.report.lookup import Found, Lookup, family
from snellen.report.sections.headline import short_names
from snellen.report.sections.tests import ShownTest, by_benchmark
from snellen.report.words.numbers import figure
from snellen.scoring.findings import ALL_BENCHMARKS, Finding
from snellen.stress.base import Measure, Status
from snellen.stress.conclusions import TOLERATED, percent
from snellen.stress.taxonomy import unseen

_ONLY_SOME = re.compile(r"; of ((?:T\d)(?:, T\d)*) only$")
COLUMNS = (SIGHT, HONESTY, STEADINESS)
"""What stands before R: the grounded reading."""
RANKS_NOTHING = (
    "It is the mean of 1 − f over five fragilities, as published. But f1 punishes a model for needing the image, which "
    "is what it is there for; a model that refuses nearly always has little to lose and scores well; and what a model "
    "says of an image that was not sent is not in it. Read it after sight gain, honesty and steadiness, which neither "
    "refusing nor not looking can raise. Models stand in the order of the study. Scores on different questions do not "
    "compare."
)


class ScoredModel(NamedTuple):
    """One model: its finding, R, the tests that R is of if not of all, and the fragilities that R is made of."""

    finding: Finding
    score: Found | None
    """None if no question has a readable answer: R is not applicable."""
    of_tests: str
    parts: tuple[Found | None, ...]


def draw_scores(lookup: Lookup, sections: Sequence[ShownTest]) -> Iterator[Section]:
    """The tables of every score of robustness that the study has."""
    over_all = [each for each in lookup.evidence.results.over_all if family(each) == "robustness"]
    shown = [each for each in sections if family(each.findings[0]) == "robustness"]
    for each in shown:
        spanning = [one for one in over_all if one.test.name == each.test.name]
        apart = by_benchmark([*(one for one in each.findings if one.measures), *spanning])
        parts = [part for findings in apart.values() for part in _draw_benchmark(lookup, findings)]
        yield Section(
            "Sight, honesty, steadiness, and R",
            (
                Note(RANKS_NOTHING, "R is one column and ranks nothing.", "warning"),
                *(parts or [Note("Too little was asked for any part of the score.", look="quiet")]),
                Note(
                    rich(
                        "The scores of the paper's own five models, recomputed from its tables: "
                        "`snellen published readiness`. They are of other questions and have no interval."
                    ),
                    look="quiet",
                ),
            ),
            each.anchor,
            each.test.name if len(shown) > 1 else "",
        )


def _draw_benchmark(lookup: Lookup, findings: Sequence[Finding]) -> Iterator[Part]:
    order = {model: place for place, model in enumerate(lookup.models)}
    lines = [_measure(lookup, each) for each in sorted(findings, key=lambda each: order.get(each.model, len(order)))]
    yield from (Note(sentence, look="warning") for sentence in list_objections(lookup, lines))
    chosen = next((line.score.measure.subset for line in lines if line.score), "")
    if chosen:
        of = "Sight gain, honesty, steadiness and f2 to f4 are about the questions that need the image, chosen by"
        yield Note(f"{of} {chosen}.", look="quiet")
    on = f" on {findings[0].benchmark}" if lookup.evidence.several else ""
    yield _draw_table(lookup, lines, on)
    if any(line.of_tests for line in lines):
        yield Note(
            "A score of some of the tests only does not compare with a whole score, nor with one of other tests.",
            look="quiet",
        )
    yield Fold(f"The five fragilities that R is made of{on}", (_draw_fragilities(lookup, lines),))


def _measure(lookup: Lookup, finding: Finding) -> ScoredModel:
    whole, partial = (finding.measure(SCORE, name) for name in (WHOLE, PARTIAL))
    score = whole or partial
    some = _ONLY_SOME.search(partial.estimate.method) if partial else None
    parts = (finding.measure(SCORE, name) for name in FRAGILITIES)
    return ScoredModel(
        finding,
        lookup.printed(finding, score) if score else None,
        (some[1] if some else "some tests") if score is not None and score is partial else "",
        tuple(lookup.printed(finding, part) if part else None for part in parts),
    )


def _draw_table(lookup: Lookup, lines: Sequence[ScoredModel], on: str) -> Table:
    names, rows = short_names(lookup.evidence.results), []
    for line in lines:
        cells = (_stack(*_list_readings(lookup, line.finding, name)) for name in COLUMNS)
        rows.append(Row(Cell(names[line.finding.model]), (*cells, _draw_score(lookup, line)), line.finding.model,
                        line.finding.benchmark))  # fmt: skip
    columns = (*(Column(f"{KINDS[name].words}, of 100") for name in COLUMNS), Column("R, 0 to 1"))
    return Table((Column("model"), *columns), tuple(rows), f"The grounded reading, and R{on}")


def _stack(*cells: Cell) -> Cell:
    """Some numbers in one place."""
    return Cell(lines=cells) if len(cells) > 1 else cells[0] if cells else Cell("not measured")


def _list_readings(lookup: Lookup, finding: Finding, name: str) -> Iterator[Cell]:
    """A number of the grounded reading with the same choice of questions; over all benchmarks, that of each."""
    for each, found in _find_readings(lookup, finding, name):
        yield found.printed.cell("" if each.benchmark == finding.benchmark else each.benchmark, notes=True)


def _find_readings(lookup: Lookup, finding: Finding, name: str) -> Iterator[tuple[Finding, Found]]:
    chosen = finding.test.name.partition(":")[2]
    for each in _list_findings(lookup, finding, "grounded-reading"):
        measure = each.measure(READING, name)
        if measure is not None and each.test.name.partition(":")[2] == chosen:
            yield each, lookup.printed(each, measure)


def _draw_score(lookup: Lookup, line: ScoredModel) -> Cell:
    """R with its n and the tests it is of, and R without what repeats alone take from it."""
    if line.score is None:
        return Cell("not applicable: no readable answer")
    cell, only = line.score.printed.cell(), f", of {line.of_tests} only" if line.of_tests else ""
    lines = [replace(cell, n=f"{cell.n}{only}")]
    if (beyond := line.finding.measure(SCORE, BEYOND)) is not None:
        words = "without what repeats alone take"
        lines.append(lookup.printed(line.finding, beyond).printed.cell(words, n=False))
    return _stack(*lines)


def _draw_fragilities(lookup: Lookup, lines: Sequence[ScoredModel]) -> Table:
    names, evidence, rows = short_names(lookup.evidence.results), lookup.evidence, []
    for line in lines:
        at = evidence.place(line.finding.model)
        cells = (
            Cell(drawing=sliver(part.estimate, at), lines=(part.printed.cell(),)) if part else Cell("not measured")
            for part in line.parts
        )
        rows.append(Row(Cell(names[line.finding.model]), tuple(cells), line.finding.model, line.finding.benchmark))
    columns = (Column(test, kind.words) for test, kind in zip(TESTS, FRAGILITIES.values(), strict=True))
    shown = [(line, part) for line in lines for part in line.parts if part is not None]
    figure = _draw_figure(lookup, shown) if shown else None
    return Table((Column("model"), *columns), tuple(rows), "Bars are estimates, lines are 95% intervals", figure=figure)


def _draw_figure(lookup: Lookup, shown: Sequence[tuple[ScoredModel, Found]]) -> Figure:
    """Every fragility of every model as a figure of its own."""
    rows, before, evidence = [], "", lookup.evidence
    for line, part in shown:
        model, printed = line.finding.model, part.printed
        drawn = sliver(part.estimate, evidence.place(model))
        heading = model if model != before else ""
        rows.append(FigureRow(part.measure.kind.words, drawn, (printed.said,), f"n {printed.n}", None, heading))
        before = model
    finding = shown[0][1].finding
    about = About(
        (finding.test.name, "fragilities", finding.benchmark if evidence.several else ""),
        f"The five fragilities that the robustness score R is made of; {finding.benchmark}",
        "Bars are estimates, lines are 95% CIs",
    )
    data = [datum(part.finding, part.measure) for _, part in shown]
    return evidence.figures.rows(about, rows, data, axis_of(scale([], "score"), "Fragility (0 to 1)"), row_height=13.0)


def _list_findings(lookup: Lookup, finding: Finding, of_family: str) -> list[Finding]:
    """The findings of a family of tests about the same model, on the same benchmark or on all."""
    return [
        each
        for each in lookup.evidence.results.own_findings
        if family(each) == of_family
        and each.model == finding.model
        and finding.benchmark in (each.benchmark, ALL_BENCHMARKS)
    ]


def list_objections(lookup: Lookup, lines: Sequence[ScoredModel]) -> Iterator[str]:
    """A sentence for each model that R alone would put first though it invents findings or is not shown to look."""
    whole = [(line, line.score) for line in lines if line.score and not line.of_tests]
    if len(whole) < 2:
        return
    names = short_names(lookup.evidence.results)
    highest = max(score.estimate.value for _, score in whole)
    for line, score in (each for each in whole if each[1].estimate.value == highest):
        why = [*_say_invents(lookup, line.finding), *_say_does_not_look(lookup, line.finding)]
        if why:
            value, model = figure(highest, score.measure.kind.unit), names[line.finding.model]
            yield f"By R alone, {model} would stand first ({value}); {', and '.join(why)}."


def _say_invents(lookup: Lookup, finding: Finding) -> Iterator[str]:
    found: list[Measure] = [
        measure
        for each in _list_findings(lookup, finding, "rationale")
        for measure in each.measures
        if measure.name == "described_rate" and unseen(measure.arm) and measure.estimate.low > TOLERATED
    ]
    if found:
        worst = max(found, key=lambda each: each.estimate.value)
        shown = "to a blank image" if arm_effects(worst.arm).sends_image else "without an image"
        yield f"it describes findings in {percent(worst.estimate.value)} of the responses {shown}"


def _say_does_not_look(lookup: Lookup, finding: Finding) -> Iterator[str]:
    marks = _list_findings(lookup, finding, "follows")
    failed = [each.verdict.meaning for each in marks if each.verdict.status is Status.FAIL]
    sights = [found for _, found in _find_readings(lookup, finding, SIGHT)]
    if failed:
        yield f"it {failed[0]}"
    elif sights and all(each.estimate.low <= 0 for each in sights):
        gains = ", ".join(each.printed.said for each in sights)
        yield f"it is not shown to use the image: sight gain {gains}"
