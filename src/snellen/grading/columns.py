"""Columns of a table: arrays with one place per response."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

NOTHING, NEW_OPTION = -1, -2


Floats = NDArray[np.float64]


Integers = NDArray[np.int64]
