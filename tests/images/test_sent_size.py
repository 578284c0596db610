"""Sent size: what the header says is what is sent, scaled down where images are; changed sizes are told from a few."""

from dataclasses import dataclass

import numpy as np
import pytest

from snellen.errors import ImageError
from snellen.images import Image
from snellen.images.sent_size import LOOKED_AT, SentSizes


@dataclass(frozen=True)
class Cut:
    """Takes the left half."""

    def __call__(self, pixels):
        return pixels[:, : pixels.shape[1] // 2].copy()


@dataclass(frozen=True)
class Drawn:
    """A grey ground."""

    number: int

    def draw(self):
        return np.full((40, 90), self.number, dtype=np.uint8)


def of_size(width, height):
    return Image(np.random.default_rng(width).integers(0, 255, (height, width), dtype=np.uint8))


@pytest.mark.parametrize("side", [None, 100, 64])
def test_the_size_is_that_of_the_image_as_sent(side, tmp_path):
    """Of files, bytes and drawings, as they are and after steps, whatever the limit."""
    path = tmp_path / "file.png"
    path.write_bytes(of_size(130, 70).encoded().data)
    images = [Image(path), of_size(300, 200), of_size(64, 301), *(Image(Drawn(n)) for n in range(6))]
    images += [image.then(Cut()) for image in images]
    sizes = SentSizes(side)
    for image in images:
        told, sent = sizes(image), image.encoded(side)
        assert (told.width, told.height) == (sent.width, sent.height)


def test_only_a_few_are_made():
    """Each chain of steps is tried on the first images; a missing file is an error as it is when it is sent."""
    made = []

    @dataclass(frozen=True)
    class Counted(Cut):
        def __call__(self, pixels):
            made.append(pixels.shape)
            return super().__call__(pixels)

    sizes = SentSizes(None).under_a_condition()
    found = [sizes(of_size(100 + 2 * n, 50).then(Counted())) for n in range(9)]
    assert [(each.width, each.height) for each in found] == [(50 + n, 50) for n in range(9)]
    assert len(made) == LOOKED_AT
    with pytest.raises(ImageError):
        sizes(Image("nowhere.png"))
