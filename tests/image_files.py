"""Small image files for tests, and a drawing and a step."""

import struct
import zlib
from dataclasses import dataclass
from io import BytesIO

import numpy as np
import PIL.Image

GREY = np.arange(12 * 10, dtype=np.uint8).reshape(12, 10) * 2
RGB = np.stack([GREY, GREY[::-1], 255 - GREY], axis=2)
NAME = b"Jane^Doe"


def saved(picture, kind, **settings):
    """A picture as the bytes of a file."""
    buffer = BytesIO()
    picture.save(buffer, kind, **settings)
    return buffer.getvalue()


def png(pixels=RGB, **settings):
    """A PNG file."""
    return saved(PIL.Image.fromarray(pixels), "PNG", **settings)


def jpeg(pixels=RGB, **settings):
    """A JPEG file."""
    return saved(PIL.Image.fromarray(pixels), "JPEG", **settings)


def chunk(kind, body):
    """One whole PNG chunk."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def with_chunk(data, kind, body):
    """A PNG file with one more chunk behind its header."""
    return data[:33] + chunk(kind, body) + data[33:]


def with_segment(data, marker, body):
    """A JPEG file with one more segment at its start."""
    return data[:2] + bytes((0xFF, marker)) + struct.pack(">H", len(body) + 2) + body + data[2:]


def deep_png(values, *chunks):
    """A PNG file of 16 bits per channel: grey, RGB or RGB with transparency."""
    colour = 0 if values.ndim == 2 else {3: 2, 4: 6}[values.shape[2]]
    header = struct.pack(">IIBBBBB", values.shape[1], values.shape[0], 16, colour, 0, 0, 0)
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in values)
    between = b"".join(chunk(kind, body) for kind, body in chunks)
    return png()[:8] + chunk(b"IHDR", header) + between + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def exif(orientation):
    """An Exif block that says how a picture is turned."""
    tags = PIL.Image.Exif()
    tags[0x0112] = orientation
    return tags.tobytes()


def opened(data):
    """The pixels another reader sees."""
    return np.asarray(PIL.Image.open(BytesIO(data)))


@dataclass(frozen=True)
class Ramp:
    """A drawing for tests."""

    size: int = 4

    def draw(self):
        return np.full((self.size, self.size), 7, dtype=np.uint8)


@dataclass(frozen=True)
class Brighter:
    """A step for tests."""

    by: int

    def __call__(self, pixels):
        return pixels + np.uint8(self.by)
