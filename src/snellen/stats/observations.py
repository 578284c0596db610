"""Checks of inputs; they return arrays of numbers or group codes, or raise ValueError."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.float64]
Codes = NDArray[np.intp]
_FEW = 50
"""Integer labels below this many times the number of items are numbered without sorting."""


def numbers(values: ArrayLike, name: str) -> Numbers:
    """Return one finite number per item."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"`{name}` must hold numbers only: {error}.") from error
    if array.ndim != 1:
        raise ValueError(f"`{name}` must be one number per item, got an array of shape {array.shape}.")
    if array.size == 0:
        raise ValueError(f"`{name}` must hold at least one number, got none.")
    finite = np.isfinite(array)
    if not finite.all():
        broken = np.flatnonzero(~finite)
        raise ValueError(f"`{name}` must be finite, got {array[broken[0]]} at position {broken[0]}.")
    return array


def fractions(values: ArrayLike, name: str) -> Numbers:
    """Return one number between 0 and 1 per item."""
    array = numbers(values, name)
    if array.min() < 0 or array.max() > 1:
        outside = np.flatnonzero((array < 0) | (array > 1))
        raise ValueError(f"`{name}` must lie in [0, 1], got {array[outside[0]]} at position {outside[0]}.")
    return array


def paired_fractions(first: ArrayLike, second: ArrayLike, names: tuple[str, str]) -> tuple[Numbers, Numbers]:
    """Return two arrays of numbers between 0 and 1, aligned by item."""
    left, right = fractions(first, names[0]), fractions(second, names[1])
    if left.size != right.size:
        raise ValueError(
            f"`{names[0]}` and `{names[1]}` must be aligned by item, got {left.size} and {right.size} numbers."
        )
    return left, right


def group_codes(labels: ArrayLike | None, items: int, name: str = "clusters") -> Codes | None:
    """Number the items' groups 0, 1, 2…; None if no labels are given."""
    if labels is None:
        return None
    array = np.asarray(labels)
    if array.shape != (items,):
        raise ValueError(f"`{name}` must be one label per item ({items}), got an array of shape {array.shape}.")
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise ValueError(f"`{name}` must label every item, got nan at position {np.flatnonzero(np.isnan(array))[0]}.")
    if array.dtype.kind in "iu" and items and array.min() >= 0 and array.max() < _FEW * items:
        there = np.bincount(array) > 0  # the same numbers as np.unique, without sorting
        return np.asarray((np.cumsum(there) - 1)[array])
    return np.unique(array, return_inverse=True)[1]


def open_fraction(value: float, name: str) -> float:
    """Return a number strictly between 0 and 1, such as a confidence level."""
    if not 0 < value < 1:
        raise ValueError(f"`{name}` must lie strictly between 0 and 1, got {value}.")
    return float(value)


def check_count(value: int, name: str) -> int:
    """Return a whole number of at least 1."""
    if isinstance(value, bool) or int(value) != value or value < 1:
        raise ValueError(f"`{name}` must be a whole number of at least 1, got {value}.")
    return int(value)


def is_binary(array: Numbers) -> bool:
    """Return True if all values are 0 or 1."""
    return bool(((array == 0) | (array == 1)).all())
