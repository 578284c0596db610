"""Heat maps of artefacts: what weak ones cost, how often strong ones are flagged, and where reasons conflict.

Artefacts stand across, models and prompts down; every cell has its number and interval, and a shade beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup

from snellen.protocols.artefacts.report.tests import STRONG, WEAK, arms_by_artefact, artefacts_of, of_family, strategy
from snellen.protocols.artefacts.tests.arms import ALL_ARTEFACTS
from snellen.protocols.artefacts.tests.strong import RATE
from snellen.report.components import Cell, Column, Fold, Row, Table, fold_if_long
from snellen.report.figures.layout import HeatCell, HeatRow
from snellen.report.figures.standalone import About, datum
from snellen.report.lookup import Found, Lookup
from snellen.report.sections.tests import label
from snellen.report.words import numbers as wording
from snellen.report.words.arms import artefact_words
from snellen.scoring.findings import Finding
from snellen.stress.conclusions import significant

DARKEST = 0.5
"""The change, as a share of what there was, from which on a cell is as dark as can be."""
MOST_GROUPS = 8
"""Of more modalities than this, the largest are shown."""
AS_IT_IS = "image as it is"


class Shaded(NamedTuple):
    """A number, how strongly its cell is shaded, whether it is a good one, and what else stands in the cell."""

    found: Found
    shade: float
    cool: bool = False
    notes: tuple[str, ...] = ()


Cells = tuple[Shaded | None, ...]
Line = tuple[str, str, Cells]
"""What stands above a row if it is new, the words of the row, and a cell for every column."""


def draw_weak_maps(lookup: Lookup) -> list[Table | Fold]:
    """The percentage change under every weak artefact; and for each model the same by kind of image."""
    findings = of_family(lookup, WEAK)
    names = artefacts_of(findings)

    def find_cells(finding: Finding) -> Cells:
        return tuple(_find_change(lookup, finding, arm) for arm in _columns(finding, names))

    about = ("weak-artefacts-map", "Relative change in accuracy under weak artefacts")
    return list(_draw_maps(lookup, findings, (*map(artefact_words, names), ALL_ARTEFACTS), find_cells, about))


def draw_strong_maps(lookup: Lookup) -> list[Table | Fold]:
    """How often an image is flagged as too poor: as it is, then under every strong artefact."""
    findings = of_family(lookup, STRONG)
    names = artefacts_of(findings)

    def find_cells(finding: Finding) -> Cells:
        clean = _find_rate(lookup, finding, finding.test.baseline.name, RATE)
        return (clean, *(_find_flagged(lookup, finding, arm) for arm in _columns(finding, names)))

    columns = (AS_IT_IS, *map(artefact_words, names), ALL_ARTEFACTS)
    return list(
        _draw_maps(lookup, findings, columns, find_cells, ("strong-artefacts-map", "Images flagged as too poor"))
    )


def draw_conflict_map(lookup: Lookup) -> Table | None:
    """How often reasons and conclusion conflict; models whose responses never reason are not in it."""
    by_strength = {"weak": of_family(lookup, WEAK), "strong": of_family(lookup, STRONG)}
    columns = [(how, name) for how, findings in by_strength.items() for name in artefacts_of(findings)]
    ways: dict[tuple[str, str, str], dict[str, Finding]] = {}
    for how, findings in by_strength.items():
        for each in findings:
            ways.setdefault((each.model, each.benchmark, each.test.baseline.name), {})[how] = each
    lines = [
        _line(lookup, next(iter(found.values())), _find_conflicts(lookup, found, columns)) for found in ways.values()
    ]
    told = sorted((line for line in lines if any(line[2])), key=lambda line: [each[0] for each in lines].index(line[0]))
    heads = (AS_IT_IS, *(f"{artefact_words(name)}, {how}" for how, name in columns))
    words = "Responses whose reasons and conclusion conflict, of those that reason"
    return _draw_map(lookup, heads, told, ("artefacts-conflicts-map", words))


def _columns(finding: Finding, names: Sequence[str]) -> list[str]:
    """The arms in the order of the columns; nothing where this test does not ask about an artefact."""
    arms = arms_by_artefact(finding.test)
    return [*(arms.get(name, "") for name in names), ALL_ARTEFACTS]


def _line(lookup: Lookup, finding: Finding, cells: Cells, heading: str = "") -> Line:
    words = strategy(finding.test, lookup.evidence.results.study)
    return heading or label(finding, lookup.evidence), words, cells


def _draw_maps(
    lookup: Lookup,
    findings: Sequence[Finding],
    columns: tuple[str, ...],
    find_cells: Callable[[Finding], Cells],
    about: tuple[str, str],
) -> Iterator[Table | Fold]:
    """All images, with the rows of every model; then each model by kind of image, the largest kinds."""
    by_model: dict[str, list[Finding]] = {}
    for each in findings:
        by_model.setdefault(label(each, lookup.evidence), []).append(each)
    name, words = about
    lines = [_line(lookup, each, find_cells(each)) for those in by_model.values() for each in those if each.measures]
    if (overview := _draw_map(lookup, columns, lines, about)) is not None:
        yield fold_if_long(overview, f"{words}: {len(lines)} rows")
    for whose, those in by_model.items():
        groups = [lookup.categories(each) for each in those]
        sizes = {kind: _size(group) for some in groups for kind, group in some.items()}
        largest = sorted(sizes, key=lambda kind: -sizes[kind])[:MOST_GROUPS]
        found = [some[kind] for kind in largest for some in groups if kind in some]
        lines = [_line(lookup, each, find_cells(each), each.group.partition("=")[2]) for each in found]
        told = [line for line in lines if any(line[2])]
        apart = _draw_map(lookup, columns, told, (f"{name}-{whose}", f"{words}, {whose} by kind of image"))
        if apart is not None:
            yield Fold(f"{whose} by kind of image", (apart,))


def _draw_map(lookup: Lookup, columns: Sequence[str], lines: Sequence[Line], about: tuple[str, str]) -> Table | None:
    """One map, also as a figure of its own; None where no cell has a number."""
    found = [each.found for _, _, cells in lines for each in cells if each]
    if not found:
        return None
    rows, heated, before = [], [], ""
    for heading, words, cells in lines:
        above, n = heading if heading != before else "", f"n {_count_items(cells)}"
        rows.append(Row(Cell(words, n=n), tuple(_draw_cell(each, n) for each in cells), heading=above))
        heated.append(HeatRow(words, n, tuple(map(_heat_cell, cells)), above))
        before = heading
    name, shown = about
    figure = lookup.evidence.figures.cells(
        About((name,), shown, "Small figures are 95% CIs; the stronger the colour, the larger the number"),
        columns, heated, [datum(each.finding, each.measure) for each in found],
    )  # fmt: skip
    return Table((Column("asked by"), *map(Column, columns)), tuple(rows), shown, "heat", figure=figure)


def _draw_cell(each: Shaded | None, n_of_row: str) -> Cell:
    if each is None:
        return Cell("–")
    shown = each.found.printed
    own = [n] if (n := f"n {shown.n}") != n_of_row else []
    note = Markup("<br>").join((f"({shown.interval})", *own, *each.notes))
    return Cell(shown.value, None, note, shown.anchor, shown.method, shade=each.shade, cool=each.cool)


def _heat_cell(each: Shaded | None) -> HeatCell | None:
    return each and HeatCell(each.found.printed.value, each.found.printed.interval, each.shade, each.cool)


def _count_items(cells: Cells) -> str:
    """How many items stand behind the cells of a row."""
    sizes = [each.found.estimate.n for each in cells if each]
    return wording.from_to(sizes) if sizes else "–"


def _size(finding: Finding) -> int:
    return max((measure.estimate.n for measure in finding.measures), default=0)


def _find_change(lookup: Lookup, finding: Finding, arm: str) -> Shaded | None:
    """The change as a share of what there was; below it the accuracies, and whether it is surely lower."""
    measure, moved = finding.measure(arm, "percent_change"), finding.measure(arm, "difference")
    if measure is None:
        return None
    value, notes = measure.estimate.value, _describe_move(finding, arm)
    if moved is not None and value < 0 and not finding.group and significant(moved):
        notes = (*notes, "surely lower")
    return Shaded(lookup.printed(finding, measure), min(1.0, abs(value) / DARKEST), value > 0, notes)


def _describe_move(finding: Finding, arm: str) -> tuple[str, ...]:
    """The accuracy before and after, on the same items."""
    before, change = finding.measure(arm, "baseline_accuracy"), finding.measure(arm, "difference")
    if before is None or change is None:
        return ()
    after = min(1.0, max(0.0, before.estimate.value + change.estimate.value))
    return (f"{wording.figure(before.estimate.value, 'share')} → {wording.figure(after, 'share')}",)


def _find_rate(lookup: Lookup, finding: Finding, arm: str, name: str) -> Shaded | None:
    """A rate that is the worse the higher it is."""
    measure = finding.measure(arm, name)
    return None if measure is None else Shaded(lookup.printed(finding, measure), measure.estimate.value)


def _find_flagged(lookup: Lookup, finding: Finding, arm: str) -> Shaded | None:
    """How often what nobody can read is flagged; below it how often its quality is spoken of at all, if more often."""
    cell, spoken = _find_rate(lookup, finding, arm, RATE), finding.measure(arm, "quality_mentioned_rate")
    if cell is None:
        return None
    more = spoken is not None and spoken.estimate.value > cell.found.estimate.value
    said = (f"spoken of {wording.figure(spoken.estimate.value, 'share')}",) if spoken is not None and more else ()
    return cell._replace(cool=True, notes=(*said, *_describe_judge(finding, arm, "detection_rate_by_judge")))


def _describe_judge(finding: Finding, arm: str, name: str) -> tuple[str, ...]:
    """A judge's number in words; nothing where no judge was asked."""
    found = finding.measure(arm, name)
    return () if found is None else (f"judge {wording.figure(found.estimate.value, 'share')}",)


def _find_conflicts(lookup: Lookup, found: dict[str, Finding], columns: Sequence[tuple[str, str]]) -> Cells:
    first = next(iter(found.values()))
    arms = [arms_by_artefact(found[how].test).get(name, "") if how in found else "" for how, name in columns]
    cells = (
        _find_conflict(lookup, found[how], arm) if arm else None for (how, _), arm in zip(columns, arms, strict=True)
    )
    return (_find_conflict(lookup, first, first.test.baseline.name), *cells)


def _find_conflict(lookup: Lookup, finding: Finding, arm: str) -> Shaded | None:
    """The rate among responses that reason; below it the rate among all, where some do not."""
    cell = _find_rate(lookup, finding, arm, "conflict_rate_reasoned")
    of_all = finding.measure(arm, "conflict_rate")
    if cell is None:
        return None
    some = of_all is not None and of_all.estimate.n != cell.found.estimate.n
    said = (f"of all {wording.figure(of_all.estimate.value, 'share')}",) if of_all is not None and some else ()
    return cell._replace(notes=(*said, *_describe_judge(finding, arm, "conflict_rate_by_judge")))
