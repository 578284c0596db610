"""Bias field: slow changes of brightness by an uneven magnetic field."""

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
"""Powers of row and column, in the order of the coefficients."""

MOST_WHITE = 0.01
"""Share of the image, without black pixels, that a drawn field may turn white."""


@dataclass(frozen=True)
class BiasField(Artefact):
    """The image times exp(Σ cᵢⱼ yⁱ xʲ) with i + j ≤ 3.

    Rows y and columns x run from −1 to 1. The coefficients are in the order of `POWERS`. It is TorchIO's field for a
    single slice: of its twenty coefficients, the ten without the third axis matter. If more than `most_white` of the
    pixels that are not black would exceed white, the whole image is darkened by one factor.
    """

    name: ClassVar[str] = "bias-field"
    revision: ClassVar[int] = 2

    coefficients: tuple[float, ...]
    most_white: float = 1.0
    """Share that may turn white; 1, as in stored fields without this entry, darkens nothing."""

    @classmethod
    def draw(cls, severity: float, rng: Generator, *, kind: str) -> Self:
        """Draw coefficients U(−c, c); the severity only changes their common size c."""
        largest = strength("bias-field", severity, kind=kind)
        return cls(tuple((largest * rng.uniform(-1, 1, len(POWERS))).tolist()), MOST_WHITE)

    def __call__(self, picture: Picture) -> Picture:
        """Return the image times the field, darkened if too much of it would be white."""
        height, width = picture.shape[:2]
        matrix = np.zeros((ORDER + 1, ORDER + 1))
        matrix[tuple(np.transpose(POWERS))] = self.coefficients
        field = exponential((_snap(_powers(height) @ matrix) @ _snap(_powers(width)).T).astype(np.float32))
        shaded = np.multiply(picture, field, out=field) if picture.ndim == 2 else picture * field[..., None]
        return _darken_to_fit(shaded, self.most_white)


def _darken_to_fit(shaded: Picture, most_white: float) -> Picture:
    """Divide in place by the level that at most `most_white` of the non-black pixels exceed."""
    brightest = shaded if shaded.ndim == 2 else shaded.max(axis=2)
    allowed = int(most_white * np.count_nonzero(brightest > 0))
    beyond = brightest[brightest > 1]
    if beyond.size <= allowed:
        return shaded
    shaded /= np.partition(beyond, -1 - allowed)[-1 - allowed]
    return shaded


def _powers(size: int) -> NDArray[np.float64]:
    """Powers 0 to 3 of the pixels' centres, which run from −1 to 1."""
    half = (size - 1) / 2
    place = (np.arange(size, dtype=np.float64) - half) / (half or 1.0)
    return np.vander(place, ORDER + 1, increasing=True)


def _snap(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round to 2⁻²², so that 64-bit sums of products are exact in any order."""
    return np.rint(values * 2.0**22) / 2.0**22
