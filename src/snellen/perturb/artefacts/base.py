"""Artefact: a defect of an image; `draw` chooses its parameters, a call applies it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Picture = NDArray[np.float32]
"""Height × width (grey) or height × width × 3; 0 is black, 1 the largest stored value.

Values may leave 0 to 1 between artefacts; they are clipped once at the end (`Degradation`).
"""


@dataclass(frozen=True)
class Artefact(ABC):
    """A defect of an image, fully described by its fields, which JSON can store."""

    name: ClassVar[str]
    revision: ClassVar[int] = 1
    """Number that grows if the same draw gives other pixels than before.

    Responses to the old pixels then no longer count.
    """

    @classmethod
    @abstractmethod
    def draw(cls, severity: float, rng: Generator, *, kind: str) -> Self:
        """Draw the artefact at a severity: 0 (none), 0.5 (weak, interpretable) or 1 (strong, ungradable).

        The number of random values is the same at every severity, so that an image gets steadily worse. `kind` selects
        the settings of MRI, OCT or X-ray.
        """

    @abstractmethod
    def __call__(self, picture: Picture) -> Picture:
        """Return the image with the artefact as a new array; equal fields give equal results."""


def channels(picture: Picture) -> list[Picture]:
    """Return the distinct planes of an image: one if it is grey, even if stored as three."""
    if picture.ndim == 2:
        return [picture]
    red, green, blue = (picture[..., channel] for channel in range(3))
    return [red] if np.array_equal(red, green) and np.array_equal(green, blue) else [red, green, blue]


def join_planes(planes: list[Picture], *, like: Picture) -> Picture:
    """Join planes to one image with as many channels as `like`.

    >>> grey = np.zeros((4, 5, 3), dtype=np.float32)
    >>> len(channels(grey)), join_planes([plane + 1 for plane in channels(grey)], like=grey).shape
    (1, (4, 5, 3))
    """
    if like.ndim == 2:
        return planes[0]
    return np.stack(planes * 3 if len(planes) == 1 else planes, axis=2)
