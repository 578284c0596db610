"""Who gives no answer under each condition, and what could not be asked, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from snellen.conditions import IMAGE_REMOVED, ORIGINAL
from snellen.report.components import Cell, Column, Note, Part, Row, Section, Table, fold_if_long
from snellen.report.lookup import Lookup, Place, in_order, show_found
from snellen.report.sections.headline import short_names
from snellen.report.words.arms import arm_label
from snellen.report.words.numbers import OUTCOME_WORDS, count
from snellen.stress.measures import KINDS, RATES
from snellen.stress.table import Table as Grades

SUBSET = "visual-necessity"
"""The family of tests whose numbers are about some items only."""
NEEDED = "questions that need the image"
BRIEFLY = (ORIGINAL.name, IMAGE_REMOVED.name)
"""The arms of the short table."""
SILENT = ("abstention_rate", "refusal_rate")
SCORES = ("accuracy", "accuracy_answered")
Asked = tuple[str, tuple[str, ...], str]
"""Which questions an arm was asked of, the tests that know its numbers, and the arm."""


def draw_abstention(lookup: Lookup) -> Iterator[Section]:
    """How often each model gives no answer, on every benchmark: in short, then under every condition."""
    told = Note(
        "“Cannot tell” is a response that says so; “refuses” is one that rejects the task. Accuracy counts both as "
        "wrong; accuracy of those answered leaves them out.",
        look="quiet",
    )
    drawn = [part for benchmark, places in lookup.everywhere() for part in _draw_benchmark(lookup, benchmark, places)]
    if drawn:
        yield Section("Who gives no answer?", (told, *drawn), "readiness-abstention")


def _draw_benchmark(lookup: Lookup, benchmark: str, places: Sequence[Place]) -> Iterator[Part]:
    whole = lookup.families(but=SUBSET)
    asked: list[Asked] = [("", whole, arm) for arm in lookup.arms(benchmark)]
    asked += [(NEEDED, (SUBSET,), arm) for arm in BRIEFLY]
    there = [(place, each) for place in places for each in asked
             if lookup.find(each[1], place, each[2], "accuracy") is not None]  # fmt: skip
    if not there:
        return
    found = {
        name: [each for place, (_, families, arm) in there if (each := lookup.find(families, place, arm, name))]
        for name in RATES
    }
    ever = [name for name, some in found.items() if any(each.estimate.value > 0 for each in some)]
    never = [OUTCOME_WORDS[RATES[name]] for name, some in found.items() if some and name not in ever]
    on = f" on {benchmark}" if lookup.evidence.several else ""
    yield _draw_briefly(lookup, places, [each for each in asked if each[2] in BRIEFLY], on)
    yield fold_if_long(_draw_all(lookup, there, (*ever, *SCORES)), f"Every model and condition{on}")
    if never:
        yield Note(f"Never, under no condition and by no model: {', '.join(never)}.", look="quiet")


def _draw_briefly(lookup: Lookup, places: Sequence[Place], asked: Sequence[Asked], on: str) -> Table:
    """Both ways to give no answer, with the image and without it; what no model was asked is left out."""
    used = [each for each in asked if any(lookup.find(each[1], place, each[2], SILENT[0]) for place in places)]
    names = short_names(lookup.evidence.results)
    rows = []
    for place in places:
        cells = []
        for _, families, arm in used:
            cannot, refuses = (lookup.find(families, place, arm, name) for name in SILENT)
            lines = (show_found(cannot, "cannot tell"), show_found(refuses, "refuses", n=False))
            cells.append(Cell(lines=lines) if cannot else Cell("–"))
        rows.append(Row(Cell(names[place.model]), tuple(cells), *place))
    columns = (Column("model"), *(Column(arm_label(arm), items) for items, _, arm in used))
    return Table(columns, tuple(rows), f"No answer{on}, with the image and without it")


def _draw_all(lookup: Lookup, there: Sequence[tuple[Place, Asked]], measures: Sequence[str]) -> Table:
    names, rows, before = short_names(lookup.evidence.results), [], ""
    for place, (items, families, arm) in there:
        found = [lookup.find(families, place, arm, name) for name in measures]
        n = next(each.printed.n for each in found if each is not None)
        cells = (*(show_found(each, n=False) for each in found), Cell(n))
        heading = names[place.model] if place.model != before else ""
        rows.append(Row(Cell(arm_label(arm), note=items), cells, *place, heading))
        before = place.model
    words = (OUTCOME_WORDS[RATES[name]] if name in RATES else KINDS[name].words for name in measures)
    return Table((Column("condition"), *map(Column, words), Column("n", look="figure")), tuple(rows))


def draw_applicability(lookup: Lookup) -> Iterator[Section]:
    """How many questions each condition was asked of, and why not of the others; it is the same for all models."""
    first: dict[str, Grades] = {}
    for (_, benchmark), table in lookup.evidence.results.tables.items():
        if benchmark in lookup.benchmarks:
            first.setdefault(benchmark, table)
    parts = [part for name, table in first.items() for part in _list_reasons(lookup, name, table)]
    yield Section("What could not be asked, and why", tuple(parts), "readiness-inapplicable")


def _list_reasons(lookup: Lookup, benchmark: str, table: Grades) -> Iterator[Part]:
    total, on = len(table.items), f" on {benchmark}" if lookup.evidence.several else ""
    alike: dict[tuple[tuple[str, int], ...], list[str]] = {}
    for arm in in_order(table.arms):
        alike.setdefault(_sort(table.arms[arm].inapplicable), []).append(arm_label(arm))
    if everywhere := alike.pop((), []):
        yield Note(f"Asked of all {count(total)} questions{on}: {', '.join(everywhere)}.", look="quiet")
    rows = []
    for reasons, arms in alike.items():
        asked = total - sum(number for _, number in reasons)
        for at, (reason, number) in enumerate(reasons):
            cells = Cell(f"{count(asked)} of {count(total)}" if at == 0 else ""), Cell(reason), Cell(count(number))
            rows.append(Row(Cell(", ".join(arms) if at == 0 else ""), cells))
    if rows:
        columns = (Column("condition"), Column("questions asked"), Column("why not the others"), Column("questions"))
        yield fold_if_long(Table(columns, tuple(rows), f"Not asked of every question{on}"), f"All reasons{on}")


def _sort(reasons: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """The reasons that concern most questions first."""
    return tuple(sorted(reasons.items(), key=lambda each: (-each[1], each[0])))
