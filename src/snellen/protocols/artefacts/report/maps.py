"""Heat maps of artefacts: what weak ones cost, and how often strong ones are flagged.

Artefacts stand across, modalities and prompts down; every cell has its number and interval, and a shade beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from snellen.protocols.artefacts.report.tests import STRONG, WEAK, arms_by_artefact, artefacts_of, of_family, strategy
from snellen.protocols.artefacts.tests.arms import ALL_ARTEFACTS
from snellen.protocols.artefacts.tests.strong import RATE
from snellen.report.figures.layout import HeatCell, HeatRow
from snellen.report.figures.standalone import About, Figure, datum
from snellen.report.lookup import Found, Lookup
from snellen.report.sections.tests import label
from snellen.report.words import numbers as wording
from snellen.report.words.arms import artefact_words
from snellen.report.words.numbers import figure
from snellen.scoring.findings import Finding
from snellen.stress.conclusions import significant

STEPS = 10
"""How many shades there are above none."""
DARKEST = 0.5
"""The change, as a share of what there was, from which on a cell is as dark as can be."""
MOST_GROUPS = 8
"""Of more modalities than this, the largest are shown."""
AS_IT_IS = "image as it is"
SPOKEN = "quality_mentioned_rate"
BY_JUDGE = "detection_rate_by_judge"


class MapCell(NamedTuple):
    """A number, how its cell looks, what else stands in it, and whether it is surely lower than before."""

    found: Found
    look: str
    note: str = ""
    sure: bool = False


class MapRow(NamedTuple):
    """One prompt: how many items, and a cell for every column."""

    words: str
    n: str
    cells: tuple[MapCell | None, ...]


class MapBlock(NamedTuple):
    """The rows of one model, or of one modality."""

    label: str
    rows: tuple[MapRow, ...]


@dataclass(frozen=True)
class ArtefactMaps:
    """What stands across; all images with a block for every model; and for each model a block for every modality."""

    columns: tuple[str, ...]
    overview: tuple[MapBlock, ...]
    by_modality: tuple[tuple[str, tuple[MapBlock, ...]], ...] = ()
    figures: tuple[Figure, ...] = ()
    """The overview, then each model by modality, as figures of their own; none where there is nothing to see."""


Cells = Callable[[Finding], tuple[MapCell | None, ...]]


def weak_maps(lookup: Lookup) -> ArtefactMaps:
    """The percentage change under every weak artefact."""
    findings = of_family(lookup, WEAK)
    names = artefacts_of(findings)

    def cells(finding: Finding) -> tuple[MapCell | None, ...]:
        return tuple(_change(lookup, finding, arm) for arm in _columns(finding, names))

    made = _maps(lookup, findings, (*map(artefact_words, names), ALL_ARTEFACTS), cells)
    return _with_figures(lookup, made, "weak-artefacts-map", "Relative change in accuracy under weak artefacts")


def strong_maps(lookup: Lookup) -> ArtefactMaps:
    """How often an image is flagged as too poor: as it is, then under every strong artefact."""
    findings = of_family(lookup, STRONG)
    names = artefacts_of(findings)

    def cells(finding: Finding) -> tuple[MapCell | None, ...]:
        clean = rate_cell(lookup, finding, finding.test.baseline.name, RATE)
        return (clean, *(_flagged(lookup, finding, arm) for arm in _columns(finding, names)))

    made = _maps(lookup, findings, (AS_IT_IS, *map(artefact_words, names), ALL_ARTEFACTS), cells)
    return _with_figures(lookup, made, "strong-artefacts-map", "Images flagged as too poor")


def _columns(finding: Finding, names: Sequence[str]) -> list[str]:
    """The arms in the order of the columns; nothing where this test does not ask about an artefact."""
    arms = arms_by_artefact(finding.test)
    return [*(arms.get(name, "") for name in names), ALL_ARTEFACTS]


def _maps(lookup: Lookup, findings: Sequence[Finding], columns: tuple[str, ...], cells: Cells) -> ArtefactMaps:
    overview, apart = [], []
    for whose, those in _by_model(lookup, findings).items():
        overview.append(MapBlock(whose, _rows(lookup, [each for each in those if each.measures], cells)))
        groups = [lookup.categories(each) for each in those]
        sizes = {name: _size(group) for some in groups for name, group in some.items()}
        largest = sorted(sizes, key=lambda name: -sizes[name])[:MOST_GROUPS]
        rows = {name: _rows(lookup, [some[name] for some in groups if name in some], cells) for name in largest}
        apart.append((whose, tuple(MapBlock(name, those) for name, those in rows.items() if _told(those))))
    there = [block for block in overview if block.rows]
    return ArtefactMaps(
        columns,
        tuple(there) if any(_told(block.rows) for block in there) else (),
        tuple((whose, blocks) for whose, blocks in apart if blocks),
    )


def _with_figures(lookup: Lookup, maps: ArtefactMaps, name: str, words: str) -> ArtefactMaps:
    """The same maps, also as figures of their own."""
    drawn = [(name, words, maps.overview)] if maps.overview else []
    drawn += [(f"{name}-{whose}", f"{words}, {whose} by kind of image", blocks) for whose, blocks in maps.by_modality]
    return replace(maps, figures=tuple(_figure(lookup, maps.columns, each) for each in drawn))


def _figure(lookup: Lookup, columns: Sequence[str], drawn: tuple[str, str, Sequence[MapBlock]]) -> Figure:
    name, words, blocks = drawn
    rows = [
        HeatRow(row.words, f"n {row.n}", tuple(map(_heated, row.cells)), block.label if row is block.rows[0] else "")
        for block in blocks
        for row in block.rows
    ]
    found = [cell.found for block in blocks for row in block.rows for cell in row.cells if cell]
    about = About((name,), words, "Small figures are 95% CIs; the stronger the colour, the larger the number")
    return lookup.evidence.figures.cells(about, columns, rows, [datum(each.finding, each.measure) for each in found])


def _heated(cell: MapCell | None) -> HeatCell | None:
    if cell is None:
        return None
    *cool, shade = cell.look.split()
    return HeatCell(
        cell.found.printed.value, cell.found.printed.interval, int(shade.removeprefix("heat-")) / STEPS, bool(cool)
    )


def _told(rows: Sequence[MapRow]) -> bool:
    """Whether any cell has a number."""
    return any(cell for row in rows for cell in row.cells)


def _by_model(lookup: Lookup, findings: Sequence[Finding]) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for each in findings:
        found.setdefault(label(each, lookup.evidence), []).append(each)
    return found


def _rows(lookup: Lookup, findings: Sequence[Finding], cells: Cells) -> tuple[MapRow, ...]:
    study = lookup.evidence.results.study
    rows = ((strategy(each.test, study), cells(each)) for each in findings)
    return tuple(MapRow(words, counted(made), made) for words, made in rows)


def counted(cells: Sequence[MapCell | None]) -> str:
    """How many items stand behind the cells of a row."""
    sizes = [cell.found.estimate.n for cell in cells if cell]
    return wording.from_to(sizes) if sizes else "–"


def _size(finding: Finding) -> int:
    return max((measure.estimate.n for measure in finding.measures), default=0)


def _change(lookup: Lookup, finding: Finding, arm: str) -> MapCell | None:
    measure = finding.measure(arm, "percent_change")
    if measure is None:
        return None
    value, moved = measure.estimate.value, finding.measure(arm, "difference")
    shade = f"heat-{round(STEPS * min(1.0, abs(value) / DARKEST))}"
    sure = moved is not None and value < 0 and not finding.group and significant(moved)
    return MapCell(
        lookup.printed(finding, measure), f"cool {shade}" if value > 0 else shade, _moved(finding, arm), sure
    )


def _moved(finding: Finding, arm: str) -> str:
    """The accuracy before and after, on the same items."""
    before, change = finding.measure(arm, "baseline_accuracy"), finding.measure(arm, "difference")
    if before is None or change is None:
        return ""
    after = min(1.0, max(0.0, before.estimate.value + change.estimate.value))
    return f"{wording.figure(before.estimate.value, 'share')} → {wording.figure(after, 'share')}"


def rate_cell(lookup: Lookup, finding: Finding, arm: str, name: str) -> MapCell | None:
    """A rate that is the worse the higher it is."""
    measure = finding.measure(arm, name)
    return None if measure is None else MapCell(lookup.printed(finding, measure), _shade(measure.estimate.value))


def _flagged(lookup: Lookup, finding: Finding, arm: str) -> MapCell | None:
    """How often what nobody can read is flagged; beside it how often its quality is spoken of at all, if more often."""
    cell = rate_cell(lookup, finding, arm, RATE)
    if cell is None:
        return None
    spoken = finding.measure(arm, SPOKEN)
    more = spoken is not None and spoken.estimate.value > cell.found.estimate.value
    said = [f"spoken of {wording.figure(spoken.estimate.value, 'share')}"] if spoken is not None and more else []
    return cell._replace(look=f"cool {cell.look}", note=", ".join((*said, *judged(finding, arm, BY_JUDGE))))


def judged(finding: Finding, arm: str, name: str) -> list[str]:
    """A judge's number in words; nothing where no judge was asked."""
    found = finding.measure(arm, name)
    return [] if found is None else [f"judge {wording.figure(found.estimate.value, 'share')}"]


def _shade(value: float) -> str:
    return f"heat-{round(STEPS * min(1.0, max(0.0, value)))}"


CONFLICT = "conflict_rate_reasoned"
CONFLICT_BY_JUDGE = "conflict_rate_by_judge"


class _Way(NamedTuple):
    """One model on one benchmark asked in one way."""

    model: str
    benchmark: str
    baseline: str


def conflict_maps(lookup: Lookup) -> ArtefactMaps:
    """One map of all models; those whose responses never reason are not in it."""
    by_strength = {"weak": of_family(lookup, WEAK), "strong": of_family(lookup, STRONG)}
    columns = [(how, name) for how, findings in by_strength.items() for name in artefacts_of(findings)]
    ways: dict[_Way, dict[str, Finding]] = {}
    for how, findings in by_strength.items():
        for each in findings:
            ways.setdefault(_Way(each.model, each.benchmark, each.test.baseline.name), {})[how] = each
    blocks: dict[str, list[MapRow]] = {}
    for found in ways.values():
        cells = _cells(lookup, found, columns)
        if any(cells):
            words = strategy(next(iter(found.values())).test, lookup.evidence.results.study)
            whose = label(next(iter(found.values())), lookup.evidence)
            blocks.setdefault(whose, []).append(MapRow(words, counted(cells), cells))
    made = tuple(MapBlock(whose, tuple(rows)) for whose, rows in blocks.items())
    heads = (AS_IT_IS, *(f"{artefact_words(name)}, {how}" for how, name in columns))
    words = "Responses whose reasons and conclusion conflict, of those that reason"
    return _with_figures(lookup, ArtefactMaps(heads, made), "artefacts-conflicts-map", words)


def _cells(lookup: Lookup, found: dict[str, Finding], columns: list[tuple[str, str]]) -> tuple[MapCell | None, ...]:
    first = next(iter(found.values()))
    cells = [_cell(lookup, first, first.test.baseline.name)]
    for how, name in columns:
        arm = arms_by_artefact(found[how].test).get(name, "") if how in found else ""
        cells.append(_cell(lookup, found[how], arm) if arm else None)
    return tuple(cells)


def _cell(lookup: Lookup, finding: Finding, arm: str) -> MapCell | None:
    """The rate among responses that reason; beside it the rate among all, where some do not."""
    cell, of_all = rate_cell(lookup, finding, arm, CONFLICT), finding.measure(arm, "conflict_rate")
    if cell is None:
        return None
    some = of_all is not None and of_all.estimate.n != cell.found.estimate.n
    said = [f"of all {figure(of_all.estimate.value, 'share')}"] if of_all is not None and some else []
    return cell._replace(note=", ".join((*said, *judged(finding, arm, CONFLICT_BY_JUDGE))))
