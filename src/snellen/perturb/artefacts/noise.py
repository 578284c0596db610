"""Noise: grain of the detector, with the same normal distribution everywhere.

A value of the noise depends only on the seed and its position. Values 2i and 2i + 1 come from the lower and the upper
half of a 32-bit hash of i and the seed. Each 16-bit half selects one of 65,536 quantiles of the normal distribution.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from typing import ClassVar, NamedTuple, Self

import numpy as np
import scipy
from numpy.random import Generator
from numpy.typing import NDArray

from snellen.perturb.artefacts.base import Artefact, Picture, channels, join_planes
from snellen.perturb.artefacts.strengths import strength


@dataclass(frozen=True)
class Noise(Artefact):
    """Normal noise of mean 0 and SD `sd`. Grey images have one field, others one per colour channel."""

    name: ClassVar[str] = "noise"

    sd: float
    seed: int

    @classmethod
    def draw(cls, severity: float, rng: Generator, *, kind: str) -> Self:
        """Draw noise; its SD grows with severity, and its field stays the same."""
        return cls(strength("noise", severity, kind=kind), int(rng.integers(SEEDS)))

    def __call__(self, picture: Picture) -> Picture:
        """Return the image plus noise."""
        planes = channels(picture)
        size = planes[0].size
        field = noise_field(size * len(planes), self.seed)
        field *= np.float32(self.sd)
        noisy = [
            np.add(plane, field[index * size : (index + 1) * size].reshape(plane.shape))
            for index, plane in enumerate(planes)
        ]
        return join_planes(noisy, like=picture)


SHIFTS = (16, 15, 15)
FACTORS = (0x21F0AAAD, 0xD35A2D97)
"""Constants of a 32-bit mixing step: shift and xor, multiply, twice, then a last shift and xor; one-to-one."""

SEEDS = 1 << 53
"""Number of seeds, which is the number of whole numbers that JSON stores exactly everywhere."""

_CHUNK = 1 << 15  # number of words hashed at a time; they and the table fit the cache


class HashKeys(NamedTuple):
    """Keys that a seed gives to the hash, one before each of its two rounds."""

    first: int
    second: int


def keys(seed: int) -> HashKeys:
    """Return the two 32-bit keys of a seed; different seeds have different keys.

    A 64-bit mixing step makes the keys of neighbouring seeds unrelated.
    """
    if not 0 <= seed < SEEDS:
        raise ValueError(f"A seed lies between 0 and {SEEDS - 1}, got {seed!r}.")
    mixed = seed + 0x9E3779B97F4A7C15
    for shift, factor in ((32, 0xD6E8FEB86659FD93), (32, 0xD6E8FEB86659FD93)):
        mixed = (mixed ^ (mixed >> shift)) * factor % (1 << 64)
    mixed ^= mixed >> 32
    return HashKeys(mixed & 0xFFFFFFFF, mixed >> 32)


@cache
def quantiles() -> NDArray[np.float32]:
    """Return the mid-point quantiles of the normal distribution, scaled to an SD of 1."""
    middle = scipy.special.ndtri((np.arange(1 << 16) + 0.5) / (1 << 16))
    return np.asarray(middle / middle.std(), dtype=np.float32)


def noise_field(size: int, seed: int) -> NDArray[np.float32]:
    """Return the first `size` values of a seed's noise. Longer fields begin with the same values.

    >>> bool((noise_field(7, seed=1) == noise_field(9, seed=1)[:7]).all())
    True
    """
    words = -(-size // 2)
    field = np.empty(2 * words, dtype=np.float32)
    table, own = quantiles(), keys(seed)
    count = np.arange(min(words, _CHUNK), dtype=np.uint32)
    hashed, spare = np.empty_like(count), np.empty_like(count)
    for start in range(0, words, _CHUNK):
        size_here = min(_CHUNK, words - start)
        here, rest = hashed[:size_here], spare[:size_here]
        np.add(count[:size_here], np.uint32(start), out=here)
        for key in own:
            np.bitwise_xor(here, np.uint32(key), out=here)
            for shift, factor in zip_longest(SHIFTS, FACTORS):
                np.right_shift(here, np.uint32(shift), out=rest)
                np.bitwise_xor(here, rest, out=here)
                if factor is not None:
                    np.multiply(here, np.uint32(factor), out=here)
        halves = here.astype("<u4", copy=False).view("<u2")
        np.take(table, halves, out=field[2 * start : 2 * (start + size_here)], mode="clip")
    return field[:size]
