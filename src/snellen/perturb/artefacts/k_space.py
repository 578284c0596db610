"""k-space of a picture's rows: which lines of it were read between which movements.

Only whole columns of k-space come from one moment, so the transform down the columns cancels and each row can be
treated alone. Of the result, the real part is kept; for real rows that is the same as giving the frequencies +f and −f
the mean of both their weights, so that transforms of real rows suffice.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from snellen.perturb.artefacts.base import Picture


def spectrum(rows: Picture) -> Picture:
    """The transform of each row, packed as OpenCV does: real 0, real 1, imaginary 1, real 2, …"""
    packed: Picture = cv2.dft(rows, flags=cv2.DFT_ROWS)
    return packed


def picture_of(packed: Picture) -> Picture:
    """The rows whose transforms these are."""
    rows: Picture = cv2.idft(packed, flags=cv2.DFT_ROWS | cv2.DFT_SCALE)
    return rows


def segments(times: Sequence[float], width: int) -> list[range]:
    """The columns of k-space, lowest frequency in the middle, that are read before, between and after the times.

    >>> segments([0.25, 0.7], 8)
    [range(0, 2), range(2, 5), range(5, 8)]
    """
    bounds = [0, *(int(width * time) for time in times), width]
    return [range(first, last) for first, last in pairwise(bounds)]


class Share:
    """The part of a packed transform that one segment fills: where it lies, and the weight of each number in it."""

    def __init__(self, segment: range, width: int) -> None:
        frequency = (np.arange(width) + 1) // 2
        inside = np.zeros(width, dtype=np.float32)
        inside[segment.start : segment.stop] = 0.5
        weights = inside[(width // 2 + frequency) % width] + inside[width // 2 - frequency]
        filled = np.flatnonzero(weights)
        self.place = slice(filled[0], filled[-1] + 1) if filled.size else slice(0, 0)
        self.weights: NDArray[np.float32] = weights[self.place]

    def add(self, packed: Picture, *, to: Picture) -> None:
        """Fill this part of `to`, or of some of its rows, from another transform."""
        to[:, self.place] += self.weights * packed[:, self.place]
