"""Blur for a batch, as matrix products: a Gaussian of a reflected picture only weighs the picture's cosines."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import lru_cache
from math import ceil, pi
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from snellen.perturb.artefacts.blur import Blur
from snellen.perturb.batch.stage import Fuse, Planes, Stage

_LEAST = 4.8  # in units of 1/sigma: beyond this frequency a Gaussian lets less than 1e-5 pass


def _width(part: Blur, height: int, width: int) -> Hashable:
    return part.sigma


def settings(parts: Sequence[Blur], height: int, width: int) -> tuple[Any, ...]:
    """The cosines down and across that pass the Gaussian, and how much of each does; all share one width."""
    sigma = parts[0].sigma * max(height, width) / 512
    if int(4 * sigma + 0.5) == 0:
        return (), ()
    return cosines(height, sigma), cosines(width, sigma)


@lru_cache(maxsize=16)
def cosines(size: int, sigma: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The lowest cosines over `size` pixels, one in each column, and the share of each that a Gaussian passes.

    These are the harmonics of a picture that is continued by its reflection. The Gaussian ends at four sigma.
    """
    count = min(size, ceil(_LEAST * size / (pi * sigma)) + 1)
    frequency = np.arange(count) * pi / size
    waves = np.cos((np.arange(size)[:, None] + 0.5) * frequency) * np.sqrt(2 / size)
    waves[:, 0] /= np.sqrt(2)
    reach = np.arange(-int(4 * sigma + 0.5), int(4 * sigma + 0.5) + 1)
    weights = np.exp(-0.5 * (reach / sigma) ** 2)
    passed = np.cos(frequency[:, None] * reach) @ (weights / weights.sum())
    return waves.astype(np.float32), passed.astype(np.float32)


def blur(
    planes: Planes, down: tuple[Planes, Planes] | tuple[()], right: tuple[Planes, Planes] | tuple[()], *, fuse: Fuse
) -> Planes:
    """Into cosines, weighed, and back. It keeps to 32 bits as long as torch does (`allow_tf32` is off by default)."""
    if not down or not right:
        return planes.clone()
    (tall, passed_down), (wide, passed_right) = down, right
    amplitudes = (tall.T @ planes @ wide) * (passed_down[:, None] * passed_right)
    back: Planes = torch.matmul(tall, amplitudes @ wide.T)
    return back


BLUR = Stage(settings, blur, alike=_width, pointwise=False)
