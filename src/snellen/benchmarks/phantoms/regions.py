"""Regions of phantoms: the pixels that differ from those of the same patient without the finding."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np

from snellen.benchmarks.phantoms.catalogue import NORMAL, modality_named
from snellen.benchmarks.phantoms.phantom import Phantom
from snellen.images import Image, Mask, Pixels, Region

FAINTEST = 3
"""Largest difference, of 255 grey levels, that does not count. The rounding of a whole image is below it."""
MARGIN = 4
"""Pixels around the differences that belong to the region."""


def make_healthy(phantom: Phantom) -> Phantom:
    """Return the same patient as a healthy one."""
    eye = phantom.side if "both" not in modality_named(phantom.modality).sides else "neither"
    return replace(phantom, finding=NORMAL, side=eye, location="", count=0, size="")


def without_finding(phantom: Phantom) -> Phantom:
    """Return the same patient without the finding, and otherwise as little changed as possible.

    Of findings that are counted there are none; around drusen, the whole pigment epithelium is thinner than usual.
    """
    countable = modality_named(phantom.modality).finding(phantom.finding).countable
    return replace(phantom, count=0) if countable else make_healthy(phantom)


@dataclass(frozen=True)
class FindingMask:
    """White where a phantom shows its finding, black elsewhere."""

    phantom: Phantom

    def draw(self) -> Pixels:
        """Return the pixels, in grey."""
        return _draw_mask(self.phantom)


@lru_cache(maxsize=64)
def _draw_mask(phantom: Phantom) -> Pixels:
    shown, healthy = (each.draw().astype(np.int16) for each in (phantom, without_finding(phantom)))
    apart = np.abs(shown - healthy).reshape(*shown.shape[:2], -1).max(axis=2)
    near = np.ones((2 * MARGIN + 1, 2 * MARGIN + 1), np.uint8)
    mask: Pixels = cv2.dilate((apart > FAINTEST).astype(np.uint8) * 255, near)
    mask.setflags(write=False)
    return mask


def find_regions(phantom: Phantom) -> tuple[Region, ...]:
    """Return the region of a phantom's finding; none for a healthy patient."""
    if phantom.finding == NORMAL or without_finding(phantom) == phantom:
        return ()
    return (Region(phantom.finding, Mask(Image(FindingMask(phantom)))),)


def show(phantom: Phantom, *, role: str = "") -> Image:
    """Return a phantom's image with the region of its finding."""
    return Image(phantom, role=role, regions=find_regions(phantom))
