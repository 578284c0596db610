"""The robustness score R beside sight, honesty and steadiness: one table, in which no column ranks the models."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from snellen.conditions.labels import arm_effects
from snellen.protocols.readiness.tests.fragility import TESTS
from snellen.protocols.readiness.tests.grounded_reading import ARM as READING
from snellen.protocols.readiness.tests.grounded_reading import HONESTY, KINDS, SIGHT, STEADINESS
from snellen.protocols.readiness.tests.robustness import ARM as SCORE
from snellen.protocols.readiness.tests.robustness import BEYOND, FRAGILITIES, PARTIAL, WHOLE
from snellen.report.figures.bars import sliver
from snellen.report.figures.layout import FigureRow, axis_of
from snellen.report.figures.marks import scale
from snellen.report.figures.standalone import About, Figure, datum
from snellen.report.lookup import Found, Lookup, family
from snellen.report.sections.tests import ShownTest, by_benchmark
from snellen.report.words.numbers import figure
from snellen.scoring.findings import ALL_BENCHMARKS, Finding
from snellen.stress.base import Measure, Status
from snellen.stress.conclusions import TOLERATED, percent
from snellen.stress.taxonomy import unseen

_ONLY_SOME = re.compile(r"; of ((?:T\d)(?:, T\d)*) only$")
COLUMNS = (SIGHT, HONESTY, STEADINESS)
"""What stands before R: the grounded reading."""


class Fragility(NamedTuple):
    """One of the five, with its bar."""

    found: Found
    picture: Markup


class ReadOn(NamedTuple):
    """A number of the grounded reading, and the benchmark that it is of where the row is of several."""

    benchmark: str
    found: Found


@dataclass(frozen=True)
class ScoreLine:
    """One model: sight, honesty and steadiness, then R, the tests that R is of if not of all, and its fragilities."""

    model: str
    benchmark: str
    reading: tuple[tuple[ReadOn, ...], ...]
    score: Found | None
    """None where no question has a readable answer: R is not applicable."""
    beyond: Found | None
    """R without what repeats alone take from it; None if not every condition was repeated."""
    of_tests: str
    parts: tuple[Fragility | None, ...]


@dataclass(frozen=True)
class ScoreTable:
    """The models of one benchmark, or of all at once, in the order of the study."""

    benchmark: str
    chosen_by: str
    lines: tuple[ScoreLine, ...]
    figure: Figure | None
    """The fragilities of all models as a figure of its own."""
    by_score_alone: tuple[str, ...]
    """What would be wrong with a ranking by R, by name; empty where nothing speaks against the first."""

    @property
    def partial(self) -> bool:
        """Whether some scores are of some tests only."""
        return any(line.of_tests for line in self.lines)


@dataclass(frozen=True)
class Scores:
    """All tables of one score, and where the page leads to for it."""

    test: str
    anchor: str
    tests: tuple[tuple[str, str], ...]
    tables: tuple[ScoreTable, ...]
    columns: tuple[str, ...] = tuple(KINDS[name].words for name in COLUMNS)


def scores(lookup: Lookup, sections: Sequence[ShownTest]) -> list[Scores]:
    """The tables of every score of robustness that the study has."""
    over_all = [each for each in lookup.evidence.results.over_all if family(each) == "robustness"]
    made = []
    for section in (each for each in sections if family(each.findings[0]) == "robustness"):
        spanning = [each for each in over_all if each.test.name == section.test.name]
        apart = by_benchmark([*(each for each in section.findings if each.measures), *spanning])
        tables = (_table(lookup, findings) for findings in apart.values())
        columns = tuple((test, kind.words) for test, kind in zip(TESTS, FRAGILITIES.values(), strict=True))
        made.append(Scores(section.test.name, section.anchor, columns, tuple(each for each in tables if each.lines)))
    return made


def _table(lookup: Lookup, findings: Sequence[Finding]) -> ScoreTable:
    order = {model: place for place, model in enumerate(lookup.models)}
    lines = [_line(lookup, each) for each in sorted(findings, key=lambda each: order.get(each.model, len(order)))]
    return ScoreTable(
        benchmark=findings[0].benchmark,
        chosen_by=next((line.score.measure.subset for line in lines if line.score), ""),
        lines=tuple(lines),
        figure=_figure(lookup, lines),
        by_score_alone=tuple(_against_the_first(lookup, lines)),
    )


def _figure(lookup: Lookup, lines: Sequence[ScoreLine]) -> Figure | None:
    """Every fragility of every model; None where none was measured."""
    parts = [(line.model, part) for line in lines for part in line.parts if part is not None]
    if not parts:
        return None
    rows, before = [], ""
    for model, part in parts:
        printed = part.found.printed
        words = part.found.measure.kind.words
        rows.append(FigureRow(words, part.picture, (printed.said,), f"n {printed.n}", None, model * (model != before)))
        before = model
    finding = parts[0][1].found.finding
    about = About(
        (finding.test.name, "fragilities", finding.benchmark if lookup.evidence.several else ""),
        f"The five fragilities that the robustness score R is made of; {finding.benchmark}",
        "Bars are estimates, lines are 95% CIs",
    )
    data = [datum(part.found.finding, part.found.measure) for _, part in parts]
    axis = axis_of(scale([], "score"), "Fragility (0 to 1)")
    return lookup.evidence.figures.rows(about, rows, data, axis, row_height=13.0)


def _line(lookup: Lookup, finding: Finding) -> ScoreLine:
    whole, partial, beyond = (finding.measure(SCORE, name) for name in (WHOLE, PARTIAL, BEYOND))
    score = whole or partial
    some = _ONLY_SOME.search(partial.estimate.method) if partial else None
    parts = (finding.measure(SCORE, name) for name in FRAGILITIES)
    return ScoreLine(
        model=finding.model,
        benchmark=finding.benchmark,
        reading=tuple(tuple(_read(lookup, finding, name)) for name in COLUMNS),
        score=lookup.printed(finding, score) if score else None,
        beyond=lookup.printed(finding, beyond) if beyond else None,
        of_tests=(some[1] if some else "some tests") if score is not None and score is partial else "",
        parts=tuple(
            None
            if part is None
            else Fragility(lookup.printed(finding, part), sliver(part.estimate, lookup.evidence.place(finding.model)))
            for part in parts
        ),
    )


def _read(lookup: Lookup, finding: Finding, name: str) -> Iterator[ReadOn]:
    """A number of the grounded reading with the same choice of items; over all benchmarks, that of each."""
    chosen = finding.test.name.partition(":")[2]
    for each in _of_model(lookup, finding.model, finding.benchmark, "grounded-reading"):
        measure = each.measure(READING, name)
        if measure is not None and each.test.name.partition(":")[2] == chosen:
            yield ReadOn("" if finding.benchmark == each.benchmark else each.benchmark, lookup.printed(each, measure))


def _of_model(lookup: Lookup, model: str, benchmark: str, of_family: str) -> list[Finding]:
    """What a family of tests found of a model on a benchmark, or on all."""
    return [
        each
        for each in lookup.evidence.results.own_findings
        if family(each) == of_family and each.model == model and benchmark in (each.benchmark, ALL_BENCHMARKS)
    ]


def _against_the_first(lookup: Lookup, lines: Sequence[ScoreLine]) -> Iterator[str]:
    """A sentence for each model that R alone would put first though it invents findings or is not shown to look."""
    whole = [(line, line.score) for line in lines if line.score and not line.of_tests]
    if len(whole) < 2:
        return
    highest = max(score.estimate.value for _, score in whole)
    for line, score in (each for each in whole if each[1].estimate.value == highest):
        why = [*_invents(lookup, line), *_does_not_look(lookup, line)]
        if why:
            value = figure(highest, score.measure.kind.unit)
            yield f"By R alone, {line.model} would stand first ({value}); {', and '.join(why)}."


def _invents(lookup: Lookup, line: ScoreLine) -> Iterator[str]:
    found: list[Measure] = [
        measure
        for each in _of_model(lookup, line.model, line.benchmark, "rationale")
        for measure in each.measures
        if measure.name == "described_rate" and unseen(measure.arm) and measure.estimate.low > TOLERATED
    ]
    if found:
        worst = max(found, key=lambda each: each.estimate.value)
        shown = "to a blank image" if arm_effects(worst.arm).sends_image else "without an image"
        yield f"it describes findings in {percent(worst.estimate.value)} of the responses {shown}"


def _does_not_look(lookup: Lookup, line: ScoreLine) -> Iterator[str]:
    marks = _of_model(lookup, line.model, line.benchmark, "follows")
    failed = [each.verdict.meaning for each in marks if each.verdict.status is Status.FAIL]
    sights = [each.found for each in line.reading[0]]
    if failed:
        yield f"it {failed[0]}"
    elif sights and all(each.estimate.low <= 0 for each in sights):
        gains = ", ".join(f"{each.printed.value} [{each.printed.interval}]" for each in sights)
        yield f"it is not shown to use the image (sight gain {gains})"
