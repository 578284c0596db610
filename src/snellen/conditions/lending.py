"""Lending: conditions that show another item's image; each image is lent only once if possible."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections import deque
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from snellen.conditions.base import Condition, Drawn
from snellen.conditions.pool import Pool
from snellen.errors import Inapplicable
from snellen.items import Item

MOST_MATCHED = 5_000
"""Largest benchmark for which lenders are matched; in a larger one, each item draws its own lender."""


class Lending(Condition):
    """A condition that replaces an item's images by one of its `substitutes`.

    The lenders depend on the whole benchmark and the seed. Each image is lent to one item if possible, otherwise to as
    few as possible. The match is computed once per pool; it is the same on every machine and with any limit of items.
    """

    @abstractmethod
    def rank_lenders(self, item: Item, *, seed: int, pool: Pool) -> list[int]:
        """Return the numbers of an item's substitutes, best first; raise Inapplicable if there are none."""

    def describe_draw(self, item: Item, number: int) -> dict[str, Any]:
        """Describe a substitute for the store: its number, and the lending item."""
        lent = item.substitutes[number]
        told = {"without_columns": list(lent.without_columns)} if lent.without_columns else {}
        return {"substitute": number, "lent_by": lent.lent_by, **told}

    def choose(self, item: Item, *, seed: int, pool: Pool) -> Drawn:
        """Return the draw for an equipped item: its matched lender, or else its first choice."""
        ranked = self.rank_lenders(item, seed=seed, pool=pool)
        number = ranked[0]
        if len(pool) <= MOST_MATCHED and item.substitutes[number].lent_by:
            lender = self.match_lenders(seed=seed, pool=pool).get(item.id)
            number = next((each for each in ranked if _name(item, each) == lender), number)
        return self.describe_draw(item, number)

    def match_lenders(self, *, seed: int, pool: Pool) -> Mapping[str, tuple[str, str]]:
        """Return the lender of each item by id, with what the lender's image shows."""
        return pool.once((self.identity, seed), lambda: self._match(seed, pool))

    def _match(self, seed: int, pool: Pool) -> dict[str, tuple[str, str]]:
        wanted: dict[str, dict[Hashable, tuple[str, str]]] = {}
        for item in sorted(pool.items, key=lambda each: hashlib.sha256(f"{seed}/{each.id}".encode()).digest()):
            equipped = self.equip(item, pool)
            try:
                ranked = self.rank_lenders(equipped, seed=seed, pool=pool)
            except Inapplicable:
                continue
            # Two items may have the same image; it is then lent once for both.
            for number in (each for each in ranked if equipped.substitutes[each].lent_by):
                name = _name(equipped, number)
                wanted.setdefault(item.id, {}).setdefault(pool.by_id[name[0]].images, name)
        shared = share_lenders({item: list(images) for item, images in wanted.items()})
        return {item: wanted[item][images] for item, images in shared.items()}


def _name(item: Item, number: int) -> tuple[str, str]:
    substitute = item.substitutes[number]
    return substitute.lent_by, substitute.shows


def share_lenders(wanted: Mapping[str, Sequence[Hashable]]) -> dict[str, Hashable]:
    """Match borrowers with lenders so that lenders are used as evenly as possible.

    It is a maximum matching by augmenting paths, with lenders who lend once at most, then twice, and so on.

    >>> share_lenders({"a": ["x", "y"], "b": ["x"], "c": ["x", "z"], "d": ["x"]})
    {'a': 'y', 'b': 'x', 'c': 'z', 'd': 'x'}
    """
    given: dict[str, Hashable] = {}
    lends: dict[Hashable, dict[str, None]] = {lender: {} for lenders in wanted.values() for lender in lenders}
    waiting, most = list(wanted), 0
    while waiting:
        most += 1
        closed: set[Hashable] = set()
        waiting = [each for each in waiting if not _find_place(each, wanted, given, lends, most, closed)]
    return {borrower: given[borrower] for borrower in wanted}


def _find_place(
    borrower: str,
    wanted: Mapping[str, Sequence[Hashable]],
    given: dict[str, Hashable],
    lends: Mapping[Hashable, dict[str, None]],
    most: int,
    closed: set[Hashable],
) -> bool:
    """Find a lender for a borrower, moving others if needed; skip the lenders in `closed`."""
    came: dict[Hashable, str] = {}
    coming = deque([borrower])
    while coming:
        who = coming.popleft()
        for lender in wanted[who]:
            if lender in came or lender in closed:
                continue
            came[lender] = who
            if len(lends[lender]) < most:
                _move(lender, came, given, lends)
                return True
            coming.extend(lends[lender])
    closed.update(came)
    return False


def _move(
    lender: Hashable | None,
    came: Mapping[Hashable, str],
    given: dict[str, Hashable],
    lends: Mapping[Hashable, dict[str, None]],
) -> None:
    """Move each borrower to the next lender, up to a free lender."""
    while lender is not None:
        who = came[lender]
        before = given.get(who)
        given[who] = lender
        lends[lender][who] = None
        if before is not None:
            del lends[before][who]
        lender = before
