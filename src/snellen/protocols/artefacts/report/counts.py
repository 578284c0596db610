"""Accuracy, sensitivity and specificity under weak artefacts, in every way to count responses that flag or decline."""

from __future__ import annotations

from collections.abc import Iterator

from snellen.prompts import DETECTION
from snellen.protocols.artefacts.report.tests import WEAK, arms_in_words, describe_way, of_family, wordless
from snellen.report.components import Cell, Fold, Row, Table, name_columns, quiet, rich
from snellen.report.lookup import Lookup, family
from snellen.scoring.findings import Finding

MEASURES = ("accuracy", "sensitivity", "specificity")
SILENT = {"flagged_quality_rate": "flagged", "refusal_rate": "declined"}


def draw_counts(lookup: Lookup) -> Fold | None:
    """A table for every model, benchmark and prompt; None where nothing was measured."""
    findings = of_family(lookup, WEAK)
    published = {
        (each.model, each.benchmark, each.test.name): each
        for each in lookup.evidence.results.beside
        if each.parser == DETECTION.parser and family(each) == WEAK
    }
    mute, tables = wordless(lookup, findings), []
    for finding in findings:
        beside = published.get((finding.model, finding.benchmark, finding.test.name))
        if rows := tuple(_draw_rows(lookup, finding, beside, mute=finding.model in mute)):
            columns = name_columns("image", *MEASURES, "no diagnosis")
            tables.append(Table(columns, rows, folded=describe_way(lookup, finding)))
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
    return Fold("Accuracy, sensitivity and specificity, in every way to count", (quiet(note), *tables))


def _draw_rows(lookup: Lookup, finding: Finding, beside: Finding | None, *, mute: bool) -> Iterator[Row]:
    """Every arm that has a number; a model without words cannot flag, which is not the same as never doing so."""
    silent: list[tuple[str, Finding | None, str]] = [(said, finding, name) for name, said in SILENT.items()]
    for arm, words in arms_in_words(finding.test).items():
        ways: list[list[tuple[str, Finding | None, str]]] = [
            [("wrong", finding, name), ("apart", finding, f"{name}_answered"), ("paper", beside, name)]
            for name in MEASURES
        ]
        lines = [
            tuple(found.printed.cell(said) for said, whose, name in each
                  if whose and (found := lookup.measured(whose, arm, name)))
            for each in (*ways, [] if mute else silent)
        ]  # fmt: skip
        if any(lines[:-1]):
            cells = tuple(Cell(lines=each) if each else Cell("–") for each in lines)
            yield Row(Cell(words), cells, finding.model, finding.benchmark)
