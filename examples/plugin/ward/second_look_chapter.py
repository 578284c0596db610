"""The chapter of that test: a bar for every model, which is a figure too, and one response as an example."""

from collections.abc import Sequence

from snellen.report.chapter import Chapter
from snellen.report.components import Cell, Column, Note, Part, Row, Table
from snellen.report.evidence.evidence import ArmAddress, Evidence
from snellen.report.figures.bars import thin_bar
from snellen.report.figures.drawn import add_figure
from snellen.report.figures.forests import anchor_of, number
from snellen.report.figures.layout import axis_of
from snellen.report.figures.marks import scale
from snellen.report.figures.standalone import About, datum
from snellen.report.sections.tests import ShownTest
from ward.second_look import KEPT

NAME = "second-look"
COLUMNS = (Column("model"), Column("drawn"), Column("keeps its answer"), Column("for example"))


def choose(evidence: Evidence) -> dict[str, tuple[ArmAddress, int]]:
    """The first response of each model to the second look, which the page must hold."""
    found = [each for each in evidence.results.findings if each.test.name == NAME]
    chosen = {each.model: (ArmAddress(each.model, each.benchmark, each.test.compared[0].name), 0) for each in found}
    for address, place in chosen.values():
        evidence.expect(address, [place])
    evidence.lead_to(chosen.values())
    return chosen


def build(evidence: Evidence, sections: Sequence[ShownTest], chosen: dict[str, tuple[ArmAddress, int]]) -> list[Part]:
    """A sentence, and a row for every model; the rows are also a figure in OUT/figures, as SVG and CSV."""
    rows, data = [], []
    for finding in (each for section in sections if section.test.name == NAME for each in section.findings):
        address, place = chosen[finding.model]
        kept = finding.measure(address.arm, KEPT.name)
        if kept is None:
            continue
        printed = number(kept, anchor_of(finding, address.arm, evidence.anchors))
        bar = Cell(drawing=thin_bar(kept.estimate.value, "harmless"))
        said = evidence.sayings(address, [place])[place].reply.text[:80]
        rows.append(Row(Cell(finding.model), (bar, printed.cell(), Cell(said)), finding.model))
        data.append(datum(finding, kept))
    if not rows:
        return [Note("No model answered twice.")]
    about = About((NAME, KEPT.name), "How often each model keeps its answer", "Bars are the shares of its answers")
    axis = axis_of(scale([], "share"), "Answers kept (%)")
    return [Note(f"{about.shown}."), add_figure(evidence, Table(COLUMNS, tuple(rows)), about, data, axis)]


CHAPTER = Chapter(
    anchor=NAME,
    title="A second look: does the answer stay?",
    short="Second look",
    choose=choose,
    build=build,
    covers=lambda section: False,
)
