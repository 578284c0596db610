"""Phantoms as records: the fields define the image."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from snellen.images import Pixels
from snellen.plugins import Members, load_reference

DRAWN_BY: Members = {
    "chest X-ray": "snellen.benchmarks.phantoms.chest_xray:draw",
    "brain MRI": "snellen.benchmarks.phantoms.brain_mri:draw",
    "OCT": "snellen.benchmarks.phantoms.oct:draw",
    "fundus photograph": "snellen.benchmarks.phantoms.fundus:draw",
}


@dataclass(frozen=True)
class Phantom:
    """Image with one known finding.

    `side` is the patient's side in a chest X-ray or brain MRI (the patient's right is on the left of the image), the
    image's side in an OCT scan, and the eye in a fundus photograph. Attributes that a finding lacks are empty or 0. The
    seed draws the anatomy independently of the disease, so two phantoms with one seed are the same patient.

    >>> Phantom("chest X-ray", "pneumothorax", side="left", seed=3).draw().shape
    (512, 512)
    """

    modality: str
    finding: str
    side: str = ""
    location: str = ""
    count: int = 0
    size: str = ""
    seed: int = 0

    def draw(self) -> Pixels:
        """Return the pixels, 512 × 512: grey, or RGB for a fundus photograph."""
        return _draw_once(self).copy()


@lru_cache(maxsize=32)
def _draw_once(phantom: Phantom) -> Pixels:
    """Draw a phantom. The latest are kept, because one image is asked under many conditions."""
    anatomy, disease = (np.random.default_rng([phantom.seed, part]) for part in (0, 1))
    pixels: Pixels = load_reference(DRAWN_BY[phantom.modality])(phantom, anatomy, disease)
    return pixels
