"""Families: requests with a common beginning, which the model then reads only once.

The arms of an item ask about the same image with other options or another instruction, so most of what the model reads
is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

SHORTEST = 32
"""Tokens; a shorter common beginning is not worth a pass of its own."""


class TokenRow(NamedTuple):
    """One request as tokens before image tokens are inserted, with the images' sha256."""

    tokens: list[int]
    images: tuple[str, ...] = ()


class Family(NamedTuple):
    """Rows with the same images and the same first `shared` tokens; `members` are their numbers."""

    members: tuple[int, ...]
    shared: int


def families(rows: Sequence[TokenRow], *, shortest: int = SHORTEST) -> list[Family]:
    """Group rows into families; each row keeps at least one token of its own.

    Rows are taken in the order of their tokens. A row joins the previous family if fewer tokens then have to be read.

    >>> families([TokenRow([1, 2, 3, 4]), TokenRow([9, 9]), TokenRow([1, 2, 3, 5])], shortest=2)
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
    """Return the length of the common beginning of two rows."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def neighbours(sizes: Sequence[tuple[int, object]], number: int) -> list[int]:
    """Choose the batch of the first request: whole families, then similar lengths.

    `sizes` has each request's length and a key of its family. At most `number` are chosen, always with the first.

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
