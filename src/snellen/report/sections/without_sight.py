"""What the models do when there is nothing to see, and what a benchmark is worth then.

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
from snellen.report.words import numbers as wording
from snellen.scoring.findings import Finding
from snellen.stats import holm
from snellen.stress.base import Status
from snellen.stress.conclusions import SIGNIFICANT, abstains
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


class SaysSo(NamedTuple):
    """What the models do without seeing, on one benchmark: say so, or answer all the same."""

    benchmark: str
    answers: tuple[tuple[str, Status], ...]
    caption: str
    bars: tuple[OutcomeBar, ...]
    figure: Figure | None


def silences(evidence: Evidence, sections: Sequence[Section]) -> list[SaysSo]:
    """For each benchmark that was asked without sight, how often every model says that it cannot tell."""
    made = []
    for blind in blind_arms(evidence, sections):
        drawn = tuple(bars(evidence, blind.findings, [blind.arm], "abstention_rate"))
        answers = tuple((each.model, _says_so(each, blind.arm)) for each in blind.findings)
        caption = f"Outcomes when {blind.words}; the number is how often it says that it cannot tell"
        figure = outcome_figure(evidence, drawn, caption, by_arm=False, name="says-so")
        made.append(SaysSo(blind.findings[0].benchmark, answers, caption, drawn, figure))
    return made


def _says_so(finding: Finding, arm: str) -> Status:
    asked = next(each for each in finding.test.all_arms if each.name == arm)
    return abstains(finding.test, asked, {(each.arm, each.name): each for each in finding.measures}).status


class Needed(NamedTuple):
    """Whether a benchmark needs its images: a verdict over all models, and why."""

    benchmark: str
    status: Status
    word: str
    reason: str


def needed(evidence: Evidence, sections: Sequence[Section]) -> list[Needed]:
    """For each benchmark that was asked without sight, whether any model beats guessing then."""
    return [_needed(evidence, blind) for blind in blind_arms(evidence, sections)]


def _needed(evidence: Evidence, blind: BlindArm) -> Needed:
    """Whether any model beats guessing without the image, corrected (Holm) over the models."""
    name = blind.findings[0].benchmark
    table = evidence.results.tables[blind.findings[0].model, name]
    chance = wording.figure(float(table.chance[table.arms[blind.arm].ordinal].mean()), "share")
    margins = [found.estimate for each in blind.findings if (found := each.measure(blind.arm, "above_chance"))]
    adjusted = holm([1.0 if each.p is None else each.p for each in margins])
    beating = sum(p < SIGNIFICANT and each.value > 0 for p, each in zip(adjusted, margins, strict=True))
    asked = [each.n for each in margins]
    when = f"when {blind.words} (guessing: {chance}; n {wording.from_to(asked)} questions)"
    if beating:
        reason = f"{beating} of {len(margins)} models beat guessing {when}"
        return Needed(name, Status.FAIL, "not for all of it", reason)
    if all(each.high < blind.section.test.thresholds.margin for each in margins):
        return Needed(name, Status.PASS, "yes", f"no model gets clearly beyond guessing {when}")
    reason = f"no model is shown to beat guessing {when}, none is shown not to"
    return Needed(name, Status.INCONCLUSIVE, "inconclusive", reason)
