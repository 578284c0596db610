"""Burned-in text: an overlay of the workstation that became part of the image."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar, Self

import cv2
import numpy as np
from numpy.random import Generator

from snellen.perturb.artefacts.base import Artefact, Picture
from snellen.perturb.artefacts.strengths import strength

WORDS = ("QUORVEX", "SER 7", "TALMIN", "FOV 22", "ZIRA", "ACQ 3", "BRONTE", "WL 40", "PELLIX", "SCOUT", "NORVA", "KV 9")
"""Invented names and settings; none is a patient, a finding or a side."""

ROWS = 14
_FONT = cv2.FONT_HERSHEY_SIMPLEX


@dataclass(frozen=True)
class BurnedText(Artefact):
    """Lines of white text on black, each by row and horizontal start.

    The start is a share of the width, and there are fourteen rows. `height` is the height of a capital, as a share of
    the image's height. The letters are OpenCV's and change with its version.
    """

    name: ClassVar[str] = "burned-text"

    height: float
    lines: tuple[tuple[int, float, str], ...]

    @classmethod
    def draw(cls, severity: float, rng: Generator, *, kind: str) -> Self:
        """Draw lines of text; with severity they become more and larger."""
        rows, starts = rng.permutation(ROWS).tolist(), rng.uniform(0, 0.15, ROWS).tolist()
        words = rng.integers(len(WORDS), size=(ROWS, 6)).tolist()
        texts = [" ".join(WORDS[word] for word in line) for line in words]
        count = ceil(strength("burned-text-lines", severity, kind=kind))
        lines = tuple(zip(rows, starts, texts, strict=True))[:count]
        return cls(strength("burned-text-height", severity, kind=kind), lines)

    def __call__(self, picture: Picture) -> Picture:
        """Return the image with the text over it."""
        if not self.lines:
            return picture.copy()
        covered = picture.copy()
        for row, start, words in self.lines:
            self._burn(covered, words, right=start, down=(row + 0.5) / ROWS)
        return covered

    def _burn(self, picture: Picture, words: str, *, right: float, down: float) -> None:
        """Draw one line into the image, in place."""
        height, width = picture.shape[:2]
        size = self.height * height
        scale, thickness = size / cv2.getTextSize("X", _FONT, 1.0, 1)[0][1], max(1, round(size / 8))
        left, middle, half = round(right * width), down * height, 0.6 * size
        top, bottom = max(0, round(middle - half)), min(height, round(middle + half))
        box = np.zeros((bottom - top, width - left), dtype=np.uint8)
        if box.size:
            length = min(width - left, cv2.getTextSize(words, _FONT, scale, thickness)[0][0])
            cv2.putText(box, words, (0, round(half + size / 2)), _FONT, scale, 255, thickness, cv2.LINE_AA)
            letters = np.multiply(box[:, :length], np.float32(1 / 255), dtype=np.float32)
            picture[top:bottom, left : left + length] = letters if picture.ndim == 2 else letters[..., None]
