"""Who stays silent: how often each model says that it cannot tell, refuses or cannot be read, under every arm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from snellen.conditions import IMAGE_REMOVED, ORIGINAL
from snellen.report.lookup import Found, Lookup, Place, in_order
from snellen.report.words.numbers import OUTCOME_WORDS
from snellen.stress.measures import KINDS, RATES
from snellen.stress.table import Table


@dataclass(frozen=True)
class Unasked:
    """Arms: how many items each was asked of, and how many it has no meaning for, by reason, the most first."""

    arms: tuple[str, ...]
    asked: int
    reasons: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Applicability:
    """One benchmark: its items, the arms that were asked of all of them, and those that were not."""

    benchmark: str
    items: int
    everywhere: tuple[str, ...]
    arms: tuple[Unasked, ...]


def applicability(lookup: Lookup) -> list[Applicability]:
    """A table for every benchmark; what an arm has no meaning for is the same for all models."""
    first: dict[str, Table] = {}
    for (_, benchmark), table in lookup.evidence.results.tables.items():
        if benchmark in lookup.benchmarks:
            first.setdefault(benchmark, table)
    return [_of(benchmark, table) for benchmark, table in first.items()]


def _of(benchmark: str, table: Table) -> Applicability:
    total = len(table.items)
    alike: dict[tuple[tuple[str, int], ...], list[str]] = {}
    for arm in in_order(table.arms):
        alike.setdefault(_sorted(table.arms[arm].inapplicable), []).append(arm)
    everywhere = alike.pop((), [])
    lines = [
        Unasked(tuple(arms), total - sum(items for _, items in reasons), reasons) for reasons, arms in alike.items()
    ]
    return Applicability(benchmark, total, tuple(everywhere), tuple(lines))


def _sorted(reasons: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(reasons.items(), key=lambda each: (-each[1], each[0])))


SUBSET = "visual-necessity"
"""The family of tests whose numbers are about some items only."""
NEEDED = "items that need the image"
BRIEFLY = (ORIGINAL.name, IMAGE_REMOVED.name)
"""The arms of the short table."""
SILENT = ("abstention_rate", "refusal_rate")
SCORES = ("accuracy", "accuracy_answered")
FOLDED = 12
"""A table of more lines than this is folded."""


@dataclass(frozen=True)
class Silence:
    """One model under one arm: a number for every column, None where there is none."""

    model: str
    arm: str
    items: str
    cells: tuple[Found | None, ...]
    n: str


@dataclass(frozen=True)
class Brief:
    """One model: how often it says that it cannot tell, and how often it refuses, for every heading."""

    model: str
    cells: tuple[tuple[Found | None, ...], ...]


@dataclass(frozen=True)
class Abstention:
    """One benchmark: with the image and without in short, then every arm with every column."""

    benchmark: str
    headings: tuple[str, ...]
    briefly: tuple[Brief, ...]
    columns: tuple[str, ...]
    lines: tuple[Silence, ...]
    folded: bool
    never: tuple[str, ...]
    """What no model ever does: it has no column."""


def abstention(lookup: Lookup) -> list[Abstention]:
    """A table for every benchmark on which anything was answered."""
    whole = lookup.families(but=SUBSET)
    made = []
    for benchmark, places in lookup.everywhere():
        arms = [("", whole, arm) for arm in lookup.arms(benchmark)] + [(NEEDED, (SUBSET,), arm) for arm in BRIEFLY]
        told = {
            name: [
                found
                for place in places
                for _, families, arm in arms
                if (found := lookup.find(families, place, arm, name)) is not None
            ]
            for name in RATES
        }
        ever = {name for name, some in told.items() if any(each.estimate.value > 0 for each in some)}
        names = [*(name for name in RATES if name in ever), *SCORES]
        lines = [line for place in places for line in _lines(lookup, place, arms, names)]
        if lines:
            headings, brief = _briefly(lookup, places, whole)
            columns = tuple(_column(name) for name in names)
            never = tuple(_column(name) for name, some in told.items() if some and name not in ever)
            made.append(Abstention(benchmark, headings, brief, columns, tuple(lines), len(lines) > FOLDED, never))
    return made


def _column(name: str) -> str:
    return OUTCOME_WORDS[RATES[name]] if name in RATES else KINDS[name].words


def _lines(
    lookup: Lookup, place: Place, arms: Sequence[tuple[str, tuple[str, ...], str]], names: Sequence[str]
) -> Iterator[Silence]:
    for items, families, arm in arms:
        cells = {name: lookup.find(families, place, arm, name) for name in names}
        if (right := cells["accuracy"]) is not None:
            yield Silence(place.model, arm, items, tuple(cells.values()), right.printed.n)


def _briefly(
    lookup: Lookup, places: Sequence[Place], whole: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[Brief, ...]]:
    """Silence with the image and without, of all items and of those that need it; what nobody was asked is left out."""
    ways = [(f"{arm}{items}", families, arm) for items, families in (("", whole), (f", {NEEDED}", (SUBSET,)))
            for arm in BRIEFLY]  # fmt: skip
    found = {
        heading: [tuple(lookup.find(families, place, arm, name) for name in SILENT) for place in places]
        for heading, families, arm in ways
    }
    used = {heading: cells for heading, cells in found.items() if any(each for pair in cells for each in pair)}
    rows = zip(*used.values(), strict=True)
    return tuple(used), tuple(Brief(place.model, cells) for place, cells in zip(places, rows, strict=True))
