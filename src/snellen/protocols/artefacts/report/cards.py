"""Artefacts on the first screen: which of their numbers is shown, and what their tests are called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snellen.protocols.artefacts.report.tests import STRONG, WEAK, strategy
from snellen.protocols.artefacts.tests.arms import ALL_ARTEFACTS
from snellen.protocols.artefacts.tests.strong import RATE
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import family
from snellen.report.sections.cards import ForCard, Question, briefly
from snellen.report.sections.four_questions import of_test
from snellen.report.sections.tests import Section, by_benchmark

SHOWN = {WEAK: (ALL_ARTEFACTS, "percent_change"), STRONG: (ALL_ARTEFACTS, RATE)}
"""The arm and the measure that tell most of each family."""
HEADINGS = {
    WEAK: (Question.STEADY, "Does the answer hold on an image that is worse?"),
    STRONG: (Question.KNOWS, "Does it say so when an image cannot be read?"),
}


def cards(evidence: Evidence, sections: Sequence[Section]) -> Iterator[ForCard]:
    """A part for each family and prompt; one picture of a family is enough, other prompts have a line."""
    told: set[str] = set()
    for section in (each for each in sections if family(each.findings[0]) in HEADINGS):
        name = family(section.findings[0])
        question, words = HEADINGS[name]
        for benchmark, findings in by_benchmark(section.findings).items():
            heading = f"{words} ({strategy(section.test, evidence.results.study)})"
            several = f" on {benchmark}" if evidence.several else ""
            part = of_test(evidence, section, findings, f"{heading}{several}", rather=[SHOWN[name]])
            yield ForCard(question, briefly(part) if name in told else part)
        told.add(name)
