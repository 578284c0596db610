"""The first screen: four questions in words, each with a picture, a number and its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from snellen.conditions import IMAGE_REMOVED
from snellen.report import wording
from snellen.report.estimates import Forest, forest
from snellen.report.evidence import Evidence
from snellen.report.sections import Bar, Section, bars, by_benchmark
from snellen.results import Finding
from snellen.stats import holm
from snellen.stress.base import Expectation, Status
from snellen.stress.conclusions import MATTERS, SIGNIFICANT, abstains

YES_OR_NO = {Status.GOOD: "Yes", Status.BAD: "No", Status.UNCLEAR: "Cannot tell"}


@dataclass(frozen=True)
class Answer:
    """One answer and those it holds for."""

    status: Status
    word: str
    about: str


@dataclass(frozen=True)
class Part:
    """One picture of a card, with the answers it supports."""

    answers: tuple[Answer, ...]
    caption: str
    forest: Forest | None = None
    bars: tuple[Bar, ...] = ()
    anchor: str = ""
    heading: str = ""


@dataclass(frozen=True)
class Card:
    """One question of the first screen."""

    question: str
    parts: tuple[Part, ...]
    missing: str


def cards(evidence: Evidence, sections: Sequence[Section]) -> list[Card]:
    """The four questions, as far as the study's tests answer them."""
    no_image = "No test of this study took the image away."
    blind = _without_image(sections)
    return [
        Card("Does it look?", _of_tests(evidence, sections, Expectation.WORSE, Expectation.CHANGE), no_image),
        Card(
            "Does it know when it cannot see?",
            (*_of_tests(evidence, sections, Expectation.ABSTAIN), *_says_so(evidence, blind)),
            no_image,
        ),
        Card(
            "Is it steady?",
            _of_tests(evidence, sections, Expectation.INVARIANT),
            "No test of this study changed something that should not matter.",
        ),
        Card("Did the benchmark need eyes?", _needs_eyes(evidence, blind), no_image),
    ]


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


def _of_test(evidence: Evidence, section: Section, findings: Sequence[Finding], heading: str) -> Part:
    """How the verdicts fall, over the measure that shows it best: moved choices where nothing should move."""
    test = section.test
    arm = test.compared[0].name if test.compared else test.baseline.name
    shown = {Expectation.INVARIANT: "changed_rate", Expectation.ABSTAIN: "abstention_rate"}.get(test.expects, "")
    drawn = (
        forest(findings, arm, name, anchors=evidence.anchors, label=lambda each: each.model)
        for name in (shown, test.headline)
    )
    picture = next((each for each in drawn if each is not None), None)
    answers = _answers([(each.verdict.status, each.model) for each in findings])
    return Part(answers, picture.caption if picture else "", picture, anchor=section.anchor, heading=heading)


def _answers(statuses: Sequence[tuple[Status, str]]) -> tuple[Answer, ...]:
    by_status = {status: [who for each, who in statuses if each == status] for status in Status}
    return tuple(Answer(status, YES_OR_NO[status], ", ".join(who)) for status, who in by_status.items() if who)


def _without_image(sections: Sequence[Section]) -> tuple[Section, list[Finding]] | None:
    """The first test that took the image away, and its findings that have replies without it."""
    for section in sections:
        found = [each for each in section.findings if each.measure(IMAGE_REMOVED.name, "accuracy") is not None]
        if found:
            return section, found
    return None


def _says_so(evidence: Evidence, blind: tuple[Section, list[Finding]] | None) -> tuple[Part, ...]:
    """What the models do without the image: say so, or answer all the same."""
    if blind is None:
        return ()
    caption = "What became of the replies when no image was sent; the number is how often it said that it cannot tell"
    parts = []
    for benchmark, findings in by_benchmark(blind[1]).items():
        statuses = [(_says_so_status(finding), finding.model) for finding in findings]
        drawn = tuple(bars(evidence, findings, [IMAGE_REMOVED.name], "abstention_rate"))
        heading = benchmark if len(evidence.results.benchmarks) > 1 else ""
        parts.append(Part(_answers(statuses), caption, None, drawn, blind[0].anchor, heading))
    return tuple(parts)


def _says_so_status(finding: Finding) -> Status:
    return abstains(
        finding.test.baseline.name, IMAGE_REMOVED.name, {(each.arm, each.name): each for each in finding.measures}
    ).status


def _needs_eyes(evidence: Evidence, blind: tuple[Section, list[Finding]] | None) -> tuple[Part, ...]:
    """For each benchmark, what the models score on it without its images, against blind guessing."""
    if blind is None:
        return ()
    section, findings = blind
    return tuple(_part_of_benchmark(evidence, section, each) for each in by_benchmark(findings).values())


def _part_of_benchmark(evidence: Evidence, section: Section, findings: Sequence[Finding]) -> Part:
    benchmark = findings[0].benchmark
    table = evidence.results.tables[findings[0].model, benchmark]
    chance = float(table.chance[table.arms[IMAGE_REMOVED.name].ordinal].mean())
    drawn = forest(
        findings,
        IMAGE_REMOVED.name,
        "accuracy",
        anchors=evidence.anchors,
        label=lambda each: each.model,
        reference=chance,
    )
    caption = f"Accuracy with no image sent; the dashed line is blind guessing, {wording.figure(chance, 'share')}"
    return Part((_eyes_needed(findings),), caption, drawn, anchor=section.anchor)


def _eyes_needed(findings: Sequence[Finding]) -> Answer:
    """Whether any model beats guessing without the image, corrected (Holm) over the models."""
    name = findings[0].benchmark
    margins = [found.estimate for each in findings if (found := each.measure(IMAGE_REMOVED.name, "above_chance"))]
    adjusted = holm([1.0 if each.p is None else each.p for each in margins])
    beating = sum(p < SIGNIFICANT and each.value > 0 for p, each in zip(adjusted, margins, strict=True))
    if beating:
        words = f"{name}: {beating} of {len(margins)} models beat guessing without its images"
        return Answer(Status.BAD, "Not for all of it", words)
    if all(each.high < MATTERS for each in margins):
        return Answer(Status.GOOD, "Yes", f"{name}: without its images no model gets clearly beyond guessing")
    return Answer(Status.UNCLEAR, "Cannot tell", f"{name}: no model is shown to beat guessing, none is shown not to")
