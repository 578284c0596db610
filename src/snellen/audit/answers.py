"""Answers: which option each model chose for each item, as far as it can be read from stored responses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Answers(NamedTuple):
    """A row for each response vector (a model, or one run of it) and a column for each item.

    `chosen` is the place of the option among the item's, −1 where none was read (refused, unparsed, failed, not asked).
    """

    vectors: tuple[str, ...]
    item_ids: tuple[str, ...]
    chosen: NDArray[np.int64]
