"""Invented details: how many mirages state a name, a date, a number, a place or an urgent diagnosis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from snellen.grading.invented.parser import DETAIL_KINDS
from snellen.protocols.mirage.invented_details import IDENTIFIERS, rate_named
from snellen.protocols.mirage.tests.rate import scaffold_of
from snellen.report.lookup import Found, Lookup
from snellen.report.sections.tests import ShownTest


@dataclass(frozen=True)
class InventedLine:
    """One model under one scaffold: the share with any identifier, and that of each kind; None where none was read."""

    model: str
    scaffold: str
    cells: tuple[Found | None, ...]


@dataclass(frozen=True)
class InventedTable:
    """The kinds that anybody states, and a line for each model and scaffold."""

    columns: tuple[str, ...]
    lines: tuple[InventedLine, ...]


def invented_table(lookup: Lookup, section: ShownTest) -> InventedTable | None:
    """The details that mirages of one test state; None where no response was read for them or none states any."""
    ever = {measure.name for each in section.findings for measure in each.measures if measure.estimate.value > 0}
    names = {rate_named(kind): words for kind, words in DETAIL_KINDS.items() if rate_named(kind) in ever}
    if not names:
        return None
    columns = {IDENTIFIERS: "any identifier", **names}
    return InventedTable(tuple(columns.values()), tuple(_lines(lookup, section, list(columns))))


def _lines(lookup: Lookup, section: ShownTest, names: Sequence[str]) -> list[InventedLine]:
    made = []
    for finding in section.findings:
        for arm in finding.test.all_arms:
            measures = [finding.measure(arm.name, name) for name in names]
            if measures[0] is not None:
                cells = tuple(None if each is None else lookup.printed(finding, each) for each in measures)
                made.append(InventedLine(finding.model, scaffold_of(arm.name), cells))
    return made
