"""Windows: the range of a scan's values that is shown from black to white."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from snellen.errors import ImageError

Pixels = NDArray[np.uint8]
Values = NDArray[np.float64]
Shape = Literal["LINEAR", "LINEAR_EXACT", "SIGMOID"]
SHAPES: tuple[Shape, ...] = ("LINEAR", "LINEAR_EXACT", "SIGMOID")

LOW, HIGH = 0.5, 99.5
"""Percentiles shown as black and white if nothing else defines them, so that outliers have no effect."""
MOST_SAMPLED = 4_000_000
"""Largest number of values for the percentiles; of more, every second, third … one is used."""


@dataclass(frozen=True)
class Window:
    """A window by centre and width, with the shading function of DICOM (PS3.3 C.11.2.1.2)."""

    centre: float
    width: float
    shape: Shape = "LINEAR"

    def __post_init__(self) -> None:
        if self.shape not in SHAPES:
            raise ValueError(f"the function of a window is {', '.join(SHAPES)}, got {self.shape!r}")
        least = 1 if self.shape == "LINEAR" else 0
        if not (math.isfinite(self.centre) and math.isfinite(self.width)):
            raise ValueError(f"a window has a finite centre and width, got {self.centre:g} and {self.width:g}")
        if self.width < least or self.width == 0:
            bound = "1 or more" if least else "more than 0"
            raise ValueError(f"the width of a {self.shape} window is {bound}, got {self.width:g}")

    def shares(self, values: Values) -> Values:
        """Return the brightness of each value, from 0 to 1.

        >>> Window(40, 400).shares(np.array([-160.0, 39.5, 240.0])).tolist()
        [0.0, 0.5, 1.0]
        """
        if self.shape == "SIGMOID":
            with np.errstate(over="ignore"):
                return 1 / (1 + np.exp(-4 * (values - self.centre) / self.width))
        centre, width = (self.centre - 0.5, self.width - 1) if self.shape == "LINEAR" else (self.centre, self.width)
        if width == 0:
            return (values > centre).astype(np.float64)
        return np.clip((values - centre) / width + 0.5, 0, 1)


WINDOWS: Mapping[str, Window] = {
    "lung": Window(-600, 1500),
    "mediastinum": Window(50, 350),
    "soft-tissue": Window(40, 400),
    "bone": Window(400, 1800),
    "brain": Window(40, 80),
    "subdural": Window(75, 215),
    "stroke": Window(40, 40),
    "liver": Window(30, 150),
    "spine": Window(50, 250),
    "temporal-bone": Window(600, 2800),
}
"""The usual windows of CT, in Hounsfield units."""
AUTO = "auto"
"""Setting that selects percentiles."""
_NUMBERS = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*/\s*(\d+(?:\.\d+)?)\s*")


def window_called(name: str) -> Window:
    """Return a window by name, or by `centre/width` in Hounsfield units. Raise ImageError if there is none.

    >>> window_called("lung"), window_called("-50/250")
    (Window(centre=-600, width=1500, shape='LINEAR'), Window(centre=-50.0, width=250.0, shape='LINEAR'))
    """
    if name in WINDOWS:
        return WINDOWS[name]
    if found := _NUMBERS.fullmatch(name):
        try:
            return Window(float(found[1]), float(found[2]))
        except ValueError as error:
            raise ImageError(f"the window {name!r} cannot be used: {error}") from error
    raise ImageError(
        f"there is no window {name!r}; expected {', '.join(WINDOWS)}, centre/width such as -600/1500, or {AUTO}"
    )


def in_words(name: str) -> str:
    """Describe the rule of a requested window.

    >>> in_words("lung")
    'values shown by the lung window of CT (centre -600 HU, width 1,500 HU)'
    """
    window = window_called(name)
    which = f"the {name} window of CT" if name in WINDOWS else "the window asked for"
    return f"values shown by {which} (centre {window.centre:g} HU, width {window.width:,g} HU)"


@runtime_checkable
class Windowed(Protocol):
    """A drawing of a scan whose window can be changed."""

    def with_window(self, window: str) -> Any:
        """Return the drawing with another CT window; raise Inapplicable with the reason if impossible."""
        ...


class GreyRange(NamedTuple):
    """The values shown as black and as white; those between are shaded evenly."""

    low: float
    high: float

    def shares(self, values: Values) -> Values:
        """Return the brightness of each value from 0 to 1. It is 0 if black and white are equal."""
        if not self.high > self.low:
            return np.zeros_like(values)
        return np.clip((values - self.low) / (self.high - self.low), 0, 1)


BY_PERCENTILES = f"values shown from the {LOW:g}th percentile of each picture (black) to the {HIGH:g}th (white)"


def spread(values: NDArray[Any]) -> GreyRange:
    """Return the range from the 0.5th to the 99.5th percentile. If these are equal, return the full range.

    >>> spread(np.arange(1001))
    GreyRange(low=5.0, high=995.0)
    """
    flat = values.ravel()
    if flat.dtype.kind == "f":
        flat = flat[np.isfinite(flat)]
    if not flat.size:
        return GreyRange(0, 0)
    sampled = flat[:: -(-flat.size // MOST_SAMPLED)]
    low, high = (float(each) for each in np.percentile(sampled, (LOW, HIGH)))
    return GreyRange(low, high) if low < high else GreyRange(float(flat.min()), float(flat.max()))


def levels(shares: Values) -> Pixels:
    """Convert shares of full brightness to 8 bits; NaN is black."""
    return cast("Pixels", np.rint(255 * np.nan_to_num(shares, nan=0.0)).astype(np.uint8))
