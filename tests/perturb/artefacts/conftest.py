"""Pictures to spoil: real ones where they lie beside the checkout."""

import json
from pathlib import Path

import cv2
import pytest

from snellen.images import decode

SAMPLES = Path(__file__).parents[3].parent / "shared" / "data" / "sample-images"


@pytest.fixture(scope="session")
def between_pixels():
    """How far a value between pixels may be off: OpenCV 4 rounds places to 1/32 of a pixel, OpenCV 5 does not."""
    return 1e-4 if int(cv2.__version__.split(".")[0]) >= 5 else 0.05


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
