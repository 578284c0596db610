"""Readiness: the six stress tests of "The Illusion of Readiness" as a chapter, as far as they were asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from snellen.conditions import IMAGE_REMOVED, ORIGINAL
from snellen.protocols.readiness.report.abstention import Abstention, Applicability, abstention, applicability
from snellen.protocols.readiness.report.failure_modes import Examples, ModeTable, mode_examples, mode_table
from snellen.protocols.readiness.report.grounded_reading import Readings, readings
from snellen.protocols.readiness.report.necessity import LEGEND, Necessity, necessity
from snellen.protocols.readiness.report.perturbations import Perturbed, perturbed
from snellen.protocols.readiness.report.reasoning import Reasoning, reasoning
from snellen.protocols.readiness.report.scores import Scores, scores
from snellen.report.chapter import Chapter
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup, family
from snellen.report.sections.comparison import Comparison, Ways, compared
from snellen.report.sections.tests import ShownTest
from snellen.scoring.results import Results

TESTS = {
    "T1 the image removed": ("image-needed",),
    "T2 items that need the image": ("visual-necessity",),
    "T3 options reordered": ("option-order",),
    "T4 wrong options replaced": ("distractors", "unknown-option"),
    "T5 the image substituted": ("visual-substitution",),
    "T6 reasoning": ("chain-of-thought", "reasoning-effort", "rationale"),
}
"""The six tests, and what they are called here."""
SCORES = ("robustness", "grounded-reading")
"""The scores that have their section in the chapter."""
REMOVAL = Ways(("image-needed",), (ORIGINAL.name, IMAGE_REMOVED.name), ("image and text", "text only"))
"""T1: accuracy with the image and without it, and the difference on the same items."""


@dataclass(frozen=True)
class Readiness:
    """The chapter: every part in the order of the page; a part that was not asked is empty."""

    tests: tuple[tuple[str, tuple[ShownTest, ...]], ...]
    readings: tuple[Readings, ...]
    scores: tuple[Scores, ...]
    removal: tuple[Comparison, ...]
    necessity: tuple[Necessity, ...]
    perturbed: tuple[Perturbed, ...]
    reasoning: Reasoning | None
    abstention: tuple[Abstention, ...]
    applicability: tuple[Applicability, ...]
    modes: ModeTable
    necessity_legend: tuple[tuple[str, str], ...] = LEGEND


def removal(lookup: Lookup) -> list[Comparison]:
    """With the image against without it, on every benchmark where both were asked."""
    return compared(lookup, REMOVAL)


def has_chapter(results: Results) -> bool:
    """Whether the study asked for the score that the chapter is about."""
    return any(finding.test.scores and family(finding) == "robustness" for finding in results.findings)


def shown_modes(evidence: Evidence) -> Examples:
    """The responses that the chapter leads to as examples; none where there is no chapter."""
    found = mode_examples(evidence) if has_chapter(evidence.results) else {}
    evidence.lead_to(found.values())
    return found


def covers(section: ShownTest) -> bool:
    """Whether the chapter holds all of a test: the scores."""
    return family(section.findings[0]) in SCORES


def readiness(evidence: Evidence, sections: Sequence[ShownTest], examples: Examples) -> Readiness | None:
    """The chapter of a study that has the score; None for any other."""
    if not has_chapter(evidence.results):
        return None
    lookup = Lookup(evidence)
    by_family = {
        name: tuple(section for section in sections if family(section.findings[0]) in families)
        for name, families in TESTS.items()
    }
    return Readiness(
        tests=tuple(by_family.items()),
        readings=tuple(readings(lookup, sections)),
        scores=tuple(scores(lookup, sections)),
        removal=tuple(removal(lookup)),
        necessity=tuple(necessity(lookup)),
        perturbed=tuple(perturbed(lookup)),
        reasoning=reasoning(lookup),
        abstention=tuple(abstention(lookup)),
        applicability=tuple(applicability(lookup)),
        modes=mode_table(evidence, examples),
    )


CHAPTER = Chapter(
    anchor="readiness",
    title="Readiness: six stress tests",
    short="Readiness",
    template="snellen.protocols.readiness.report:chapter.html.jinja",
    choose=shown_modes,
    build=readiness,
    covers=covers,
    paper="The Illusion of Readiness",
)
