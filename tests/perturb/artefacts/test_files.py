"""Files of every kind, degraded: the documented conversion or a clear error, never a wrong picture."""

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import PIL.Image
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.errors import ImageError
from snellen.images import Image
from snellen.perturb.artefacts import ARTEFACTS, Degradation, Rotation

GREY = np.arange(24 * 20, dtype=np.uint16).reshape(24, 20).astype(np.uint8)
RGB = np.stack([GREY, GREY[::-1], 255 - GREY], axis=2)
QUARTER_TURN = Degradation((Rotation(90),))
"""It moves every pixel and changes none."""


@dataclass(frozen=True)
class Unreached:
    """A step that no picture may reach."""

    def __call__(self, pixels):
        raise AssertionError(f"got {pixels.shape}")


def saved(picture, kind, **settings):
    """A picture as the bytes of a file."""
    buffer = BytesIO()
    picture.save(buffer, kind, **settings)
    return buffer.getvalue()


def of(pixels, kind="PNG", **settings):
    return saved(PIL.Image.fromarray(pixels), kind, **settings)


def sent(data, *steps):
    """What another reader sees of the file that is sent."""
    image = Image(data)
    for step in steps:
        image = image.then(step)
    encoded = image.encoded()
    assert encoded.media_type == "image/png"
    return np.asarray(PIL.Image.open(BytesIO(encoded.data)).convert("RGB"))


FRAMES = [PIL.Image.fromarray(pixels) for pixels in (GREY, np.ascontiguousarray(GREY[::-1]))]
CMYK = saved(PIL.Image.fromarray(RGB).convert("CMYK"), "JPEG")
ALPHA = np.dstack([RGB, np.where(GREY > 99, 255, 0).astype(np.uint8)])
CONVERTED = {
    "grey": (of(GREY), GREY),
    "CMYK": (CMYK, np.asarray(PIL.Image.open(BytesIO(CMYK)).convert("RGB"))),
    "16 bits": (of(np.minimum(GREY, 254) * np.uint16(257) + np.uint16(160)), np.minimum(GREY, 254) + 1),
    "transparent": (of(ALPHA), np.where(GREY[..., None] > 99, RGB, 0)),
    "animated GIF": (saved(FRAMES[0], "GIF", save_all=True, append_images=FRAMES[1:]), GREY),
}


@pytest.mark.parametrize("kind", CONVERTED)
def test_every_kind_is_converted_as_documented(kind):
    """Degraded is what a viewer shows of the file: the first frame, on black, in 8 bits."""
    data, shown = CONVERTED[kind]
    colours = shown if shown.ndim == 3 else np.stack([shown] * 3, axis=2)
    assert np.array_equal(np.rot90(colours), sent(data, QUARTER_TURN))


@pytest.mark.parametrize("data", [of(RGB)[:-30], of(RGB, "JPEG")[:-30], b"Patient moved."])
def test_what_cannot_be_read_is_refused_before_it_is_degraded(data):
    """No half picture reaches an artefact; `tests/images` says what of every kind is wrong."""
    with pytest.raises(ImageError):
        Image(data).then(Unreached()).encoded()


@given(name=st.sampled_from(sorted(ARTEFACTS)), severity=st.floats(0, 1), seed=st.integers(0, 2**32 - 1))
def test_degrading_a_file_never_changes_it(name, severity, seed):
    """Bytes and time of change of the file stay, and so does what is sent without the artefact."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "scan.png"
        path.write_bytes(of(GREY))
        before, image = path.stat(), Image(path)
        part = ARTEFACTS[name].draw(severity, np.random.default_rng(seed), kind="OCT")
        degraded = image.then(Degradation((part,))).encoded()
        assert (path.read_bytes(), path.stat().st_mtime_ns) == (of(GREY), before.st_mtime_ns)
        assert list(Path(folder).iterdir()) == [path]
        assert image.encoded().data == of(GREY)
        assert degraded.data != b""
