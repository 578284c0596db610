"""Artefacts on the first screen: what their tests are called there, and which of them have a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snellen.protocols.artefacts.report.tests import STRONG, WEAK, strategy
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import family
from snellen.report.sections.cards import ForCard, Question, briefly
from snellen.report.sections.four_questions import of_test
from snellen.report.sections.tests import Section, by_benchmark

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
            part = of_test(evidence, section, findings, f"{heading}{several}")
            yield ForCard(question, briefly(part) if name in told else part)
        told.add(name)
