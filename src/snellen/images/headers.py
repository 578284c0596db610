"""PNG and JPEG headers: check that a file is complete, read its size, and remove metadata."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from snellen.errors import UnusableImageError


class Header(NamedTuple):
    """Header of an image file. `sendable`: models accept the file unchanged. `plain`: it contains only pixels."""

    media_type: str
    width: int
    height: int
    sendable: bool
    plain: bool = False
    profiled: bool = False
    """Whether it has a colour profile."""


def _png_chunks(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Return each chunk's type, start and end, up to the one that ends the image."""
    at = 8
    kind = b""
    while at + 12 <= len(data) and kind != b"IEND":
        (length,) = struct.unpack_from(">I", data, at)
        kind = data[at + 4 : at + 8]
        yield kind, at, at + 12 + length
        at += 12 + length


def check_png(data: bytes, name: str) -> Header:
    """Check that every chunk of a PNG file is complete, and return its header."""
    view = memoryview(data)
    kind, end = b"", 0
    seen = set()
    turned = False
    for kind, start, end in _png_chunks(data):
        if end > len(data) or zlib.crc32(view[start + 4 : end - 4]) != int.from_bytes(view[end - 4 : end], "big"):
            raise UnusableImageError(name, f"is damaged: its PNG chunk at byte {start} is incomplete or corrupt")
        seen.add(kind)
        turned = turned or kind == b"eXIf" or data.startswith(_PNG_TEXTS_THAT_TURN, start + 8)
    if kind != b"IEND":
        raise UnusableImageError(name, "is cut off: its PNG file has no end")
    if data[8:16] != b"\x00\x00\x00\rIHDR" or b"IDAT" not in seen:
        raise UnusableImageError(name, "is damaged: its PNG file has no size or no pixels")
    width, height, depth, colour, *ways = struct.unpack_from(">IIBBBBB", data, 16)
    if 0 in (width, height) or depth not in _PNG_DEPTHS.get(colour, ()) or ways not in ([0, 0, 0], [0, 0, 1]):
        raise UnusableImageError(
            name, f"is damaged: no PNG file has {width} × {height} pixels of colour type {colour}, {depth} bits"
        )
    alike = depth <= 8 and colour in _PNG_OPAQUE and not seen & {b"tRNS", b"acTL"} and not turned
    plain = seen <= _PNG_KEPT and end == len(data)
    return Header("image/png", width, height, sendable=alike, plain=plain, profiled=b"iCCP" in seen)


def significant_bits(data: bytes) -> int:
    """Return the largest number of significant bits that a PNG file states (sBIT). It is 0 if none."""
    for kind, start, end in _png_chunks(data):
        if kind == b"sBIT":
            channels = 1 if data[25] in (0, 4) else 3
            bits = max(data[start + 8 : end - 4][:channels], default=0)
            return bits if bits <= data[24] else 0
        if kind == b"IDAT":
            break
    return 0


_PNG_KEPT = frozenset(b"IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP cICP sBIT pHYs bKGD".split())
_PNG_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_PNG_OPAQUE = (0, 2, 3)  # grey, RGB, palette; the other two colour types have transparency
_PNG_TEXTS_THAT_TURN = (b"Raw profile type", b"XML:com.adobe.xmp")  # may contain an orientation, like Exif

_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_FRAMES_FOR_ALL = (0xC0, 0xC1, 0xC2)  # baseline, extended, progressive; few decoders know the others
_JPEG_NEXT_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
_XMP_TURNED = re.compile(rb"""tiff:Orientation(?:=["']|>)\s*[^1\s]""")


def _jpeg_segments(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Return the marker, start and end of each segment, up to the end marker. Scans are included."""
    at = 2
    while found := _JPEG_NEXT_MARKER.search(data, at):
        start = found.start()
        marker = data[start + 1]
        if marker == 0xD9:
            yield marker, start, start + 2
            return
        at = start + 2 + max(2, int.from_bytes(data[start + 2 : start + 4], "big"))
        if marker == 0xDA:
            scanned = _JPEG_NEXT_MARKER.search(data, at)
            at = scanned.start() if scanned else len(data)
        yield marker, start, at


def check_jpeg(data: bytes, name: str) -> Header:
    """Check that a JPEG file has its end marker, and return its header."""
    marker = 0
    frame: tuple[int, int, int, int, int] | None = None
    turned = scanned = profiled = False
    for marker, start, end in _jpeg_segments(data):
        scanned = scanned or marker == 0xDA
        if marker in _JPEG_FRAMES and start + 10 <= len(data):
            frame = (marker, *struct.unpack_from(">BHHB", data, start + 4))
        elif marker == 0xE1:
            turned = turned or _is_turned(data[start + 4 : end])
        elif marker == 0xE2:
            profiled = profiled or data.startswith(_JPEG_APPS_KEPT[marker], start + 4)
    if marker != 0xD9:
        raise UnusableImageError(name, "is cut off: its JPEG file has no end marker")
    if frame is None or 0 in frame or not scanned:
        raise UnusableImageError(name, "is damaged: its JPEG file has no size or no pixels")
    kind, depth, height, width, channels = frame
    alike = kind in _JPEG_FRAMES_FOR_ALL and depth == 8 and channels in (1, 3) and not turned
    return Header("image/jpeg", width, height, sendable=alike, profiled=profiled)


def _is_turned(app1: bytes) -> bool:
    """Return True if an Exif or XMP block asks to rotate or mirror the image."""
    if app1.startswith(b"Exif\x00\x00"):
        return _exif_orientation(app1[6:]) != 1
    return _XMP_TURNED.search(app1) is not None


def _exif_orientation(exif: bytes) -> int:
    """Return the orientation in an Exif block; 1 (upright) if it has none."""
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


# Segments that affect the pixels are kept; all others, known or private, may name a patient and are removed.
_JPEG_APPS_KEPT = {0xE0: b"JFIF\x00", 0xE2: b"ICC_PROFILE\x00", 0xEE: b"Adobe"}


def without_metadata(data: bytes, header: Header) -> bytes:
    """Remove text, Exif, comments and trailing bytes, which may identify patients."""
    if header.plain:
        return data
    if header.media_type == "image/png":
        kept = [(start, end) for kind, start, end in _png_chunks(data) if kind in _PNG_KEPT]
        return b"".join((data[:8], *(data[start:end] for start, end in kept)))
    kept = [(start, end) for marker, start, end in _jpeg_segments(data) if _shapes_pixels(data, marker, start)]
    return b"".join((data[:2], *(data[start:end] for start, end in kept)))


def _shapes_pixels(data: bytes, marker: int, start: int) -> bool:
    if marker == 0xFE:
        return False
    if 0xE0 <= marker <= 0xEF:
        return marker in _JPEG_APPS_KEPT and data.startswith(_JPEG_APPS_KEPT[marker], start + 4)
    return True
