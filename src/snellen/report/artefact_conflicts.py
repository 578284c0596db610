"""Conflicts: how often a reply's reasons say one thing and its conclusion the other, under every artefact."""

from __future__ import annotations

from typing import NamedTuple

from snellen.findings import Finding
from snellen.report.arms import artefact_words
from snellen.report.artefact_maps import AS_IT_IS, ArtefactMaps, Block, Cell, Row, counted, judged, rate_cell
from snellen.report.artefact_tests import STRONG, WEAK, arms_by_artefact, artefacts_of, of_family, strategy
from snellen.report.lookup import Lookup
from snellen.report.sections import label
from snellen.report.wording import figure

CONFLICT = "conflict_rate_reasoned"
BY_JUDGE = "conflict_rate_by_judge"


class _Way(NamedTuple):
    """One model on one benchmark asked in one way."""

    model: str
    benchmark: str
    baseline: str


def conflict_maps(lookup: Lookup) -> ArtefactMaps:
    """One map of all models; those whose replies never reason are not in it."""
    by_strength = {"weak": of_family(lookup, WEAK), "strong": of_family(lookup, STRONG)}
    columns = [(how, name) for how, findings in by_strength.items() for name in artefacts_of(findings)]
    ways: dict[_Way, dict[str, Finding]] = {}
    for how, findings in by_strength.items():
        for each in findings:
            ways.setdefault(_Way(each.model, each.benchmark, each.test.baseline.name), {})[how] = each
    blocks: dict[str, list[Row]] = {}
    for found in ways.values():
        cells = _cells(lookup, found, columns)
        if any(cells):
            words = strategy(next(iter(found.values())).test, lookup.evidence.results.study)
            whose = label(next(iter(found.values())), lookup.evidence)
            blocks.setdefault(whose, []).append(Row(words, counted(cells), cells))
    made = tuple(Block(whose, tuple(rows)) for whose, rows in blocks.items())
    heads = (AS_IT_IS, *(f"{artefact_words(name)}, {how}" for how, name in columns))
    return ArtefactMaps(heads, made)


def _cells(lookup: Lookup, found: dict[str, Finding], columns: list[tuple[str, str]]) -> tuple[Cell | None, ...]:
    first = next(iter(found.values()))
    cells = [_cell(lookup, first, first.test.baseline.name)]
    for how, name in columns:
        arm = arms_by_artefact(found[how].test).get(name, "") if how in found else ""
        cells.append(_cell(lookup, found[how], arm) if arm else None)
    return tuple(cells)


def _cell(lookup: Lookup, finding: Finding, arm: str) -> Cell | None:
    """The rate among replies that reason; beside it the rate among all, where some do not."""
    cell, of_all = rate_cell(lookup, finding, arm, CONFLICT), finding.measure(arm, "conflict_rate")
    if cell is None:
        return None
    some = of_all is not None and of_all.estimate.n != cell.found.estimate.n
    said = [f"of all {figure(of_all.estimate.value, 'share')}"] if of_all is not None and some else []
    return cell._replace(note=", ".join((*said, *judged(finding, arm, BY_JUDGE))))
