"""Columns of a table: arrays with one place per response."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

NOTHING, NEW_OPTION = -1, -2


Record = TypeVar("Record")


Floats = NDArray[np.float64]


Integers = NDArray[np.int64]


Run = tuple[int, int]
"""An item's place and the replicate."""


class Columns(Protocol):
    """What a parser gives to the table beside outcome, choice and rule: a record of columns of one length."""

    def only(self, kept: NDArray[np.bool_]) -> Self:
        """Those of some of the responses."""
        ...


def distinct(records: Iterable[Record]) -> tuple[list[Record], Integers]:
    """Each record once, and the place of every one among them: what was read in equal responses is one record.

    >>> distinct([one := ("A",), ("B",), one])[1].tolist()
    [0, 1, 0]
    """
    found: dict[int, Record] = {}
    numbers: dict[int, int] = {}
    places = []
    for each in records:
        found.setdefault(id(each), each)
        places.append(numbers.setdefault(id(each), len(numbers)))
    return list(found.values()), np.array(places, dtype=np.int64)
