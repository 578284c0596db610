"""The robustness score R of every model with its five fragilities, the highest first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from snellen.protocols.readiness.tests.fragility import TESTS
from snellen.protocols.readiness.tests.robustness import ARM as SCORE
from snellen.protocols.readiness.tests.robustness import FRAGILITIES, PARTIAL, WHOLE
from snellen.report.figures.bars import sliver
from snellen.report.figures.marks import forest_axis, forest_mark, scale
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
        axis=forest_axis(scale([], "score")),
    )


def _ranked(lookup: Lookup, finding: Finding) -> Ranked | None:
    score = finding.measure(SCORE, WHOLE) or finding.measure(SCORE, PARTIAL)
    if score is None:
        return None
    some = _ONLY_SOME.search(score.estimate.method)
    parts = (finding.measure(SCORE, name) for name in FRAGILITIES)
    return Ranked(
        model=finding.model,
        score=lookup.printed(finding, score),
        picture=forest_mark(score.estimate, scale([], "score")),
        of_tests=(some[1] if some else "some tests") if score.name == PARTIAL else "",
        parts=tuple(
            None if part is None else Fragility(lookup.printed(finding, part), sliver(part.estimate)) for part in parts
        ),
    )
