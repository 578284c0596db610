"""What could not be asked: which arms have no meaning for which items, why, and how many were asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from snellen.report.lookup import Lookup, in_order
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
