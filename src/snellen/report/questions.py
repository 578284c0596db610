"""The first screen: four questions in words, each with a picture, a number and its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from snellen.findings import Finding
from snellen.report.blindness import Blind, blind_arms, describes, needs_eyes, says_so
from snellen.report.estimates import Forest, forest
from snellen.report.evidence import Evidence
from snellen.report.parts import Part, answers
from snellen.report.sections import Section, by_benchmark
from snellen.stress.base import Expectation


@dataclass(frozen=True)
class Card:
    """One question of the first screen."""

    question: str
    parts: tuple[Part, ...]
    missing: str


def cards(evidence: Evidence, sections: Sequence[Section]) -> list[Card]:
    """The four questions, as far as the study's tests answer them."""
    no_image = "No test of this study took the image away."
    blind = blind_arms(evidence, sections)
    return [
        Card("Does it look?", _of_tests(evidence, sections, Expectation.WORSE, Expectation.CHANGE), no_image),
        Card("Does it know when it cannot see?", _knows(evidence, sections, blind), no_image),
        Card(
            "Is it steady?",
            _of_tests(evidence, sections, Expectation.INVARIANT),
            "No test of this study changed something that should not matter.",
        ),
        Card("Did the benchmark need eyes?", tuple(needs_eyes(evidence, each) for each in blind), no_image),
    ]


def _knows(evidence: Evidence, sections: Sequence[Section], blind: Sequence[Blind]) -> tuple[Part, ...]:
    """What it does without an image: say so, answer all the same, or describe what it was not shown."""
    rationale = [section for section in sections if section.test.headline == "described_rate"]
    others = [section for section in sections if section not in rationale]
    return (
        *_of_tests(evidence, others, Expectation.ABSTAIN),
        *(says_so(evidence, each) for each in blind),
        *(part for section in rationale for part in describes(evidence, section)),
    )


def _of_tests(evidence: Evidence, sections: Sequence[Section], *expected: Expectation) -> tuple[Part, ...]:
    """A part for every benchmark and test that hopes for one of these."""
    asked = [section for section in sections if section.test.expects in expected]
    parts = []
    for section in asked:
        for benchmark, findings in by_benchmark(section.findings).items():
            names = ((section.test.name, len(asked)), (benchmark, len(evidence.results.benchmarks)))
            heading = " on ".join(name for name, several in names if several > 1)
            parts.append(_of_test(evidence, section, findings, heading))
    return tuple(parts)


_SHOWN: Mapping[Expectation, str] = {
    Expectation.INVARIANT: "changed_rate",
    Expectation.ABSTAIN: "abstention_rate",
}
"""The measure that shows best what was hoped for, where it is not the test's headline."""


def _of_test(evidence: Evidence, section: Section, findings: Sequence[Finding], heading: str) -> Part:
    """How the verdicts fall, over the measure that shows it best: moved choices where nothing should move."""
    test = section.test
    arm = test.compared[0].name if test.compared else test.baseline.name
    drawn = (
        forest(findings, arm, name, anchors=evidence.anchors, label=lambda each: each.model)
        for name in (_SHOWN.get(test.expects, ""), test.headline)
    )
    pictures: list[Forest] = [each for each in drawn if each is not None][:1]
    given = answers([(each.verdict.status, each.model) for each in findings])
    return Part(given, tuple(pictures), anchor=section.anchor, heading=heading)
