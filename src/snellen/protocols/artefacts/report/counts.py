"""Accuracy, sensitivity and specificity under weak artefacts, in every way to count responses that flag or decline."""

from __future__ import annotations

from collections.abc import Iterator

from snellen.prompts import DETECTION
from snellen.protocols.artefacts.report.maps import AS_IT_IS
from snellen.protocols.artefacts.report.tests import WEAK, arms_by_artefact, describe_way, of_family, wordless
from snellen.report.components import Cell, Column, Fold, Note, Row, Table, rich
from snellen.report.lookup import Lookup, family
from snellen.report.words.arms import artefact_words
from snellen.scoring.findings import Finding

MEASURES = ("accuracy", "sensitivity", "specificity")
SILENT = {"flagged_quality_rate": "flagged", "refusal_rate": "declined"}
WRONG, APART, PAPER = "wrong", "apart", "paper"
"""The ways: what flags or declines counts as wrong; it is set apart; as wrong, and read as published."""
COLUMNS = (Column("image"), *map(Column, MEASURES), Column("no diagnosis"))
Ways = tuple[tuple[str, Finding | None, str], ...]
"""For each number in a cell its word, whose it is, and its measure."""


def draw_counts(lookup: Lookup) -> Fold | None:
    """A table for every model, benchmark and prompt; None where nothing was measured."""
    findings = of_family(lookup, WEAK)
    published = {
        (each.model, each.benchmark, each.test.name): each
        for each in lookup.evidence.results.beside
        if each.parser == DETECTION.parser and family(each) == WEAK
    }
    mute = wordless(lookup, findings)
    tables = []
    for finding in findings:
        beside = published.get((finding.model, finding.benchmark, finding.test.name))
        if rows := tuple(_draw_rows(lookup, finding, beside, mute=finding.model in mute)):
            tables.append(Table(COLUMNS, rows, folded=describe_way(lookup, finding)))
    if not tables:
        return None
    read = "**Paper** counts as wrong and reads as published: any response that speaks of poor quality is one that "
    note = rich(
        "A response that flags the image or declines is no diagnosis. **Wrong** counts it as wrong, as the paper does. "
        "**Apart** leaves it out: of the responses that do diagnose, how many are right. "
        f"{f'{read}flags, even if it then diagnoses. ' if published else ''}"
        "Sensitivity is of the diseased images, specificity of the normal ones. Flagged and declined are shares of all "
        "responses."
    )
    return Fold("Accuracy, sensitivity and specificity, in every way to count", (Note(note, look="quiet"), *tables))


def _draw_rows(lookup: Lookup, finding: Finding, beside: Finding | None, *, mute: bool) -> Iterator[Row]:
    """Every arm that has a number; a model without words cannot flag, which is not the same as never doing so."""
    arms = {AS_IT_IS: finding.test.baseline.name}
    arms |= {artefact_words(name): arm for name, arm in arms_by_artefact(finding.test).items()}
    silent: Ways = () if mute else tuple((said, finding, name) for name, said in SILENT.items())
    for words, arm in arms.items():
        counted = [
            _draw_ways(
                lookup, arm, ((WRONG, finding, name), (APART, finding, f"{name}_answered"), (PAPER, beside, name))
            )
            for name in MEASURES
        ]
        if any(cell.lines for cell in counted):
            cells = (*counted, _draw_ways(lookup, arm, silent))
            yield Row(Cell(words), cells, finding.model, finding.benchmark)


def _draw_ways(lookup: Lookup, arm: str, ways: Ways) -> Cell:
    """The numbers of one arm below one another, each after its word; a dash where there is none."""
    lines = tuple(
        lookup.printed(finding, measure).printed.cell(words)
        for words, finding, name in ways
        if finding is not None and (measure := finding.measure(arm, name)) is not None
    )
    return Cell(lines=lines) if lines else Cell("–")
