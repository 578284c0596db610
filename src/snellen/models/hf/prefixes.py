"""Families: requests whose tokens begin alike, so that their beginning is computed once.

The arms of an item ask about the same image with other options or another instruction: most of what a model reads of
them is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

SHORTEST = 32
"""Tokens: a common beginning that is shorter is not worth a pass of its own."""


class Row(NamedTuple):
    """One request as its tokens, before its images become tokens of their own, and the sha256 of each image."""

    tokens: list[int]
    images: tuple[str, ...] = ()


class Family(NamedTuple):
    """Rows, by their numbers, that have their images and their first `shared` tokens in common."""

    members: tuple[int, ...]
    shared: int


def families(rows: Sequence[Row], *, shortest: int = SHORTEST) -> list[Family]:
    """Every row in one family; each leaves at least one token to be read on its own.

    In the order of its tokens, a row joins the family before it if fewer tokens are left to be read then.

    >>> families([Row([1, 2, 3, 4]), Row([9, 9]), Row([1, 2, 3, 5])], shortest=2)
    [Family(members=(0, 2), shared=3), Family(members=(1,), shared=1)]
    """
    found: list[Family] = []
    order = sorted(range(len(rows)), key=lambda number: (rows[number].images, rows[number].tokens))
    for _, alike in groupby(order, key=lambda number: rows[number].images):
        family = Family((), 0)
        for number in alike:
            tokens = rows[number].tokens
            own = len(tokens) - 1
            if family.members:
                common = min(family.shared, own, _common(rows[family.members[0]].tokens, tokens))
                count = len(family.members)
                if common >= shortest and count * common > (count - 1) * family.shared:
                    family = Family((*family.members, number), common)
                    continue
                found.append(family)
            family = Family((number,), own)
        found.append(family)
    return found


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens two rows begin with in common."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def neighbours(sizes: Sequence[tuple[int, object]], number: int) -> list[int]:
    """Which of those that wait go with the first: whole families, those next to it in length.

    `sizes` has the length of each and what tells its family; at most `number` are chosen, the first among them.

    >>> neighbours([(9, "b"), (2, "a"), (8, "b"), (9, "c"), (2, "d")], 3)
    [0, 2, 3]
    """
    longest: dict[object, int] = {}
    for length, family in sizes:
        longest[family] = max(length, longest.get(family, 0))
    place = {family: at for at, family in enumerate(longest)}
    order = sorted(range(len(sizes)), key=lambda at: (longest[sizes[at][1]], place[sizes[at][1]], at))
    start = next(at for at, each in enumerate(order) if sizes[each][1] == sizes[0][1])
    start = max(0, min(start, len(order) - number))
    chosen = order[start : start + number]
    return sorted(chosen) if 0 in chosen else [0, *sorted(chosen)[: number - 1]]
