"""What the models do when there is nothing to see: no image, or where none was ever left out, a blank one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from snellen.conditions import IMAGE_REMOVED
from snellen.report.evidence.evidence import Evidence
from snellen.report.evidence.people import people
from snellen.report.figures.forests import Against, forest, resting
from snellen.report.sections.cards import CardAnswer, CardPart, answers
from snellen.report.sections.tests import Section, bars, by_benchmark, outcome_figure
from snellen.report.words import numbers as wording
from snellen.scoring.findings import Finding
from snellen.stats import holm
from snellen.stress.base import Status
from snellen.stress.conclusions import SIGNIFICANT, abstains
from snellen.stress.taxonomy import unseen

DESCRIBES = {
    Status.PASS: "It describes nothing that was not there",
    Status.FAIL: "It describes what was not there",
    Status.INCONCLUSIVE: "Inconclusive",
    Status.REPORTED: "Reported without a verdict",
}


class BlindArm(NamedTuple):
    """A test under one of whose arms nothing could be seen, and its findings on one benchmark."""

    section: Section
    findings: Sequence[Finding]
    arm: str

    @property
    def words(self) -> str:
        """What the models were given."""
        removed = self.arm.partition("+")[0] == IMAGE_REMOVED.name
        return "no image was sent" if removed else "every image was blank"


def blind_arms(evidence: Evidence, sections: Sequence[Section]) -> list[BlindArm]:
    """For each benchmark the arm that shows best what the models do without seeing: no image before a blank one."""
    found = []
    for benchmark in evidence.benchmarks:
        candidates = [each for section in sections for each in _of_section(section, benchmark)]
        candidates.sort(key=_less_telling)
        found += candidates[:1]
    return found


def _less_telling(blind: BlindArm) -> tuple[bool, bool, bool]:
    """An image left out tells more than a blank one, a test more than a score, what it compares more than its base."""
    test = blind.section.test
    return blind.arm != IMAGE_REMOVED.name, test.scores, blind.arm == test.baseline.name


def _of_section(section: Section, benchmark: str) -> list[BlindArm]:
    findings = [each for each in section.findings if each.benchmark == benchmark]
    arms = dict.fromkeys(arm.name for arm in section.test.all_arms if unseen(arm.name))
    kept = {arm: [each for each in findings if each.measure(arm, "accuracy") is not None] for arm in arms}
    return [BlindArm(section, those, arm) for arm, those in kept.items() if those]


def says_so(evidence: Evidence, blind: BlindArm) -> CardPart:
    """What the models do without seeing: say so, or answer all the same."""
    caption = f"Outcomes when {blind.words}; the number is how often it said that it cannot tell"
    statuses = [(_says_so_status(finding, blind.arm), finding.model) for finding in blind.findings]
    drawn = tuple(bars(evidence, blind.findings, [blind.arm], "abstention_rate"))
    heading = _heading("Does it say so?", evidence, blind.findings[0].benchmark)
    figure = outcome_figure(evidence, drawn, caption, by_arm=False, name="says-so")
    return CardPart(answers(statuses), (), drawn, caption, blind.section.anchor, heading, figure=figure)


def _says_so_status(finding: Finding, arm: str) -> Status:
    asked = next(each for each in finding.test.all_arms if each.name == arm)
    return abstains(finding.test, asked, {(each.arm, each.name): each for each in finding.measures}).status


def describes(evidence: Evidence, section: Section) -> list[CardPart]:
    """How often the models describe what they were not shown, for each benchmark: what the verdicts rest on."""
    parts = []
    for benchmark, findings in by_benchmark(section.findings).items():
        drawn = resting(findings, evidence=evidence, label=_model)
        given = answers([(each.verdict.status, each.model) for each in findings], DESCRIBES)
        heading = _heading("Does it describe what it was not shown?", evidence, benchmark)
        parts.append(CardPart(given, tuple(drawn), anchor=section.anchor, heading=heading))
    return parts


def _heading(words: str, evidence: Evidence, benchmark: str) -> str:
    return f"{words} ({benchmark})" if evidence.several else words


def _model(finding: Finding) -> str:
    return finding.model


def needs_eyes(evidence: Evidence, blind: BlindArm) -> CardPart:
    """What the models score on a benchmark without its images, against blind guessing and against people."""
    benchmark = blind.findings[0].benchmark
    table = evidence.results.tables[blind.findings[0].model, benchmark]
    chance = float(table.chance[table.arms[blind.arm].ordinal].mean())
    against = Against(chance, people(evidence.results.study))
    line = f"the dashed line is blind guessing, {wording.figure(chance, 'share')}"
    also = ", the dotted one what people score" if against.people else ""
    caption = f"Accuracy when {blind.words}; {line}{also}"
    plot = forest(
        blind.findings, blind.arm, "accuracy", evidence=evidence, label=_model, against=against, caption=caption
    )
    assert plot is not None
    return CardPart((_eyes_needed(blind),), (plot,), anchor=blind.section.anchor)


def _eyes_needed(blind: BlindArm) -> CardAnswer:
    """Whether any model beats guessing without the image, corrected (Holm) over the models."""
    name = blind.findings[0].benchmark
    margins = [found.estimate for each in blind.findings if (found := each.measure(blind.arm, "above_chance"))]
    adjusted = holm([1.0 if each.p is None else each.p for each in margins])
    beating = sum(p < SIGNIFICANT and each.value > 0 for p, each in zip(adjusted, margins, strict=True))
    if beating:
        words = f"{name}: {beating} of {len(margins)} models beat guessing without its images"
        return CardAnswer(Status.FAIL, "Not for all of it", words)
    if all(each.high < blind.section.test.thresholds.margin for each in margins):
        return CardAnswer(Status.PASS, "Yes", f"{name}: without its images no model gets clearly beyond guessing")
    return CardAnswer(
        Status.INCONCLUSIVE, "Inconclusive", f"{name}: no model is shown to beat chance, none is shown not to"
    )
