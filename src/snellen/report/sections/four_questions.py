"""The first screen: four questions in words, each with a picture, a number and its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from snellen.protocols.artefacts.report.cards import asked_before, heading_of, shown_of
from snellen.protocols.mirage.report.cards import about_mirages, mirage_parts
from snellen.protocols.readiness.report.grounded_reading import reading_forest
from snellen.protocols.readiness.tests.grounded_reading import HONESTY, SIGHT, STEADINESS
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.forests import Forest, forest
from snellen.report.sections.blind_arms import Blind, blind_arms, describes, needs_eyes, says_so
from snellen.report.sections.cards import Part, answers, briefly, within
from snellen.report.sections.tests import Section, by_benchmark, many
from snellen.scoring.findings import Finding, surest
from snellen.stats import Estimate
from snellen.stress.base import Expectation, Status, StressTest
from snellen.stress.conclusions import STEADY

RERUN = "rerun_changed_rate"
ROOM = 12
"""Rows of pictures that a question of the first screen has, where there are many tests."""
FIRST = ("image-needed", "visual-substitution", "option-order")
"""The tests that come before others where there is no room for all."""
READ_AS = {
    SIGHT: "How much of its score comes from looking?",
    HONESTY: "How much more often is it silent without the image?",
    STEADINESS: "How much stays right when the options move?",
}
"""What the numbers of the grounded reading answer."""


@dataclass(frozen=True)
class Card:
    """One question of the first screen."""

    question: str
    parts: tuple[Part, ...]
    missing: str


def cards(evidence: Evidence, sections: Sequence[Section]) -> list[Card]:
    """The four questions, as far as the study's tests answer them; with many tests, what matters most is pictured."""
    no_image = "No test of this study took the image away."
    blind = blind_arms(evidence, sections)
    looks = _of_tests(evidence, sections, Expectation.WORSE, Expectation.CHANGE)
    steady = (*_of_tests(evidence, sections, Expectation.INVARIANT), *_over_runs(evidence, sections))
    knows = _knows(evidence, sections, blind)
    if many(sections):
        looks = within((*_reading(evidence, sections, SIGHT), *looks), ROOM)
        knows = within((*_reading(evidence, sections, HONESTY), *knows), ROOM)
        steady = within((*_reading(evidence, sections, STEADINESS), *steady), ROOM)
    return [
        Card("Does it look?", looks, no_image),
        Card("Does it know when it cannot see?", knows, no_image),
        Card(
            "Is it steady?",
            steady,
            "No test of this study changed something that should not matter, and nothing was asked twice.",
        ),
        Card("Did the benchmark need eyes?", tuple(needs_eyes(evidence, each) for each in blind), no_image),
    ]


def _knows(evidence: Evidence, sections: Sequence[Section], blind: Sequence[Blind]) -> tuple[Part, ...]:
    """What it does without an image: say so, answer all the same, or describe what it was not shown.

    Questions of a test's own speak first where no other test looked at the words of the replies.
    """
    rationale = [section for section in sections if section.test.headline == "described_rate"]
    others = [section for section in sections if section not in rationale and not about_mirages(section)]
    asked = _of_tests(evidence, others, Expectation.ABSTAIN)
    silent = [says_so(evidence, each) for each in blind]
    described = [part for section in rationale for part in describes(evidence, section)]
    known = (*silent, *described, *asked) if many(sections) else (*asked, *silent, *described)
    mirages = mirage_parts(evidence, sections)
    return (*known, *mirages) if described else (*mirages, *known)


def _reading(evidence: Evidence, sections: Sequence[Section], name: str) -> list[Part]:
    """One number of the grounded reading on every benchmark that has it; over all items where none needs the image."""
    parts = []
    for section in (each for each in sections if each.test.headline == SIGHT and each.test.scores):
        for benchmark, findings in by_benchmark(section.findings).items():
            several = f" ({benchmark})" if evidence.several else ""
            plots = (reading_forest(findings, each, evidence.anchors) for each in (name, f"{name}_all_items"))
            drawn = next((plot for plot in plots if plot is not None), None)
            if drawn is not None:
                parts.append(Part((), (drawn,), anchor=section.anchor, heading=f"{READ_AS[name]}{several}"))
    return parts


def _of_tests(evidence: Evidence, sections: Sequence[Section], *expected: Expectation) -> tuple[Part, ...]:
    """A part for every benchmark and test that hopes for one of these."""
    asked = [section for section in sections if section.test.expects in expected]
    if many(sections):
        asked.sort(key=lambda section: FIRST.index(section.test.name) if section.test.name in FIRST else len(FIRST))
    parts: list[Part] = []
    told: list[StressTest] = []
    for section in asked:
        for benchmark, findings in by_benchmark(section.findings).items():
            own = heading_of(section.test, evidence.results.study)
            names = (
                (own or section.test.name, own or len(asked) > 1 or many(sections) or section.test.name in RATHER),
                (benchmark, evidence.several),
            )
            heading = " on ".join(name for name, shown in names if shown)
            part = _of_test(evidence, section, findings, heading)
            parts.append(briefly(part) if asked_before(section.test, told) else part)
            told.append(section.test)
    return tuple(parts)


def _over_runs(evidence: Evidence, sections: Sequence[Section]) -> tuple[Part, ...]:
    """Whether another run of the same question gives another answer, where questions were asked repeatedly."""
    measured = next((each for each in sections if _of_runs(each.findings)), None)
    if measured is None:
        return ()
    parts = []
    for benchmark, findings in by_benchmark(measured.findings).items():
        arm = measured.test.baseline.name
        picture = forest(findings, arm, RERUN, anchors=evidence.anchors, label=lambda each: each.model)
        given = answers([(_steady(rate), model) for model, rate in _of_runs(findings)])
        several = f" ({benchmark})" if evidence.several else ""
        if picture is not None:
            heading = f"Does another run give the same answer?{several}"
            parts.append(Part(given, (picture,), anchor=measured.anchor, heading=heading))
    return tuple(parts)


def _of_runs(findings: Sequence[Finding]) -> list[tuple[str, Estimate]]:
    """How often two runs of each model differ, for those that have several."""
    found = ((each.model, each.measure(each.test.baseline.name, RERUN)) for each in findings)
    return [(model, measure.estimate) for model, measure in found if measure is not None]


def _steady(rate: Estimate) -> Status:
    if rate.high < STEADY:
        return Status.PASS
    return Status.FAIL if rate.low > STEADY else Status.INCONCLUSIVE


_SHOWN: Mapping[Expectation, str] = {
    Expectation.INVARIANT: "changed_rate",
    Expectation.ABSTAIN: "abstention_rate",
}
"""The measure that shows best what was hoped for, where it is not the test's headline."""
RATHER = dict.fromkeys(("dataset-name", "dataset-name:image=kept"), "difference")
"""The tests that are about something else than others which hope for the same."""


def _of_test(evidence: Evidence, section: Section, findings: Sequence[Finding], heading: str) -> Part:
    """How the verdicts fall, over the measure that shows it best: moved choices where nothing should move."""
    test = section.test
    shown = RATHER.get(test.name, _SHOWN.get(test.expects, ""))
    told = surest(each.telling() for each in findings)
    arm = told.arm if told is not None else test.all_arms[-1].name
    drawn = (
        forest(findings, *wanted, anchors=evidence.anchors, label=lambda each: each.model)
        for wanted in (*shown_of(test), (arm, shown), (arm, test.headline))
    )
    pictures: list[Forest] = [each for each in drawn if each is not None][:1]
    given = answers([(each.verdict.status, each.model) for each in findings])
    return Part(given, tuple(pictures), anchor=section.anchor, heading=heading)
