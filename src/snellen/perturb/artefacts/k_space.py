"""k-space of an image's rows: the lines that were read between movements.

Only whole columns of k-space are read at one moment. So the transform down the columns cancels, and each row can be
treated alone. The result is its real part. For real rows, this equals giving the frequencies +f and −f the mean of
their weights, so transforms of real rows suffice. They use 64 bits: processors differ in the last of them, which 32
bits do not show.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import scipy
from numpy.typing import NDArray

from snellen.perturb.artefacts.base import Picture

Spectrum = NDArray[np.complex128]


def spectrum(rows: Picture) -> Spectrum:
    """Transform each row, from frequency 0 up."""
    return np.asarray(scipy.fft.rfft(rows.astype(np.float64)))


def picture_of(mixed: Spectrum, width: int) -> Picture:
    """Transform spectra back to rows."""
    return np.asarray(scipy.fft.irfft(mixed, n=width), dtype=np.float32)


def segments(times: Sequence[float], width: int) -> list[range]:
    """Return the columns of k-space read before, between and after the times; low frequencies central.

    >>> segments([0.25, 0.7], 8)
    [range(0, 2), range(2, 5), range(5, 8)]
    """
    bounds = [0, *(int(width * time) for time in times), width]
    return [range(first, last) for first, last in pairwise(bounds)]


class KSpaceShare:
    """The part of a spectrum that one segment fills, with the weights of its frequencies."""

    def __init__(self, segment: range, width: int) -> None:
        frequency = np.arange(width // 2 + 1)
        inside = np.zeros(width)
        inside[segment.start : segment.stop] = 0.5
        weights = inside[(width // 2 + frequency) % width] + inside[width // 2 - frequency]
        filled = np.flatnonzero(weights)
        self.place = slice(filled[0], filled[-1] + 1) if filled.size else slice(0, 0)
        self.weights: NDArray[np.float64] = weights[self.place]

    def add(self, lines: Spectrum, *, to: Spectrum) -> None:
        """Add this part of a spectrum to `to`, or to some of its rows."""
        to[:, self.place] += self.weights * lines[:, self.place]
