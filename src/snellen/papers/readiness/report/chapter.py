"""Chapter of the six stress tests of "The Illusion of Readiness"."""

from __future__ import annotations

from collections.abc import Sequence

from snellen.conditions import IMAGE_REMOVED, ORIGINAL
from snellen.papers.readiness.report.abstention import (
    Examples,
    draw_abstention,
    draw_applicability,
    draw_modes,
    find_examples,
)
from snellen.papers.readiness.report.perturbations import draw_necessity, draw_perturbations, draw_reasoning
from snellen.papers.readiness.report.scores import describe_scores, draw_readings, draw_scores
from snellen.report.chapter import Chapter
from snellen.report.components import Cell, Link, Listing, Part, Section, explain, quiet
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup, family
from snellen.report.sections.comparison import Ways, draw_comparison
from snellen.report.sections.questions import describe_result
from snellen.report.sections.tests import ShownTest
from snellen.scoring.results import Results

TESTS = {
    "T1 the image removed": ("image-needed",),
    "T2 questions that need the image": ("visual-necessity",),
    "T3 options reordered": ("option-order",),
    "T4 wrong options replaced": ("distractors", "unknown-option"),
    "T5 the image substituted": ("visual-substitution",),
    "T6 reasoning": ("chain-of-thought", "reasoning-effort", "rationale"),
}
"""The six tests of the paper, with their families in this package."""
SCORES = ("robustness", "grounded-reading")
"""Scores with their own section in the chapter."""
REMOVAL = Ways(("image-needed",), (ORIGINAL.name, IMAGE_REMOVED.name), ("image and text", "text only"))
"""T1: accuracy with and without the image, and the difference on the same questions."""


def has_chapter(results: Results) -> bool:
    """Return True if the study has the score of this chapter."""
    return any(finding.test.scores and family(finding) == "robustness" for finding in results.findings)


def choose_examples(evidence: Evidence) -> Examples:
    """Choose the example responses that the chapter links to; none without the chapter."""
    found = find_examples(evidence) if has_chapter(evidence.results) else {}
    evidence.lead_to(found.values())
    return found


def covers(section: ShownTest) -> bool:
    """Return True if the chapter shows all of a test, which holds for the scores."""
    return family(section.findings[0]) in SCORES


def build(evidence: Evidence, sections: Sequence[ShownTest], examples: Examples) -> list[Part] | None:
    """Draw the chapter; None if the study does not have the score."""
    if not has_chapter(evidence.results):
        return None
    lookup = Lookup(evidence)
    told = (
        "The six stress tests of “The Illusion of Readiness” on the questions of this study; then a reading of the "
        "same responses that neither refusing nor not looking can raise, and the paper's score."
    )
    return [
        *describe_scores(lookup),
        quiet(told),
        _list_tests(sections),
        *_draw_removal(lookup),
        *draw_necessity(lookup),
        *draw_perturbations(lookup),
        *draw_reasoning(lookup),
        *draw_readings(lookup, sections),
        *draw_scores(lookup, sections),
        *draw_abstention(lookup),
        draw_applicability(lookup),
        draw_modes(lookup, examples),
    ]


def _list_tests(sections: Sequence[ShownTest]) -> Listing:
    items = []
    for name, families in TESTS.items():
        those = [each for each in sections if family(each.findings[0]) in families]
        links = tuple(Link(each.test.name, each.anchor) for each in those)
        items.append(Cell(f"{name}: {describe_result(those) if those else 'not asked'}", links=links))
    return Listing(tuple(items))


def _draw_removal(lookup: Lookup) -> list[Section]:
    told = (
        "The same questions twice. Changes are paired by question, p-values corrected after Holm over the tests of a "
        "model; “could show” is the least change that so many questions show with 80% power."
    )
    tables = [*draw_comparison(lookup, REMOVAL).values()]
    return explain("T1: with the image, and without", told, tables, "readiness-removal")


CHAPTER = Chapter(
    anchor="readiness",
    title="Readiness: six stress tests",
    short="Readiness",
    choose=choose_examples,
    build=build,
    covers=covers,
    paper="The Illusion of Readiness",
)
