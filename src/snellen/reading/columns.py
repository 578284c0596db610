"""Columns of a table: arrays with one value per response."""

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
"""Position of the item and number of the repeat."""


class ReadingColumns(Protocol):
    """Further columns that a parser adds to the table, all of one length."""

    def only(self, kept: NDArray[np.bool_]) -> Self:
        """Return the columns for the selected responses."""
        ...


def distinct(records: Iterable[Record]) -> tuple[list[Record], Integers]:
    """Return the distinct records (by identity), and the index of each response's record among them.

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
