"""Movements of a patient during a scan: how far, and when."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from snellen.perturb.artefacts.strengths import MOST_MOVEMENTS, strength

_JITTER = 0.3


class Movements(NamedTuple):
    """Rotation in degrees, shift in pixels, and time of each movement."""

    degrees: tuple[float, ...]
    translation: tuple[tuple[float, float], ...]
    times: tuple[float, ...]


def movements(severity: float, rng: Generator, *, kind: str) -> Movements:
    """Draw rotations and shifts U(−m, m), at evenly spaced times with jitter of ±0.3 steps.

    The same random values are drawn at every severity; a higher severity uses more of them and scales them up.
    """
    turns = rng.uniform(-1, 1, MOST_MOVEMENTS)
    shifts = rng.uniform(-1, 1, (MOST_MOVEMENTS, 2))
    jitter = rng.uniform(-_JITTER, _JITTER, MOST_MOVEMENTS)
    count = round(strength("motion-movements", severity, kind=kind))
    degrees = strength("motion-degrees", severity, kind=kind) * turns[:count]
    pixels = strength("motion-translation", severity, kind=kind) * shifts[:count]
    times = (np.arange(1, count + 1) + jitter[:count]) / (count + 1)
    return Movements(
        tuple(degrees.tolist()), tuple((down, right) for down, right in pixels.tolist()), tuple(times.tolist())
    )
