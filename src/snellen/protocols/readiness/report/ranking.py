"""The robustness score R of every model with its five fragilities, the highest first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from snellen.protocols.readiness.tests.fragility import TESTS
from snellen.protocols.readiness.tests.robustness import ARM as SCORE
from snellen.protocols.readiness.tests.robustness import FRAGILITIES, PARTIAL, WHOLE
from snellen.report.figures.bars import sliver
from snellen.report.figures.layout import FigureRow, axis_of
from snellen.report.figures.marks import forest_mark, scale, titled_axis
from snellen.report.figures.standalone import About, Figure, datum
from snellen.report.lookup import Found, Lookup, family
from snellen.report.sections.tests import Section, by_benchmark
from snellen.scoring.findings import Finding

_ONLY_SOME = re.compile(r"; of ((?:T\d)(?:, T\d)*) only$")


class Fragility(NamedTuple):
    """One of the five, with its bar."""

    found: Found
    picture: Markup


@dataclass(frozen=True)
class Ranked:
    """One model: its score, the tests that it is of where those are not all, and its fragilities."""

    model: str
    score: Found
    picture: Markup
    of_tests: str
    parts: tuple[Fragility | None, ...]


@dataclass(frozen=True)
class Ranking:
    """The models of one benchmark, or of all at once, the highest score first; partial scores are not ranked."""

    benchmark: str
    chosen_by: str
    whole: tuple[Ranked, ...]
    partial: tuple[Ranked, ...]
    axis: Markup
    figures: tuple[Figure, ...] = ()
    """The score, and its fragilities, as figures of their own."""


@dataclass(frozen=True)
class Rankings:
    """All rankings of one score, and where the page leads to for it."""

    test: str
    anchor: str
    tests: tuple[tuple[str, str], ...]
    rankings: tuple[Ranking, ...]


def rankings(lookup: Lookup, sections: Sequence[Section]) -> list[Rankings]:
    """A ranking for every score of robustness that the study has."""
    over_all = [each for each in lookup.evidence.results.over_all if family(each) == "robustness"]
    made = []
    for section in (each for each in sections if family(each.findings[0]) == "robustness"):
        spanning = [each for each in over_all if each.test.name == section.test.name]
        apart = by_benchmark([*spanning, *(each for each in section.findings if each.measures)])
        found = tuple(_ranking(lookup, findings) for findings in apart.values())
        columns = tuple((test, kind.words) for test, kind in zip(TESTS, FRAGILITIES.values(), strict=True))
        made.append(Rankings(section.test.name, section.anchor, columns, found))
    return made


def _ranking(lookup: Lookup, findings: Sequence[Finding]) -> Ranking:
    ranked = [each for finding in findings if (each := _ranked(lookup, finding)) is not None]
    ranked.sort(key=lambda each: -each.score.estimate.value)
    return Ranking(
        benchmark=findings[0].benchmark,
        chosen_by=ranked[0].score.measure.subset if ranked else "",
        whole=tuple(each for each in ranked if not each.of_tests),
        partial=tuple(each for each in ranked if each.of_tests),
        axis=titled_axis(scale([], "score"), SCORE_AXIS),
        figures=tuple(_figures(lookup, ranked)),
    )


SCORE_AXIS = "Robustness R (0 to 1)"


def _figures(lookup: Lookup, ranked: Sequence[Ranked]) -> Iterator[Figure]:
    """The scores, then every fragility of every model, each as a figure of its own."""
    if not ranked:
        return
    evidence, finding = lookup.evidence, ranked[0].score.finding
    name = (finding.test.name, finding.benchmark if evidence.several else "")
    rows = [
        FigureRow(f"{each.model} (of {each.of_tests} only)" if each.of_tests else each.model, each.picture,
                  (_said(each.score),), f"n {each.score.printed.n}", evidence.place(each.model))
        for each in ranked
    ]  # fmt: skip
    about = About((name[0], "score", name[1]), f"Robustness score R; {finding.benchmark}")
    data = [datum(each.score.finding, each.score.measure) for each in ranked]
    yield evidence.figures.rows(about, rows, data, axis_of(scale([], "score"), SCORE_AXIS))
    parts = [(each, part) for each in ranked for part in each.parts if part is not None]
    if parts:
        about = About(
            (name[0], "fragilities", name[1]),
            f"The five fragilities of the robustness score; {finding.benchmark}",
            "Bars are estimates, lines are 95% CIs",
        )
        drawn = [
            FigureRow(part.found.measure.kind.words, part.picture, (_said(part.found),), f"n {part.found.printed.n}",
                      None, each.model if part is next(one for one in each.parts if one) else "")
            for each, part in parts
        ]  # fmt: skip
        data = [datum(part.found.finding, part.found.measure) for _, part in parts]
        yield evidence.figures.rows(
            about, drawn, data, axis_of(scale([], "score"), "Fragility (0 to 1)"), row_height=13.0
        )


def _said(found: Found) -> str:
    return found.printed.said


def _ranked(lookup: Lookup, finding: Finding) -> Ranked | None:
    score = finding.measure(SCORE, WHOLE) or finding.measure(SCORE, PARTIAL)
    if score is None:
        return None
    some = _ONLY_SOME.search(score.estimate.method)
    parts = (finding.measure(SCORE, name) for name in FRAGILITIES)
    return Ranked(
        model=finding.model,
        score=lookup.printed(finding, score),
        picture=forest_mark(score.estimate, scale([], "score"), lookup.evidence.place(finding.model)),
        of_tests=(some[1] if some else "some tests") if score.name == PARTIAL else "",
        parts=tuple(
            None
            if part is None
            else Fragility(lookup.printed(finding, part), sliver(part.estimate, lookup.evidence.place(finding.model)))
            for part in parts
        ),
    )
