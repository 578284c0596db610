"""One question, side by side: an item on which the models did what they mostly do, under a few conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from snellen.conditions import Effects, OptionsShuffled
from snellen.conditions.degraded import STRENGTHS
from snellen.conditions.labels import read_label
from snellen.report.evidence.album import some_of
from snellen.report.evidence.evidence import ArmAddress, Evidence, Saying, degrades
from snellen.report.evidence.sampling import item_ranks, moved
from snellen.stress.table import Grades, Table

TRIES = 10
"""How many of the most typical items are looked at for one whose image can still be shown."""
IN_SIGHT = 4
"""How many arms are shown."""
FIRST = [Effects(), Effects("none"), Effects("blank"), Effects("other", truth="changed"), OptionsShuffled().effects]
"""The arms that tell most, where not all can be shown at once."""

Scores = NDArray[np.float64]
Made = TypeVar("Made")


@dataclass(frozen=True)
class ArmPane:
    """One arm of the item: what was asked, and what each model said to it."""

    arm: str
    first: Saying
    sayings: Mapping[str, Saying]


@dataclass(frozen=True)
class SideBySide:
    """The typical item of a benchmark under the arms that tell most."""

    benchmark: str
    panes: tuple[ArmPane, ...]


def side_by_side(evidence: Evidence, benchmark: str, ordinal: int | None) -> SideBySide | None:
    """An item under at most four arms; None if there is none."""
    if ordinal is None:
        return None
    tables = _tables(evidence, benchmark)
    addresses = (ArmAddress("", benchmark, arm) for arm in _few(tables[0].arms))
    panes = [pane for each in addresses if (pane := _pane(evidence, tables, each, ordinal)) is not None]
    if len(panes) > IN_SIGHT:
        panes.sort(key=lambda pane: _place(pane.arm))
    return SideBySide(benchmark, tuple(panes[:IN_SIGHT]))


def _place(arm: str) -> int:
    """How early an arm is shown if there is no room for all: those that differ most from the original come first."""
    label = read_label(arm)
    return FIRST.index(label.effects) if label.effects in FIRST and not label.ways else len(FIRST)


def most_typical(evidence: Evidence, benchmark: str) -> int | None:
    """The most typical item whose images can be shown, its responses expected; None where nothing was answered."""
    tables = _tables(evidence, benchmark)
    candidates = typical(tables, evidence.baselines)
    if not candidates:
        return None
    ordinal = next((each for each in candidates if _can_be_shown(evidence, benchmark, each)), candidates[0])
    for table in tables:
        for arm, grades in _few(table.arms).items():
            evidence.expect(ArmAddress(table.model, benchmark, arm), _places(grades, ordinal))
    return ordinal


def _few(arms: Mapping[str, Made]) -> dict[str, Made]:
    """The arms that are shown: all, but of those that degrade the image a weak and a strong one.

    >>> list(_few(dict.fromkeys(("original", "degraded:noise,weak", "degraded:crop,weak", "degraded:crop,strong"), 0)))
    ['original', 'degraded:noise,weak', 'degraded:crop,strong']
    """
    degraded = [arm for arm in arms if degrades(arm)]
    kept = {next((arm for arm in degraded if f",{strength}" in arm), "") for strength in STRENGTHS}
    return {arm: each for arm, each in arms.items() if arm not in degraded or arm in kept}


def _tables(evidence: Evidence, benchmark: str) -> list[Table]:
    return [table for (_, name), table in evidence.results.tables.items() if name == benchmark]


def _places(grades: Grades, ordinal: int) -> list[int]:
    """Where an item's response in the first run stands."""
    return [int(at) for at in np.flatnonzero((grades.ordinal == ordinal) & _first_run(grades))]


def typical(tables: Sequence[Table], baselines: Mapping[str, str]) -> list[int]:
    """The items by how usual their outcomes are, over all models and arms together; ties by a hash of the id.

    An outcome counts as much as it is frequent under its arm, and so does whether the choice moved.
    """
    items = tables[0].items
    total = np.zeros(len(items))
    for table in tables:
        for arm, grades in table.arms.items():
            movement = moved(grades, table.arms.get(baselines.get(arm, "")))
            total += _frequency(grades, grades.outcome, len(items))
            total += _frequency(grades, movement.astype(np.uint8), len(items))
    order = np.lexsort((item_ranks(tables[0]), -np.round(total, 9)))
    return [int(ordinal) for ordinal in order[:TRIES] if total[ordinal] > 0]


def _frequency(grades: Grades, values: NDArray[np.uint8], items: int) -> Scores:
    """Per item, the share of first responses that have the same value; 0 where there is no first response."""
    first = _first_run(grades)
    shares = np.bincount(values[first]) / max(1, int(first.sum()))
    found = np.zeros(items)
    found[grades.ordinal[first]] = shares[values[first]]
    return found


def _first_run(grades: Grades) -> NDArray[np.bool_]:
    """Which responses are of the first run; imported runs may be counted from another number than 0."""
    return np.asarray(grades.replicate == grades.replicate.min(initial=np.iinfo(np.int64).max))


def _can_be_shown(evidence: Evidence, benchmark: str, ordinal: int) -> bool:
    arms = _few(evidence.results.study["arms"][benchmark])
    asked = [found for arm in arms if (found := evidence.asked(benchmark, arm).get(ordinal)) is not None]
    sent = [sha256 for each in asked for sha256 in some_of(each.images)]
    return bool(sent) and all(evidence.album.picture(sha256).link for sha256 in sent)


def _pane(evidence: Evidence, tables: Sequence[Table], address: ArmAddress, ordinal: int) -> ArmPane | None:
    sayings = {}
    for table in tables:
        at = address._replace(model=table.model)
        for saying in evidence.sayings(at, _places(table.arms[address.arm], ordinal)).values():
            sayings[table.model] = saying
    return ArmPane(address.arm, next(iter(sayings.values())), sayings) if sayings else None
