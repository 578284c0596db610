"""The chapter of that test: a bar for every model, and one reply as an example."""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from second_look import KEPT
from snellen.report.chapter import Chapter
from snellen.report.evidence.evidence import ArmAddress, Evidence, Saying
from snellen.report.figures.bars import thin_bar
from snellen.report.figures.forests import Number, anchor_of, number
from snellen.report.sections.cards import CardPart, CardQuestion, ForCard, answers
from snellen.report.sections.tests import Section

NAME = "second-look"


class Line(NamedTuple):
    """One model: its bar, its number, and what it said to one of the questions."""

    model: str
    picture: Markup
    number: Number
    saying: Saying


def choose(evidence: Evidence) -> dict[str, tuple[ArmAddress, int]]:
    """The first reply of each model to the second look, which the page must hold."""
    found = [each for each in evidence.results.findings if each.test.name == NAME]
    chosen = {each.model: (ArmAddress(each.model, each.benchmark, each.test.compared[0].name), 0) for each in found}
    for address, place in chosen.values():
        evidence.expect(address, [place])
    evidence.lead_to(chosen.values())
    return chosen


def build(evidence: Evidence, sections: Sequence[Section], chosen: dict[str, tuple[ArmAddress, int]]) -> list[Line]:
    """A line for every model."""
    lines = []
    for finding in (each for section in sections if section.test.name == NAME for each in section.findings):
        address, place = chosen[finding.model]
        kept = finding.measure(address.arm, KEPT.name)
        printed = number(kept, anchor_of(finding, address.arm, evidence.anchors))
        bar = thin_bar(kept.estimate.value, "harmless")
        lines.append(Line(finding.model, bar, printed, evidence.sayings(address, [place])[place]))
    return lines


def cards(evidence: Evidence, sections: Sequence[Section]) -> list[ForCard]:
    """A part of the question whether it is steady, under a heading of its own."""
    [section] = [each for each in sections if each.test.name == NAME]
    given = answers([(each.verdict.status, each.model) for each in section.findings])
    part = CardPart(given, section.resting, anchor=section.anchor, heading="Does it stand by what it saw?")
    return [ForCard(CardQuestion.STEADY, part)]


CHAPTER = Chapter(
    anchor=NAME,
    title="A second look: does the answer stay?",
    short="Second look",
    template="second_look:chapter.html.jinja",
    choose=choose,
    build=build,
    covers=lambda section: False,
    cards=cards,
)
