"""Movements of a patient during a scan: how far, and when."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from snellen.perturb.artefacts.strengths import MOST_MOVEMENTS, strength

_JITTER = 0.3


class Movements(NamedTuple):
    """Each movement's turn in degrees, its shift in pixels along two axes, and the share of the scan done before it."""

    degrees: tuple[float, ...]
    translation: tuple[tuple[float, float], ...]
    times: tuple[float, ...]


def movements(severity: float, rng: Generator, *, kind: str) -> Movements:
    """Turns and shifts U(−m, m), at times evenly spaced over the scan but for ±0.3 of a step.

    The same numbers are drawn at every severity; a severer one makes more of them, and makes them larger.
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
