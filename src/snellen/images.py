"""Image: a picture by its origin and by what was done to it; encoded, checked and hashed once, and only when needed.

The one door to the image codecs. Files in a format that every model takes (PNG, JPEG) are sent as they are, byte for
byte, less their metadata (which may hold a patient's name); everything else is sent as lossless PNG.
"""

from __future__ import annotations

import hashlib
import struct
import threading
import zlib
from base64 import b64encode
from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from snellen.errors import ImageError

Pixels = NDArray[np.uint8]
"""Height × width (grey) or height × width × 3 (red, green, blue), 8 bits."""

MAX_PIXELS = 64_000_000


class Drawing(Protocol):
    """A picture that is made, not read: a frozen dataclass whose fields alone decide every pixel."""

    def draw(self) -> Pixels:
        """The pixels."""
        ...


class Step(Protocol):
    """Something done to pixels: a frozen dataclass whose fields alone decide what; the input stays untouched."""

    def __call__(self, pixels: Pixels) -> Pixels:
        """The pixels afterwards, in a new array."""
        ...


@dataclass(frozen=True)
class EncodedImage:
    """An image exactly as it is sent; its sha256 is part of the request's key and of the delivery receipt."""

    data: bytes = field(repr=False)
    media_type: str
    width: int
    height: int

    @cached_property
    def sha256(self) -> str:
        """The hash of the bytes as sent."""
        return hashlib.sha256(self.data).hexdigest()

    @cached_property
    def base64(self) -> bytes:
        """The bytes as base64, made once however often the image is sent."""
        return b64encode(self.data)


@dataclass(frozen=True)
class Image:
    """A picture: where it comes from, and what was done to it in order."""

    source: Path | bytes | Drawing
    steps: tuple[Step, ...] = ()

    def then(self, step: Step) -> Image:
        """The same picture with one more step; nothing is computed yet."""
        return replace(self, steps=(*self.steps, step))

    @cached_property
    def fingerprint(self) -> str:
        """The same fingerprint, the same picture. Files are known by path, size and time of change."""
        if isinstance(self.source, Path):
            try:
                stat = self.source.stat()
            except OSError as error:
                raise ImageError(f"Image {self.source} cannot be read: {error.strerror}.") from error
            origin = f"file:{self.source.resolve()}:{stat.st_size}:{stat.st_mtime_ns}"
        elif isinstance(self.source, bytes):
            origin = f"sha256:{hashlib.sha256(self.source).hexdigest()}"
        else:
            origin = repr(self.source)
        return origin + "".join(f" > {step!r}" for step in self.steps)

    @property
    def path(self) -> Path | None:
        """The file that holds this picture unchanged, if there is one."""
        return self.source if isinstance(self.source, Path) and not self.steps else None

    def read(self) -> bytes:
        """The bytes of a picture that is a file or was given as bytes."""
        if isinstance(self.source, Path):
            try:
                return self.source.read_bytes()
            except OSError as error:
                raise ImageError(f"Image {self.source} cannot be read: {error.strerror}.") from error
        if isinstance(self.source, bytes):
            return self.source
        raise TypeError(f"{self.source!r} is drawn, not read.")

    def pixels(self) -> Pixels:
        """The picture as an array, after all its steps."""
        read = isinstance(self.source, Path | bytes)
        array = decode(self.read(), name=self._name) if read else cast("Drawing", self.source).draw()
        for step in self.steps:
            array = step(array)
        return array

    def encoded(self) -> EncodedImage:
        """The picture as it is sent."""
        if isinstance(self.source, Path | bytes) and not self.steps:
            data = self.read()
            header = check(data, name=self._name)
            if header.sendable:
                return EncodedImage(without_metadata(data, header), header.media_type, header.width, header.height)
        return encode(self.pixels())

    @property
    def _name(self) -> str:
        return str(self.source) if isinstance(self.source, Path) else "given as bytes"


class Header(NamedTuple):
    """What the first bytes of an image file say. `sendable`: models take this file as it is."""

    media_type: str
    width: int
    height: int
    sendable: bool


def check(data: bytes, *, name: str) -> Header:
    """The header of an image file whose structure is whole; a truncated, corrupt or gigantic one raises ImageError.

    PNG: every chunk's checksum. JPEG: the end marker is there. No pixel is decoded.
    """
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        header = _check_png(data, name)
    elif data.startswith(b"\xff\xd8"):
        header = _check_jpeg(data, name)
    else:
        header = _check_by_codec(data, name)
    if header.width * header.height > MAX_PIXELS:
        raise ImageError(
            f"Image {name} is {header.width} × {header.height} pixels; at most {MAX_PIXELS:,} pixels are read. "
            "Make it smaller first."
        )
    return header


def _png_chunks(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Each chunk's type, start and end."""
    at = 8
    while at + 12 <= len(data):
        (length,) = struct.unpack_from(">I", data, at)
        yield data[at + 4 : at + 8], at, at + 12 + length
        at += 12 + length


def _check_png(data: bytes, name: str) -> Header:
    view = memoryview(data)
    last = b""
    animated = False
    for kind, start, end in _png_chunks(data):
        if end > len(data) or zlib.crc32(view[start + 4 : end - 4]) != int.from_bytes(view[end - 4 : end], "big"):
            raise ImageError(f"Image {name} is damaged: its PNG chunk at byte {start} is incomplete or corrupt.")
        last = kind
        animated = animated or kind == b"acTL"
        if kind == b"IEND":
            break
    if last != b"IEND" or data[12:16] != b"IHDR":
        raise ImageError(f"Image {name} is cut off: its PNG file has no end.")
    width, height, depth = struct.unpack_from(">IIB", data, 16)
    return Header("image/png", width, height, sendable=depth <= 8 and not animated)


def _jpeg_segments(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Each header segment's marker, start and end, up to the start of the scan."""
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        if marker == 0xDA:
            return
        end = at + 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        yield marker, at, end
        at = end


_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def _check_jpeg(data: bytes, name: str) -> Header:
    if b"\xff\xd9" not in data[-64:]:
        raise ImageError(f"Image {name} is cut off: its JPEG file has no end marker.")
    size: tuple[int, int, int] | None = None
    oriented = False
    for marker, start, end in _jpeg_segments(data):
        if marker in _JPEG_FRAMES and start + 10 <= len(data):
            height, width = struct.unpack_from(">HH", data, start + 5)
            size = (width, height, data[start + 9])
        elif marker == 0xE1 and data[start + 4 : start + 10] == b"Exif\x00\x00":
            oriented = oriented or _exif_orientation(data[start + 10 : end]) != 1
    if size is None or 0 in size:
        raise ImageError(f"Image {name} is damaged: its JPEG header gives no size.")
    return Header("image/jpeg", size[0], size[1], sendable=size[2] in (1, 3) and not oriented)


def _exif_orientation(exif: bytes) -> int:
    """The orientation tag of an Exif block: 1 is upright, and so is a block that has none."""
    order = "<" if exif[:2] == b"II" else ">"
    try:
        (at,) = struct.unpack_from(order + "I", exif, 4)
        (entries,) = struct.unpack_from(order + "H", exif, at)
        for entry in range(entries):
            tag, _, _, value = struct.unpack_from(order + "HHIH", exif, at + 2 + 12 * entry)
            if tag == 0x0112:
                return int(value)
    except struct.error:
        return 1
    return 1


def _check_by_codec(data: bytes, name: str) -> Header:
    with _opened(data, name) as picture:
        width, height = picture.size
        return Header(f"image/{str(picture.format).lower()}", width, height, sendable=False)


_METADATA_CHUNKS = frozenset((b"tEXt", b"zTXt", b"iTXt", b"eXIf", b"tIME"))
_METADATA_MARKERS = frozenset((0xE1, 0xED, 0xFE))  # Exif and XMP, Photoshop, comments


def without_metadata(data: bytes, header: Header) -> bytes:
    """The same picture without text, Exif or comments: pixels travel, identifiers do not."""
    if header.media_type == "image/png":
        drop = [(start, end) for kind, start, end in _png_chunks(data) if kind in _METADATA_CHUNKS]
    else:
        drop = [(start, end) for marker, start, end in _jpeg_segments(data) if marker in _METADATA_MARKERS]
    if not drop:
        return data
    starts = (0, *(end for _, end in drop))
    ends = (*(start for start, _ in drop), len(data))
    return b"".join(data[start:end] for start, end in zip(starts, ends, strict=True))


def _opened(data: bytes, name: str) -> Any:
    import PIL.Image

    try:
        picture = PIL.Image.open(BytesIO(data))
    except PIL.Image.DecompressionBombError as error:
        raise ImageError(f"Image {name} is gigantic: {error}") from error
    except Exception as error:
        raise ImageError(f"Image {name} is not a readable image ({len(data)} bytes).") from error
    return picture


def decode(data: bytes, *, name: str) -> Pixels:
    """The pixels of an image file, upright, as 8-bit grey or RGB.

    16-bit grey is scaled by its own full range of 65,535 to 255; transparency is laid on black; palettes and CMYK
    become RGB.
    """
    import PIL.Image
    import PIL.ImageOps

    check(data, name=name)
    with _opened(data, name) as picture:
        try:
            picture.load()
            upright = PIL.ImageOps.exif_transpose(picture)
        except Exception as error:
            raise ImageError(f"Image {name} is damaged: {error}") from error
        if upright.mode.startswith("I;16") or upright.mode == "I":
            deep = np.asarray(upright).astype(np.float64)
            return np.clip(np.rint(deep / 257), 0, 255).astype(np.uint8)
        if upright.mode in ("1", "L"):
            return np.array(upright.convert("L"))
        if "A" in upright.mode or "transparency" in upright.info:
            upright = PIL.Image.alpha_composite(
                PIL.Image.new("RGBA", upright.size, (0, 0, 0, 255)), upright.convert("RGBA")
            )
        return np.array(upright.convert("RGB"))


def encode(pixels: Pixels) -> EncodedImage:
    """Pixels as a PNG file."""
    import cv2

    if pixels.dtype != np.uint8 or pixels.ndim not in (2, 3) or (pixels.ndim == 3 and pixels.shape[2] != 3):
        raise ImageError(f"Expected 8-bit grey or RGB pixels, got {pixels.dtype} of shape {pixels.shape}.")
    ordered = pixels if pixels.ndim == 2 else cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR)
    done, buffer = cv2.imencode(".png", ordered)
    if not done:
        raise ImageError(f"Pixels of shape {pixels.shape} could not be encoded as PNG.")
    return EncodedImage(buffer.tobytes(), "image/png", pixels.shape[1], pixels.shape[0])


class Encoder:
    """Encodes each picture once, whichever thread asks first; keeps the last `limit` bytes for the arms that follow."""

    def __init__(self, limit: int = 64_000_000) -> None:
        self._limit = limit
        self._held = 0
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Future[EncodedImage]] = OrderedDict()

    def __call__(self, image: Image) -> EncodedImage:
        """The image as it is sent, hashed."""
        with self._lock:
            found = self._kept.get(image.fingerprint)
            if found is None:
                mine: Future[EncodedImage] = Future()
                self._kept[image.fingerprint] = mine
            else:
                self._kept.move_to_end(image.fingerprint)
        if found is not None:
            return found.result()
        try:
            encoded = image.encoded()
            encoded.sha256  # noqa: B018 - hashed here, off the event loop
        except BaseException as error:
            with self._lock:
                del self._kept[image.fingerprint]
            mine.set_exception(error)
            raise
        mine.set_result(encoded)
        self._make_room(len(encoded.data))
        return encoded

    def _make_room(self, size: int) -> None:
        """Forget the oldest pictures; each is counted at its size and that of its base64."""
        with self._lock:
            self._held += size * 7 // 3
            while self._held > self._limit and len(self._kept) > 1:
                oldest = next(iter(self._kept))
                if not self._kept[oldest].done():
                    break
                self._held -= len(self._kept.pop(oldest).result().data) * 7 // 3
