"""Artefact: something that spoils a image, chosen by `drawn` and done by calling it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Picture = NDArray[np.float32]
"""Height × width (grey) or height × width × 3: 0 is black, 1 the full range of the stored type.

Values may leave 0 to 1 between one artefact and the next; they are clipped once, at the end (`Degradation`).
"""


@dataclass(frozen=True)
class Artefact(ABC):
    """Something that spoils a image. Its fields alone decide what is done; JSON can hold them all."""

    name: ClassVar[str]
    revision: ClassVar[int] = 1
    """Grows when the same draw gives other pixels than before: responses to the old ones are then no answer."""

    @classmethod
    @abstractmethod
    def drawn(cls, severity: float, rng: Generator, *, kind: str) -> Self:
        """The artefact at a severity from 0 (no change) by 0.5 (weak: interpretable) to 1 (strong: ungradable).

        As many random numbers are taken at every severity, so that one image gets worse along one path. `kind` says
        whose settings: those of MRI, OCT or X-ray.
        """

    @abstractmethod
    def __call__(self, picture: Picture) -> Picture:
        """The image with the artefact, in a new array; the same fields always do the same."""


def channels(picture: Picture) -> list[Picture]:
    """The planes of a image that differ: one of a grey image, also where it is stored as three equal ones."""
    if picture.ndim == 2:
        return [picture]
    red, green, blue = (picture[..., channel] for channel in range(3))
    return [red] if np.array_equal(red, green) and np.array_equal(green, blue) else [red, green, blue]


def joined(planes: list[Picture], *, like: Picture) -> Picture:
    """Planes as one image, grey or of three channels as the one they came from.

    >>> grey = np.zeros((4, 5, 3), dtype=np.float32)
    >>> len(channels(grey)), joined([plane + 1 for plane in channels(grey)], like=grey).shape
    (1, (4, 5, 3))
    """
    if like.ndim == 2:
        return planes[0]
    return np.stack(planes * 3 if len(planes) == 1 else planes, axis=2)
