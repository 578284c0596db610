"""Multiple testing: p-values adjusted for their number."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from snellen.stats.observations import Codes, Numbers, fractions


def holm(p: ArrayLike) -> Numbers:
    """Holm's adjusted p-values in the given order; they control the family-wise error rate.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    array = fractions(p, "p")
    order = np.argsort(array, kind="stable")
    scaled = array[order] * np.arange(array.size, 0, -1)
    return _restore_order(np.maximum.accumulate(scaled), order)


def benjamini_hochberg(p: ArrayLike) -> Numbers:
    """Benjamini and Hochberg's adjusted p-values in the given order; they control the false discovery rate.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.04, 0.04]
    """
    array = fractions(p, "p")
    order = np.argsort(array, kind="stable")
    scaled = array[order] * array.size / np.arange(1, array.size + 1)
    return _restore_order(np.minimum.accumulate(scaled[::-1])[::-1], order)


def _restore_order(adjusted: Numbers, order: Codes) -> Numbers:
    restored = np.empty_like(adjusted)
    restored[order] = np.minimum(adjusted, 1.0)
    return restored
