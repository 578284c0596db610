"""What the models do when there is nothing to see.

Shown is no image or, where none was ever left out, a blank one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from snellen.conditions import IMAGE_REMOVED
from snellen.conditions.labels import arm_effects, read_label
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.standalone import Figure
from snellen.report.sections.tests import OutcomeBar, Section, bars, outcome_figure
from snellen.scoring.findings import Finding
from snellen.stress.taxonomy import only_unseen


class BlindArm(NamedTuple):
    """A test under one of whose arms nothing could be seen, and its findings on one benchmark."""

    section: Section
    findings: Sequence[Finding]
    arm: str

    @property
    def words(self) -> str:
        """What the models were given."""
        return "every image was blank" if arm_effects(self.arm).sends_image else "no image was sent"


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
    label = read_label(blind.arm)
    changed = bool(label.ways) or label.effects != IMAGE_REMOVED.effects
    return changed, test.scores, blind.arm == test.baseline.name


def _of_section(section: Section, benchmark: str) -> list[BlindArm]:
    findings = [each for each in section.findings if each.benchmark == benchmark]
    arms = dict.fromkeys(arm.name for arm in section.test.all_arms if only_unseen(arm.name))
    kept = {arm: [each for each in findings if each.measure(arm, "accuracy") is not None] for arm in arms}
    return [BlindArm(section, those, arm) for arm, those in kept.items() if those]


class BlindOutcomes(NamedTuple):
    """What the models do without seeing, on one benchmark."""

    benchmark: str
    caption: str
    bars: tuple[OutcomeBar, ...]
    figure: Figure | None


def list_blind_outcomes(evidence: Evidence, sections: Sequence[Section]) -> list[BlindOutcomes]:
    """For each benchmark that was asked without sight, the outcomes, and how often every model says it cannot tell."""
    made = []
    for blind in blind_arms(evidence, sections):
        drawn = tuple(bars(evidence, blind.findings, [blind.arm], "abstention_rate"))
        caption = f"Outcomes when {blind.words}; the number is how often it says that it cannot tell"
        figure = outcome_figure(evidence, drawn, caption, by_arm=False, name="says-so")
        made.append(BlindOutcomes(blind.findings[0].benchmark, caption, drawn, figure))
    return made
