"""Columns of a table: arrays with one place per response."""

from __future__ import annotations

from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

NOTHING, NEW_OPTION = -1, -2


Floats = NDArray[np.float64]


Integers = NDArray[np.int64]


Run = tuple[int, int]
"""An item's place and the replicate."""


class Columns(Protocol):
    """What a parser gives to the table beside outcome, choice and rule: a record of columns of one length."""

    def only(self, kept: NDArray[np.bool_]) -> Self:
        """Those of some of the responses."""
        ...
