"""Task VIII: how often a wrong image is named, how often a right one is called wrong, and what responses say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from snellen.grading.outcomes import Outcome
from snellen.protocols.pathway.report.profile import CONTRADICTION
from snellen.protocols.pathway.tests.mismatched_image import ALARMS, NAMED
from snellen.report.evidence.evidence import ArmAddress, Evidence, Saying, row_anchor
from snellen.report.evidence.sampling import first_by_hash
from snellen.report.figures.forests import Forest, forest
from snellen.report.lookup import Lookup, family
from snellen.report.sections.graders import contradictions_read_by
from snellen.report.sections.tests import ShownTest

TRIES = 5
"""Of so many responses that a hash chooses, the shortest is quoted."""
KINDS = {"names the contradiction": Outcome.CORRECT, "does not name it": Outcome.WRONG}
Chosen = dict[tuple[str, str], list[tuple[ArmAddress, int]]]
"""By model and what the response does, those that may be quoted."""


@dataclass(frozen=True)
class NamedQuote:
    """A response, what it does, how many of the model's responses do the same, and where it is."""

    words: str
    outcome: Outcome
    count: int
    of: int
    saying: Saying
    anchor: str


@dataclass(frozen=True)
class Contradictions:
    """The test over all models: the rates, and quotes of each model side by side."""

    section: ShownTest
    plots: tuple[Forest, ...]
    quotes: tuple[tuple[str, tuple[NamedQuote, ...]], ...]
    read_by: tuple[str, ...]


def choose(evidence: Evidence) -> Chosen:
    """A few responses of each model that name the contradiction, and a few that do not; expected from the store."""
    chosen: Chosen = {}
    for address in _addresses(evidence):
        grades = evidence.grades(address)
        for words, outcome in KINDS.items():
            places = np.flatnonzero(grades.is_(outcome))
            if len(places) and (address.model, words) not in chosen:
                chosen[address.model, words] = first_by_hash(evidence, {address: places}, TRIES)
    for address, place in (each for some in chosen.values() for each in some):
        evidence.expect(address, [place])
    evidence.lead_to(each for some in chosen.values() for each in some)
    return chosen


def _addresses(evidence: Evidence) -> list[ArmAddress]:
    """Where contradictory images were shown."""
    wanted = {
        ArmAddress(each.model, each.benchmark, arm.name)
        for each in evidence.results.findings
        if family(each) == CONTRADICTION
        for arm in each.test.compared
    }
    return [address for address in evidence.anchors if address in wanted]


def contradictions(lookup: Lookup, sections: Sequence[ShownTest], chosen: Chosen) -> list[Contradictions]:
    """A part for every test of the family."""
    made = []
    for section in (each for each in sections if family(each.findings[0]) == CONTRADICTION):
        several = len({each.benchmark for each in section.findings}) > 1
        arms = (
            (section.test.compared[0].name, NAMED, "Contradictions named, where the image is of another kind (%)"),
            (section.test.baseline.name, ALARMS, "Contradictions named where there is none: false alarms (%)"),
        )
        plots = (
            forest(
                section.findings,
                arm,
                name,
                evidence=lookup.evidence,
                label=lambda each: f"{each.model} on {each.benchmark}" if several else each.model,  # noqa: B023
                caption=caption,
            )
            for arm, name, caption in arms
        )
        found = tuple(each for each in plots if each is not None)
        made.append(
            Contradictions(
                section, found, tuple(_quotes(lookup.evidence, chosen)), tuple(contradictions_read_by(lookup.evidence))
            )
        )
    return made


def _quotes(evidence: Evidence, chosen: Chosen) -> list[tuple[str, tuple[NamedQuote, ...]]]:
    models = dict.fromkeys(model for model, _ in chosen)
    return [
        (model, tuple(_quote(evidence, words, chosen[model, words]) for words in KINDS if (model, words) in chosen))
        for model in models
    ]


def _quote(evidence: Evidence, words: str, few: Sequence[tuple[ArmAddress, int]]) -> NamedQuote:
    sayings = [(address, place, evidence.sayings(address, [place])[place]) for address, place in few]
    address, place, saying = min(sayings, key=lambda each: len(each[2].reply.text))
    grades = evidence.grades(address)
    alike = int(grades.is_(KINDS[words]).sum())
    return NamedQuote(words, KINDS[words], alike, len(grades), saying, row_anchor(evidence, address, place))
