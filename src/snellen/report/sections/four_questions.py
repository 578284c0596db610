"""The first screen: four questions in words, each with an image, a number and its interval."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.forests import forest, resting
from snellen.report.sections.blind_arms import BlindArm, blind_arms, describes, needs_eyes, says_so
from snellen.report.sections.cards import CardPart, CardQuestion, ForCard, answers, within
from snellen.report.sections.tests import Section, by_benchmark, many
from snellen.scoring.findings import Finding
from snellen.stats import Estimate
from snellen.stress.base import Expectation, Status

RERUN = "rerun_changed_rate"
ROOM = 12
"""Rows of images that a question of the first screen has, where there are many tests."""
FIRST = ("image-needed", "image-used", "visual-substitution", "option-order")
"""The tests that come before others where there is no room for all."""
NO_IMAGE = "No test of this study took the image away."
MISSING = {
    CardQuestion.LOOKS: "No test of this study shows whether answers follow the image.",
    CardQuestion.KNOWS: NO_IMAGE,
    CardQuestion.STEADY: "No test of this study changed something that should not matter, and nothing was asked twice.",
    CardQuestion.NEEDED: NO_IMAGE,
}


@dataclass(frozen=True)
class Card:
    """One question of the first screen."""

    question: str
    parts: tuple[CardPart, ...]
    missing: str


def cards(evidence: Evidence, sections: Sequence[Section], added: Sequence[ForCard] = ()) -> list[Card]:
    """The four questions, as far as the study's tests and chapters answer them; with many tests, some are brief."""
    blind = blind_arms(evidence, sections)
    of = {question: [each for each in added if each.question is question] for question in CardQuestion}
    steady = _of_tests(evidence, sections, of[CardQuestion.STEADY], Expectation.INVARIANT)
    drawn: Mapping[CardQuestion, Sequence[CardPart]] = {
        CardQuestion.LOOKS: _of_tests(evidence, sections, of[CardQuestion.LOOKS], Expectation.CHANGE),
        CardQuestion.KNOWS: _knows(evidence, sections, of[CardQuestion.KNOWS], blind),
        CardQuestion.STEADY: (*steady, *_over_runs(evidence, sections)),
        CardQuestion.NEEDED: (
            *_of_tests(evidence, sections, of[CardQuestion.NEEDED], Expectation.WORSE),
            *(needs_eyes(evidence, each) for each in blind),
        ),
    }
    made = {question: _with(of[question], parts) for question, parts in drawn.items()}
    room = ROOM if many(sections) else sys.maxsize
    kept = {question: within(parts, room) for question, parts in made.items()}
    return [Card(question, parts, MISSING[question]) for question, parts in kept.items()]


def _with(added: Sequence[ForCard], drawn: Sequence[CardPart]) -> tuple[CardPart, ...]:
    """What chapters put first, what was drawn, and what chapters add at the end."""
    there = {id(part) for part in drawn}
    first = [each.part for each in added if each.stands == "first"]
    last = [each.part for each in added if each.stands != "first" and id(each.part) not in there]
    return (*first, *drawn, *last)


def _knows(
    evidence: Evidence, sections: Sequence[Section], added: Sequence[ForCard], blind: Sequence[BlindArm]
) -> tuple[CardPart, ...]:
    """What it does without an image: say so, answer all the same, or describe what it was not shown."""
    rationale = [section for section in sections if section.test.headline == "described_rate"]
    others = [section for section in sections if section not in rationale]
    asked = _of_tests(evidence, others, added, Expectation.ABSTAIN)
    silent = [says_so(evidence, each) for each in blind]
    described = [part for section in rationale for part in describes(evidence, section)]
    return (*silent, *described, *asked) if many(sections) else (*asked, *silent, *described)


def _of_tests(
    evidence: Evidence, sections: Sequence[Section], added: Sequence[ForCard], *expected: Expectation
) -> tuple[CardPart, ...]:
    """A part for every benchmark and test that expects one of these; a chapter's own where it has one."""
    apart = {each.part.anchor for each in added if each.stands != "in place"}
    asked = [section for section in sections if section.test.expects in expected and section.anchor not in apart]
    if many(sections):
        asked.sort(key=lambda section: FIRST.index(section.test.name) if section.test.name in FIRST else len(FIRST))
    parts: list[CardPart] = []
    for section in asked:
        own = [each.part for each in added if each.part.anchor == section.anchor]
        parts += own
        for benchmark, findings in by_benchmark(section.findings).items() if not own else ():
            names = (
                (section.test.name, len(asked) > 1 or many(sections)),
                (benchmark, evidence.several),
            )
            heading = " on ".join(name for name, shown in names if shown)
            parts.append(of_test(evidence, section, findings, heading))
    return tuple(parts)


def _over_runs(evidence: Evidence, sections: Sequence[Section]) -> tuple[CardPart, ...]:
    """Whether another run of the same question gives another answer, where questions were asked repeatedly."""
    measured = next((each for each in sections if _of_runs(each.findings)), None)
    if measured is None:
        return ()
    parts = []
    for benchmark, findings in by_benchmark(measured.findings).items():
        arm = measured.test.baseline.name
        picture = forest(findings, arm, RERUN, evidence=evidence, label=lambda each: each.model)
        limit = measured.test.thresholds.moved
        given = answers([(_steady(rate, limit), model) for model, rate in _of_runs(findings)])
        several = f" ({benchmark})" if evidence.several else ""
        if picture is not None:
            heading = f"Does another run give the same answer?{several}"
            parts.append(CardPart(given, (picture,), anchor=measured.anchor, heading=heading))
    return tuple(parts)


def _of_runs(findings: Sequence[Finding]) -> list[tuple[str, Estimate]]:
    """How often two runs of each model differ, for those that have several."""
    found = ((each.model, each.measure(each.test.baseline.name, RERUN)) for each in findings)
    return [(model, measure.estimate) for model, measure in found if measure is not None]


def _steady(rate: Estimate, limit: float) -> Status:
    if rate.high < limit:
        return Status.PASS
    return Status.FAIL if rate.low > limit else Status.INCONCLUSIVE


def of_test(evidence: Evidence, section: Section, findings: Sequence[Finding], heading: str) -> CardPart:
    """How the verdicts fall, over the numbers that they rest on."""
    pictures = resting(findings, evidence=evidence, label=lambda each: each.model)
    given = answers([(each.verdict.status, each.model) for each in findings])
    return CardPart(given, tuple(pictures), anchor=section.anchor, heading=heading)
