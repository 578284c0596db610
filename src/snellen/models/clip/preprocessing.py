"""Preprocessing: a picture as the image tower wants it, the same to the bit as open_clip's own, without torchvision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import PIL.Image
from numpy.typing import NDArray

from snellen.errors import ImageError
from snellen.images import MAX_PIXELS, Pixels

Prepared = NDArray[np.float32]
"""3 × height × width, each colour less its mean and over its standard deviation."""

_RESAMPLING = {"bilinear": PIL.Image.Resampling.BILINEAR}


@dataclass(frozen=True)
class Preprocessing:
    """How a model wants its pictures: resized (bicubic as a rule), the middle cropped out, normalised.

    `resize` says what is brought to the model's size: the picture's "shortest" side, its "longest" one (the rest is
    filled up), or both ("squash"), which changes its proportions.
    """

    height: int
    width: int
    mean: tuple[float, ...]
    std: tuple[float, ...]
    interpolation: str = "bicubic"
    resize: str = "shortest"
    fill: int = 0

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Preprocessing:
        """The preprocessing that a model's own settings ask for, by open_clip's names for them."""
        size = settings["size"]
        height, width = (size, size) if isinstance(size, int) else size
        return cls(
            height=height,
            width=width,
            mean=tuple(settings["mean"]),
            std=tuple(settings["std"]),
            interpolation=settings.get("interpolation") or "bicubic",
            resize=settings.get("resize_mode") or "shortest",
            fill=settings.get("fill_color") or 0,
        )

    def __call__(self, pixels: Pixels) -> Prepared:
        """The picture as the image tower wants it; a grey one has three equal colours."""
        seen = self._framed(self._resized(pixels)).astype(np.float32) / np.float32(255)
        colours = np.repeat(seen[None], 3, axis=0) if seen.ndim == 2 else seen.transpose(2, 0, 1)
        mean, std = (np.array(of_colours, np.float32)[:, None, None] for of_colours in (self.mean, self.std))
        return np.ascontiguousarray((colours - mean) / std)

    def _resized(self, pixels: Pixels) -> Pixels:
        height, width = self._size(*pixels.shape[:2])
        if height * width > MAX_PIXELS:
            raise ImageError(f"An image of {pixels.shape[1]} × {pixels.shape[0]} pixels is too narrow for this model.")
        # open_clip resizes to sizes that are not square by its default
        square = self.height == self.width or self.resize != "shortest"
        resampling = _RESAMPLING.get(self.interpolation if square else "", PIL.Image.Resampling.BICUBIC)
        return np.asarray(PIL.Image.fromarray(pixels).resize((width, height), resampling))

    def _size(self, height: int, width: int) -> tuple[int, int]:
        """The size a picture is resized to, before the middle is cropped out."""
        if self.resize == "squash":
            return self.height, self.width
        if self.resize == "shortest" and self.height == self.width:
            shortest = min(height, width)
            return int(self.height * height / shortest), int(self.width * width / shortest)
        ratios = height / self.height, width / self.width
        ratio = max(ratios) if self.resize == "longest" else min(ratios)
        return max(1, round(height / ratio)), max(1, round(width / ratio))

    def _framed(self, pixels: Pixels) -> Pixels:
        """The middle of a picture, filled up where it is smaller."""
        lacking = [max(0, own - has) for own, has in zip((self.height, self.width), pixels.shape, strict=False)]
        if any(lacking):
            margins = [(lack // 2, (lack + 1) // 2) for lack in lacking] + [(0, 0)] * (pixels.ndim - 2)
            pixels = np.pad(pixels, margins, constant_values=self.fill)
        top = round((pixels.shape[0] - self.height) / 2)
        left = round((pixels.shape[1] - self.width) / 2)
        return pixels[top : top + self.height, left : left + self.width]
