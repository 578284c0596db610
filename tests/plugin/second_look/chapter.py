"""The chapter of that test: a bar for every model, and one reply as an example."""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from second_look import KEPT
from snellen.report.chapter import Chapter
from snellen.report.evidence.evidence import ArmAddress, Evidence, Saying
from snellen.report.figures.bars import thin_bar
from snellen.report.figures.forests import Number, anchor_of, number
from snellen.report.sections.tests import ShownTest

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


def build(evidence: Evidence, sections: Sequence[ShownTest], chosen: dict[str, tuple[ArmAddress, int]]) -> list[Line]:
    """A line for every model."""
    lines = []
    for finding in (each for section in sections if section.test.name == NAME for each in section.findings):
        address, place = chosen[finding.model]
        kept = finding.measure(address.arm, KEPT.name)
        printed = number(kept, anchor_of(finding, address.arm, evidence.anchors))
        bar = thin_bar(kept.estimate.value, "harmless")
        lines.append(Line(finding.model, bar, printed, evidence.sayings(address, [place])[place]))
    return lines


CHAPTER = Chapter(
    anchor=NAME,
    title="A second look: does the answer stay?",
    short="Second look",
    template="second_look:chapter.html.jinja",
    choose=choose,
    build=build,
    covers=lambda section: False,
)
