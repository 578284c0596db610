"""Who gives no answer under each condition, and what could not be asked, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snellen.conditions import IMAGE_REMOVED, ORIGINAL
from snellen.report.components import (
    Cell,
    Column,
    Part,
    Section,
    Table,
    explain,
    fold_if_long,
    name_columns,
    quiet,
    write_row,
)
from snellen.report.lookup import Lookup, Place, in_order, show_found
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


def draw_abstention(lookup: Lookup) -> list[Section]:
    """How often each model gives no answer, on every benchmark: in short, then under every condition."""
    told = (
        "“Cannot tell” is a response that says so; “refuses” is one that rejects the task. Accuracy counts both as "
        "wrong; accuracy of those answered leaves them out."
    )
    drawn = [part for benchmark, places in lookup.everywhere() for part in _draw_benchmark(lookup, benchmark, places)]
    return explain("Who gives no answer?", told, drawn, "readiness-abstention")


def _draw_benchmark(lookup: Lookup, benchmark: str, places: Sequence[Place]) -> Iterator[Part]:
    asked: list[Asked] = [("", lookup.families(but=SUBSET), arm) for arm in lookup.arms(benchmark)]
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
    on = lookup.on(benchmark)
    yield _draw_briefly(lookup, places, [each for each in asked if each[2] in BRIEFLY], on)
    yield fold_if_long(_draw_all(lookup, there, (*ever, *SCORES)), f"Every model and condition{on}")
    if never:
        yield quiet(f"Never, under no condition and by no model: {', '.join(never)}.")


def _draw_briefly(lookup: Lookup, places: Sequence[Place], asked: Sequence[Asked], on: str) -> Table:
    """Both ways to give no answer, with the image and without it; what no model was asked is left out."""
    used = [each for each in asked if any(lookup.find(each[1], place, each[2], SILENT[0]) for place in places)]

    def draw_cell(place: Place, families: tuple[str, ...], arm: str) -> Cell:
        cannot, refuses = (lookup.find(families, place, arm, name) for name in SILENT)
        lines = (show_found(cannot, "cannot tell"), show_found(refuses, "refuses", n=False))
        return Cell(lines=lines) if cannot else Cell("–")

    rows = tuple(lookup.row(place, *(draw_cell(place, *each[1:]) for each in used)) for place in places)
    columns = (Column("model"), *(Column(arm_label(arm), items) for items, _, arm in used))
    return Table(columns, rows, f"No answer{on}, with the image and without it")


def _draw_all(lookup: Lookup, there: Sequence[tuple[Place, Asked]], measures: Sequence[str]) -> Table:
    rows = []
    for place, (items, families, arm) in there:
        found = [lookup.find(families, place, arm, name) for name in measures]
        n = next(each.printed.n for each in found if each is not None)
        cells = (*(show_found(each, n=False) for each in found), Cell(n))
        rows.append(lookup.row_under_name(place, Cell(arm_label(arm), note=items), *cells))
    words = (OUTCOME_WORDS[RATES[name]] if name in RATES else KINDS[name].words for name in measures)
    return Table(name_columns("condition", *words, numbers=("n",)), tuple(rows))


def draw_applicability(lookup: Lookup) -> Section:
    """How many questions each condition was asked of, and why not of the others; it is the same for all models."""
    first: dict[str, Grades] = {}
    for (_, benchmark), table in lookup.evidence.results.tables.items():
        if benchmark in lookup.benchmarks:
            first.setdefault(benchmark, table)
    parts = [part for name, table in first.items() for part in _list_reasons(table, lookup.on(name))]
    return Section("What could not be asked, and why", tuple(parts), "readiness-inapplicable")


def _list_reasons(table: Grades, on: str) -> Iterator[Part]:
    total, alike = len(table.items), dict[tuple[tuple[str, int], ...], list[str]]()
    for arm in in_order(table.arms):
        reasons = sorted(table.arms[arm].inapplicable.items(), key=lambda each: (-each[1], each[0]))
        alike.setdefault(tuple(reasons), []).append(arm_label(arm))
    if everywhere := alike.pop((), []):
        yield quiet(f"Asked of all {count(total)} questions{on}: {', '.join(everywhere)}.")
    rows = []
    for found, arms in alike.items():
        asked = total - sum(number for _, number in found)
        for at, (reason, number) in enumerate(found):
            words = (", ".join(arms), f"{count(asked)} of {count(total)}") if at == 0 else ("", "")
            rows.append(write_row(*words, reason, count(number)))
    if rows:
        columns = name_columns("condition", "questions asked", "why not the others", "questions")
        yield fold_if_long(Table(columns, tuple(rows), f"Not asked of every question{on}"), f"All reasons{on}")
