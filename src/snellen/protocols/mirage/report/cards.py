"""Mirages on the first screen: what the models do when nobody sent an image, and what they diagnose then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from snellen.protocols.mirage.tests.rate import scaffold_of
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.forests import Forest, forest, resting
from snellen.report.lookup import family
from snellen.report.sections.blind_arms import DESCRIBES
from snellen.report.sections.cards import ForCard, Part, Question, answers, briefly
from snellen.report.sections.tests import Section
from snellen.scoring.findings import Finding
from snellen.stress.base import Status

RATE = "mirage_rate"
HEADING = "Does it describe an image that nobody sent?"
DIAGNOSES = {
    Status.PASS: "It diagnoses nothing",
    Status.FAIL: "It diagnoses what was not there",
    Status.INCONCLUSIVE: "Cannot tell",
}


def cards(evidence: Evidence, sections: Sequence[Section]) -> Iterator[ForCard]:
    """The mirage rate as pictures, bare and under what fools each model most; diagnoses in a line.

    They come first where no other test looked at the words of the replies, and last where one did.
    """
    read = any(each.test.headline == "described_rate" for each in sections)
    for section in (each for each in sections if family(each.findings[0]) in ("mirage-rate", "mirage-bias")):
        rates = section.test.headline == RATE
        statuses = [(each.verdict.status, each.model) for each in section.findings]
        given = answers(statuses, DESCRIBES if rates else DIAGNOSES)
        part = Part(given, anchor=section.anchor, heading=HEADING if rates else section.test.name)
        drawn = replace(part, forests=tuple(_forests(evidence, section))) if rates else briefly(part)
        yield ForCard(Question.KNOWS, drawn, "last" if read else "first")


def _forests(evidence: Evidence, section: Section) -> list[Forest]:
    first = section.test.baseline.name
    drawn = forest(section.findings, first, RATE, anchors=evidence.anchors, label=_model)
    made = []
    if drawn is not None:
        words = "asked bare" if scaffold_of(first) == "none" else f"asked under the scaffold {scaffold_of(first)}"
        made.append(replace(drawn, caption=f"Mirage rate: replies that describe the image, {words}"))
    arms = {each.verdict.rests_on.arm for each in section.findings if each.verdict.rests_on is not None}
    if arms - {first}:
        only = f", {scaffold_of(next(iter(arms)))}" if len(arms) == 1 else ""
        plots = resting(section.findings, anchors=evidence.anchors, label=_model, arm_words=scaffold_of)
        made += [replace(plot, caption=f"Under the scaffold that fools it most{only}") for plot in plots]
    return made


def _model(finding: Finding) -> str:
    return finding.model
