"""Movements of a patient during a scan, and the k-space lines read between them.

Only whole columns of k-space are read at one moment. So the transform down the columns cancels, and each row can be
treated alone. The result is its real part. For real rows, this equals giving the frequencies +f and −f the mean of
their weights, so transforms of real rows suffice. They use 64 bits: processors differ in the last bits, which rounding
to 32 bits removes.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np
import scipy
from numpy.random import Generator
from numpy.typing import NDArray

from snellen.perturb.artefacts.base import Artefact, Picture, channels, join_planes
from snellen.perturb.artefacts.strengths import MOST_MOVEMENTS, strength

Spectrum = NDArray[np.complex128]
_JITTER = 0.3


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


@dataclass(frozen=True)
class MovementArtefact(Artefact):
    """Rotation in degrees, shift in pixels, and time of each movement during the scan."""

    degrees: tuple[float, ...]
    translation: tuple[tuple[float, float], ...]
    times: tuple[float, ...]

    @classmethod
    def draw(cls, severity: float, rng: Generator, *, kind: str) -> Self:
        """Draw rotations and shifts U(−m, m), at evenly spaced times with jitter of ±0.3 steps.

        The same random values are drawn at every severity; a higher severity scales them up and, beyond weak, uses more
        of them.
        """
        turns = rng.uniform(-1, 1, MOST_MOVEMENTS)
        shifts = rng.uniform(-1, 1, (MOST_MOVEMENTS, 2))
        jitter = rng.uniform(-_JITTER, _JITTER, MOST_MOVEMENTS)
        count = round(strength("motion-movements", severity, kind=kind))
        degrees = strength("motion-degrees", severity, kind=kind) * turns[:count]
        pixels = strength("motion-translation", severity, kind=kind) * shifts[:count]
        times = (np.arange(1, count + 1) + jitter[:count]) / (count + 1)
        return cls(
            tuple(degrees.tolist()), tuple((down, right) for down, right in pixels.tolist()), tuple(times.tolist())
        )

    def __call__(self, picture: Picture) -> Picture:
        """Return the image with the artefact; all colour channels move alike."""
        if not any(self.degrees) and not np.any(self.translation):
            return picture.copy()
        return join_planes([self._spoil(plane) for plane in channels(picture)], like=picture)

    @abstractmethod
    def _spoil(self, plane: Picture) -> Picture:
        """Return a colour channel with the artefact."""
