"""Pictures to spoil: real ones where they lie beside the checkout."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import ndimage

from snellen.images import decode

SAMPLES = Path(__file__).parents[3].parent / "shared" / "data" / "sample-images"


@pytest.fixture(scope="session")
def between_pixels():
    """How far a value from 0 to 1 between pixels may be off, since places are rounded to 1/32 of a pixel.

    In each direction by half of that, and by half of 1/1024 for each of the two terms that are added up.
    """
    return 2 * (1 / 64 + 2 / 2048)


@pytest.fixture(scope="session")
def at_rounded_places():
    """A canvas whose pixels come from elsewhere in a picture, by SciPy, at places rounded as ours are."""

    def canvas(picture, origin, shape, beyond):
        columns, rows = origin[:, 0, None] * np.arange(shape[1]), origin[:, 1, None] * np.arange(shape[0])
        columns, rows = np.rint(columns * 1024), np.rint((rows + origin[:, 2, None]) * 1024)
        right, down = np.floor((columns[:, None, :] + rows[:, :, None] + 16) / 32) / 32
        return ndimage.map_coordinates(picture, [down, right], order=1, mode="grid-constant", cval=beyond)

    return canvas


@pytest.fixture(scope="session")
def samples():
    """Real pictures with the kind of image whose settings they get; of large ones every second pixel, to be quick."""
    if not SAMPLES.is_dir():
        pytest.skip("the sample images are not beside this checkout (shared/data/sample-images)")
    found = []
    for entry in json.loads((SAMPLES / "manifest.json").read_text()):
        pixels = decode((SAMPLES / entry["file"]).read_bytes(), name=entry["file"])
        found.append((pixels[::2, ::2] if pixels.shape[0] > 400 else pixels, _kind(entry["modality"])))
    return found


def _kind(modality):
    return "MRI" if modality.startswith("MR") else "X-ray"
