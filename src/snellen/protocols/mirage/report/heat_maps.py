"""Heat maps as tables: categories down, scaffolds across, a number and a shade in every cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from snellen.protocols.mirage.report.rate import RATE
from snellen.protocols.mirage.tests.rate import scaffold_of
from snellen.report.lookup import Found, Lookup
from snellen.report.sections.tests import Section
from snellen.report.words.numbers import from_to
from snellen.scoring.findings import Finding

STEPS = 10
"""How many shades there are above none."""


class Cell(NamedTuple):
    """A rate, and how dark it is."""

    found: Found
    shade: int


@dataclass(frozen=True)
class Row:
    """One category: how many questions, and a cell for every scaffold."""

    category: str
    n: str
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True)
class HeatMap:
    """One model: its categories by domain."""

    model: str
    domains: tuple[tuple[str, tuple[Row, ...]], ...]


@dataclass(frozen=True)
class HeatMaps:
    """All models with a rate by category; those that nowhere describe anything are only named."""

    scaffolds: tuple[str, ...]
    maps: tuple[HeatMap, ...]
    nowhere: tuple[str, ...]


def heat_maps(lookup: Lookup, section: Section) -> HeatMaps:
    """The maps of one test."""
    maps, nowhere = [], []
    for finding in section.findings:
        rows = {name: _row(lookup, name, each) for name, each in lookup.categories(finding).items()}
        cells = [cell for row in rows.values() for cell in row.cells if cell]
        if any(cell.found.estimate.value > 0 for cell in cells):
            maps.append(HeatMap(finding.model, _by_domain(lookup, finding, rows)))
        elif cells:
            nowhere.append(finding.model)
    return HeatMaps(tuple(scaffold_of(arm.name) for arm in section.test.all_arms), tuple(maps), tuple(nowhere))


def _row(lookup: Lookup, category: str, group: Finding) -> Row:
    measures = [group.measure(arm.name, RATE) for arm in group.test.all_arms]
    cells = tuple(None if each is None else _cell(lookup.printed(group, each)) for each in measures)
    counts = [each.estimate.n for each in measures if each is not None]
    return Row(category, from_to(counts) if counts else "0", cells)


def _cell(found: Found) -> Cell:
    return Cell(found, round(STEPS * min(1.0, max(0.0, found.estimate.value))))


def _by_domain(lookup: Lookup, finding: Finding, rows: dict[str, Row]) -> tuple[tuple[str, tuple[Row, ...]], ...]:
    """The categories under their domains, both as the questions bring them."""
    items = lookup.evidence.results.tables[finding.model, finding.benchmark].items
    domains: dict[str, dict[str, Row]] = {}
    for item in items:
        if item.category in rows:
            domain = str(item.metadata.get("domain", ""))
            domains.setdefault(domain, {})[item.category] = rows[item.category]
    return tuple((domain, tuple(those.values())) for domain, those in domains.items())
