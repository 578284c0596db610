"""Bias field: the slow brightening and darkening across a image that an uneven magnetic field leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from snellen.perturb.arithmetic import exponential
from snellen.perturb.artefacts.base import Artefact, Picture
from snellen.perturb.artefacts.strengths import strength

ORDER = 3
POWERS = tuple((rows, columns) for rows in range(ORDER + 1) for columns in range(ORDER + 1 - rows))
"""What each coefficient belongs to: the power of the row and that of the column."""

MOST_WHITE = 0.01
"""The share of an image, without what is black, that a drawn field may turn white."""


@dataclass(frozen=True)
class BiasField(Artefact):
    """The image times exp(Σ cᵢⱼ yⁱ xʲ), i + j ≤ 3, where rows y and columns x run from −1 to 1.

    The coefficients stand in the order of `POWERS`. It is TorchIO's field of a single slice: of the twenty coefficients
    drawn there, the ten without the third axis act. If more than `most_white` of what is not black would pass white,
    the whole image is darkened by one factor, as by a viewer's window, until no more does.
    """

    name: ClassVar[str] = "bias-field"
    revision: ClassVar[int] = 2

    coefficients: tuple[float, ...]
    most_white: float = 1.0
    """1 darkens nothing: so were the fields that have no such entry in the store."""

    @classmethod
    def drawn(cls, severity: float, rng: Generator, *, kind: str) -> Self:
        """Coefficients U(−c, c), the same but for their common size c at every severity."""
        largest = strength("bias-field", severity, kind=kind)
        return cls(tuple((largest * rng.uniform(-1, 1, len(POWERS))).tolist()), MOST_WHITE)

    def __call__(self, picture: Picture) -> Picture:
        """The image times the field, darkened if too much of it would be white."""
        height, width = picture.shape[:2]
        matrix = np.zeros((ORDER + 1, ORDER + 1))
        matrix[tuple(np.transpose(POWERS))] = self.coefficients
        field = exponential((_snapped(_powers(height) @ matrix) @ _snapped(_powers(width)).T).astype(np.float32))
        shaded = np.multiply(picture, field, out=field) if picture.ndim == 2 else picture * field[..., None]
        return _darken_to_fit(shaded, self.most_white)


def _darken_to_fit(shaded: Picture, most_white: float) -> Picture:
    """Divide, in place, by the level that only a share of lit pixels exceeds."""
    brightest = shaded if shaded.ndim == 2 else shaded.max(axis=2)
    allowed = int(most_white * np.count_nonzero(brightest > 0))
    beyond = brightest[brightest > 1]
    if beyond.size <= allowed:
        return shaded
    shaded /= np.partition(beyond, -1 - allowed)[-1 - allowed]
    return shaded


def _powers(size: int) -> NDArray[np.float64]:
    """Powers 0 to 3 of the pixels' centres, the outermost at ±1; a single pixel is in the middle."""
    half = (size - 1) / 2
    place = (np.arange(size, dtype=np.float64) - half) / (half or 1.0)
    return np.vander(place, ORDER + 1, increasing=True)


def _snapped(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rounded to 2⁻²²: 64 bits hold sums of four products of such numbers exactly, in whatever order they are added."""
    return np.rint(values * 2.0**22) / 2.0**22
