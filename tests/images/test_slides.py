"""Whole slides: a thumbnail by the level that has enough pixels, and what is refused."""

import struct

import numpy as np
import pytest

from snellen.errors import ImageError, MissingExtraError, UnusableImageError
from snellen.images.formats.slides import images_of

TILE = 64


def tiled_tiff(path, levels):
    """A TIFF of tiles without compression, a directory for each level: what scanners write, by hand."""
    data, start = bytearray(b"II*\0\0\0\0\0"), 4
    for number, pixels in enumerate(levels):
        height, width = pixels.shape[:2]
        rows, columns = -(-height // TILE), -(-width // TILE)
        padded = np.zeros((rows * TILE, columns * TILE, 3), dtype=np.uint8)
        padded[:height, :width] = pixels
        tiles = padded.reshape(rows, TILE, columns, TILE, 3).swapaxes(1, 2).reshape(-1, TILE * TILE * 3)
        offsets = []
        for tile in tiles:
            offsets.append(len(data))
            data += tile.tobytes()
        lists = len(data)
        data += struct.pack(f"<{len(offsets)}I", *offsets) + struct.pack("<I", tiles.shape[1]) * len(offsets)
        bits = len(data)
        data += struct.pack("<3H", 8, 8, 8) + b"\0\0"
        many = len(offsets)
        entries = [
            (254, 4, 1, 1 if number else 0), (256, 4, 1, width), (257, 4, 1, height), (258, 3, 3, bits),
            (259, 3, 1, 1), (262, 3, 1, 2), (277, 3, 1, 3), (284, 3, 1, 1), (322, 4, 1, TILE), (323, 4, 1, TILE),
            (324, 4, many, lists if many > 1 else offsets[0]),
            (325, 4, many, lists + 4 * many if many > 1 else tiles.shape[1]),
        ]  # fmt: skip
        struct.pack_into("<I", data, start, len(data))
        data += struct.pack("<H", len(entries)) + b"".join(struct.pack("<HHII", *each) for each in entries)
        start = len(data)
        data += b"\0\0\0\0"
    path.write_bytes(data)
    return path


def tissue(side):
    """Red on the left, blue on the right, a green corner at the top left."""
    pixels = np.zeros((side // 2, side, 3), dtype=np.uint8)
    pixels[:, : side // 2, 0] = pixels[:, side // 2 :, 2] = 200
    pixels[: side // 8, : side // 8] = (0, 200, 0)
    return pixels


def test_a_slide_is_shown_as_a_thumbnail(tmp_path):
    """The level that is just large enough is taken, made small, upright, in its colours; the rule says so."""
    path = tiled_tiff(tmp_path / "DOE.svs", [tissue(512), tissue(256), tissue(128)])
    (image,) = images_of(path, side=100)
    pixels = image.pixels()
    assert pixels.shape == (50, 100, 3)
    assert [pixels[3, 3].tolist(), pixels[30, 3].tolist(), pixels[30, 90].tolist()] == [
        [0, 200, 0],
        [200, 0, 0],
        [0, 0, 200],
    ]
    sent = image.encoded()
    assert sent.rule == "a thumbnail of the whole slide, at most 100 pixels on the longer side"
    assert sent.original == (512, 256)
    assert not any("DOE" in each for each in (image.fingerprint, image.name, repr(image.source)))


def test_a_small_slide_stays_as_large_as_it_is(tmp_path):
    """Nothing is made up."""
    path = tiled_tiff(tmp_path / "a.svs", [tissue(128)])
    assert np.array_equal(images_of(path)[0].pixels(), tissue(128))


def test_what_is_no_slide_is_refused(tmp_path, monkeypatch):
    """A text, a cut-off file, a slide without small levels, a side that is none, and no OpenSlide."""
    (tmp_path / "DOE.svs").write_bytes(b"a letter")
    with pytest.raises(UnusableImageError, match="a format that OpenSlide does not read") as refused:
        images_of(tmp_path / "DOE.svs")
    assert "DOE" not in str(refused.value)
    whole = tiled_tiff(tmp_path / "a.svs", [tissue(512)])
    data = whole.read_bytes()
    (tmp_path / "cut.svs").write_bytes(data[: len(data) // 2])
    with pytest.raises(UnusableImageError, match="of a whole slide"):
        images_of(tmp_path / "cut.svs")[0].pixels()
    monkeypatch.setattr("snellen.images.formats.slides.MOST_AT_ONCE", 1000)
    with pytest.raises(UnusableImageError, match="pyramid"):
        images_of(whole)
    with pytest.raises(ImageError, match="16 to 8192"):
        images_of(whole, side=3)
    monkeypatch.setitem(__import__("sys").modules, "openslide", None)
    with pytest.raises(MissingExtraError, match=r"snellen\[slides\]"):
        images_of(whole)
