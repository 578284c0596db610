"""DICOM: the images of a file or series, shown according to its tags; the only access to pydicom.

Only tags about the display and position of pixels are read. Their values and file names stay in this module.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import import_module
from io import BytesIO
from pathlib import Path
from struct import unpack
from typing import Any, BinaryIO, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from snellen.errors import ImageError, Inapplicable, UnusableImageError
from snellen.images import apart
from snellen.images.formats.stacks import (
    MOST,
    DecodedImage,
    check_size,
    check_unchanged,
    describe_choice,
    evenly,
    in_proportion,
    mark,
    pick_place,
    plane_of,
    translate_errors,
)
from snellen.images.image import MAX_BYTES, Image, Pixels, ViewedImage
from snellen.images.windows import AUTO, BY_PERCENTILES, GreyRange, Window, in_words, levels, spread, window_called
from snellen.plugins import import_extra

CALLED = "in a DICOM file"
WITHOUT_WINDOW = "soft-tissue"
"""Default window for CT scans in Hounsfield units, if their file has none."""

_TAGS = (
    "SOPClassUID", "ImageType", "Modality", "SeriesInstanceUID", "InstanceNumber", "ImagePositionPatient",
    "ImageOrientationPatient", "BurnedInAnnotation", "SamplesPerPixel", "PhotometricInterpretation",
    "PlanarConfiguration", "NumberOfFrames", "Rows", "Columns", "BitsAllocated", "BitsStored", "HighBit",
    "PixelRepresentation", "PixelPaddingValue", "PixelPaddingRangeLimit", "PixelSpacing", "ImagerPixelSpacing",
    "PixelAspectRatio", "RescaleSlope", "RescaleIntercept", "RescaleType", "ModalityLUTSequence", "WindowCenter",
    "WindowWidth", "VOILUTFunction", "VOILUTSequence", "RedPaletteColorLookupTableDescriptor",
    "GreenPaletteColorLookupTableDescriptor", "BluePaletteColorLookupTableDescriptor",
    "RedPaletteColorLookupTableData", "GreenPaletteColorLookupTableData", "BluePaletteColorLookupTableData",
    "SegmentedRedPaletteColorLookupTableData", "SegmentedGreenPaletteColorLookupTableData",
    "SegmentedBluePaletteColorLookupTableData", "SharedFunctionalGroupsSequence",
    "PerFrameFunctionalGroupsSequence", "ExtendedOffsetTable", "ExtendedOffsetTableLengths",
)  # fmt: skip
"""All tags that are read besides the pixels; none identifies the patient."""
_WHOLE_SLIDE = "1.2.840.10008.5.1.4.1.1.77.1.6"
_SECONDARY_CAPTURE = "1.2.840.10008.5.1.4.1.1.7"
_DEFLATED, _INFLATED = b"1.2.840.10008.1.2.1.99", b"1.2.840.10008.1.2.1\0\0\0"
_GREY = ("MONOCHROME1", "MONOCHROME2")
_COLOURS = ("RGB", "YBR_FULL", "YBR_FULL_422", "YBR_ICT", "YBR_RCT", "PALETTE COLOR")
_PIXELS = {0x0008: "FloatPixelData", 0x0009: "DoubleFloatPixelData", 0x0010: "PixelData"}
_CODECS = ("pylibjpeg", "gdcm", "pyjpegls", "pydicom")
"""Order of preference among codecs; lossy JPEG uses Pillow, which is always installed."""
_STRAIGHT = 0.999
"""Two slices are parallel if the cosine between their directions is at least this."""
_APART = 1e-3
"""Smallest distance between two slices, in millimetres."""


@dataclass(frozen=True)
class DicomFrame(DecodedImage):
    """One image of a DICOM file, identified by a hash instead of its name."""

    path: Path = field(repr=False)
    file: str
    frame: int = 0
    window: str = ""
    """A window by name, `centre/width`, or `auto`; "" for the file's own."""
    hounsfield: bool = False
    """Whether the values are Hounsfield units, so that CT windows apply."""
    burned_in: str = field(default="", repr=False)
    """Reason why text may be burned into the pixels; "" if nothing suggests it."""
    choice: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """Rule that chose the image among others."""
    series: str = field(default="", repr=False, compare=False)
    """Hash (`mark`) of the series, if the file belongs to one."""

    called = CALLED

    @property
    def origin(self) -> str:
        """Identity that all images of the file or series share."""
        return self.series or self.file

    def develop(self) -> ViewedImage:
        """Return the pixels as the tags define their display, with the rules applied."""
        check_unchanged(self.path, self.file, self.called)
        with translate_errors(self.called):
            header = _header(self.path, self.file)
            codec = _codec(header.syntax, header.tags)
            # these codecs may crash on damaged data
            may_break = codec == "gdcm" or (codec == "pylibjpeg" and header.syntax.name.startswith("RLE"))
            values, photometric = (apart.WORKER if may_break else _frame_of)(self.path, self.frame)
            seen = _show(values, photometric, header.tags, self.frame, self.window)
            pixels, stretched = in_proportion(seen.pixels, *_proportion(header.tags, self.frame), self.called)
        return seen._replace(pixels=pixels, rules=(*self.choice, *seen.rules, *stretched))

    def with_window(self, window: str) -> DicomFrame:
        """Return the same image with another CT window; raise Inapplicable without Hounsfield units."""
        if not self.hounsfield:
            raise Inapplicable("its values are not Hounsfield units, so a CT window does not apply")
        return replace(self, window=window)


class DicomHeader(NamedTuple):
    """Tags of a DICOM file, with the position of its pixels."""

    tags: Any
    syntax: Any
    keyword: str
    representation: str
    """Encoding of the pixels in the file: as bytes (OB) or words (OW)."""
    offset: int
    """Start of the pixel data's value in the file, after inflating."""
    left: int
    """Number of bytes after `offset`."""
    deflated: bool
    frames: int


def images_of(path: Path, *, window: str = "", frames: int = MOST, frame: int | None = None) -> tuple[Image, ...]:
    """Return the images of a DICOM file: up to `frames`, evenly spread, or only number `frame`.

    `window` is the name of a CT window, `centre/width` in Hounsfield units, or `auto` for percentiles. By default the
    file's own display is used.
    """
    first = _make_frame(path, window, CALLED)
    count = _header(path, first.file).frames
    if count == 1 and frame in (None, 1):
        return (Image(first),)
    which = evenly(count, frames) if frame is None else (pick_place(frame, count, "frame"),)
    choice = describe_choice(count, len(which), "frames") if frame is None else ()
    return tuple(
        Image(replace(first, frame=each, choice=choice), role=f"frame {each + 1} of {count}") for each in which
    )


def series_of(
    path: Path,
    *,
    window: str = "",
    slices: int = MOST,
    slice: float | None = None,  # noqa: A002 - the word for it
) -> tuple[Image, ...]:
    """Return the slices of the series in a folder, in anatomical order.

    There are up to `slices` of them. Axial slices go from the feet to the head, coronal ones from front to back,
    sagittal ones from right to left. `slice` selects one: 0.5 is the middle, whole numbers count from 1.
    """
    there = (each for each in path.iterdir() if each.is_file() and not each.name.startswith("."))
    files = sorted(each for each in there if each.name.upper() not in ("DICOMDIR", "THUMBS.DB"))
    if not files:
        raise ImageError("a folder stands for a DICOM series, and this one holds no file")
    parts = [
        _make_frame(each, window, f"{place:,} of {len(files):,} (by file name) of a DICOM series")
        for place, each in enumerate(files, 1)
    ]
    headers = [_header(each.path, each.file) for each in parts]
    if len(parts) == 1:
        frame = None if slice is None else 1 + pick_place(slice, headers[0].frames, "slice")
        return images_of(files[0], window=window, frames=slices, frame=frame)
    with translate_errors("of a DICOM series"):
        plane, order = _in_order([each.tags for each in headers], sum(each.frames for each in headers))
    count = len(order)
    which = evenly(count, slices) if slice is None else (pick_place(slice, count, "slice"),)
    choice = describe_choice(count, len(which), "slices") if slice is None else ()
    what = f"{plane} slice" if plane else "slice"
    return tuple(
        Image(replace(parts[order[each]], choice=choice, series=mark(path)), role=f"{what} {each + 1} of {count}")
        for each in which
    )


def _make_frame(path: Path, window: str, called: str) -> DicomFrame:
    """Return the first image of a file, after checking its header, codec and window."""
    known = mark(path)
    with translate_errors(called):
        header = _header(path, known)
        _check(header, called)
        hounsfield = _is_hounsfield(header.tags)
        if window and window != AUTO:
            window_called(window)
            if not hounsfield:
                raise ImageError(
                    f"Image {called} is not a CT scan in Hounsfield units, so the window {window!r} does not apply. "
                    f"Leave the window out, or choose {AUTO}"
                )
        return DicomFrame(path, known, 0, window, hounsfield, _burned_in(header.tags))


# Reading


def _pydicom() -> Any:
    """Import pydicom without its warnings, which quote values of the file."""
    pydicom = import_extra("pydicom", "pydicom", "dicom")
    quiet = ("ignore", None, Warning, re.compile(r"pydicom\b"), 0)
    if quiet not in warnings.filters:
        warnings.filterwarnings("ignore", module=r"pydicom\b")
    _silence_gdcm()
    return pydicom


@lru_cache(maxsize=1)
def _silence_gdcm() -> None:
    """Turn off GDCM's messages, which it prints to the terminal."""
    try:
        trace = import_module("gdcm").Trace
    except ImportError:
        return
    for kind in ("Warning", "Debug", "Error"):
        getattr(trace, f"{kind}Off")()


@contextmanager
def _stream(path: Path, deflated: bool | None = None) -> Iterator[BinaryIO]:
    """Open a file; if it is deflated, inflate it up to a limit."""
    with path.open("rb") as stream:
        start = stream.read(1024)
        if start[128:132] != b"DICM":
            raise UnusableImageError(CALLED, 'is not a DICOM file: no "DICM" at byte 128')
        if deflated is None:
            deflated = _DEFLATED in start
        stream.seek(0)
        yield _inflate(stream, start) if deflated else stream


def _inflate(stream: BinaryIO, start: bytes) -> BinaryIO:
    tag, length = start[132:136], int.from_bytes(start[140:144], "little")
    if tag != b"\x02\0\0\0":
        raise UnusableImageError(CALLED, "is damaged: it does not say how long its file meta information is")
    meta = stream.read(144 + length)
    inflating = zlib.decompressobj(-zlib.MAX_WBITS)
    data = inflating.decompress(stream.read(MAX_BYTES), MAX_BYTES)
    if inflating.unconsumed_tail:
        raise UnusableImageError(CALLED, f"decompresses to more than {MAX_BYTES:,} bytes, the most that is read")
    return BytesIO(meta.replace(_DEFLATED, _INFLATED, 1) + data)


@lru_cache(maxsize=64)
def _header(path: Path, known: str) -> DicomHeader:
    """Read the tags of a file and the position of its pixels; cached. `known` is the file's hash (`mark`)."""
    pydicom = _pydicom()
    with _stream(path) as stream:
        deflated = isinstance(stream, BytesIO)
        tags = pydicom.dcmread(stream, stop_before_pixels=True, specific_tags=list(_TAGS))
        syntax = tags.file_meta.get("TransferSyntaxUID")
        if not syntax:
            raise UnusableImageError(CALLED, "does not say its transfer syntax (0002,0010)")
        keyword, representation = _pixel_data(stream, *tags.original_encoding)
        if not keyword:
            kind = str(tags.get("Modality") or "unknown")
            raise UnusableImageError(CALLED, f"holds no pixels: its modality is {kind[:16]!r}")
        offset = stream.tell()
        left = stream.seek(0, 2) - offset
    try:
        frames = int(tags.get("NumberOfFrames") or 1)
    except ValueError as error:
        raise UnusableImageError(CALLED, "states a number of frames that is not a number") from error
    return DicomHeader(tags, syntax, keyword, representation, offset, left, deflated, frames)


def _pixel_data(stream: BinaryIO, implicit: bool, little_endian: bool) -> tuple[str, str]:
    """Find the pixel data of a file and its encoding; "" if there are none."""
    start = stream.read(8 if implicit else 12)
    if len(start) < 8:
        return "", ""
    group, element = unpack("<HH" if little_endian else ">HH", start[:4])
    keyword = _PIXELS.get(element, "") if group == 0x7FE0 else ""
    return keyword, "OW" if implicit else start[4:6].decode("ascii", "replace")


def _check(header: DicomHeader, called: str) -> None:
    """Raise an error if the header shows that the pixels cannot be read."""
    tags = header.tags
    if tags.get("SOPClassUID") == _WHOLE_SLIDE:
        raise UnusableImageError(called, "is a whole slide in tiles; convert it to a format that OpenSlide reads")
    missing = [name for name in ("Rows", "Columns", "BitsAllocated", "PhotometricInterpretation") if name not in tags]
    if missing:
        raise UnusableImageError(called, f"lacks the tag {missing[0]}, which is needed to read the pixels")
    check_size(int(tags.Columns), int(tags.Rows), called)
    if header.frames < 1:
        raise UnusableImageError(called, f"states {header.frames} frames, expected 1 or more")
    photometric = str(tags.PhotometricInterpretation)
    samples = int(tags.get("SamplesPerPixel") or 1)
    if photometric not in (*_GREY, *_COLOURS) or samples != (1 if photometric in (*_GREY, "PALETTE COLOR") else 3):
        raise UnusableImageError(
            called, f"has {samples} values per pixel in {photometric[:16]!r}, which is not supported"
        )
    if not header.syntax.is_encapsulated:
        expected = -(-int(tags.Rows) * int(tags.Columns) * samples * int(tags.BitsAllocated) * header.frames // 8)
        expected = expected * 2 // 3 if photometric == "YBR_FULL_422" else expected
        if header.left < expected:
            raise UnusableImageError(called, f"is cut off: it holds {header.left:,} of {expected:,} bytes of pixels")
    _codec(header.syntax, tags)


def _codec(syntax: Any, tags: Any) -> str:
    """Return the codec for a transfer syntax, "" if uncompressed; raise ImageError if not installed."""
    from pydicom.pixels.decoders.base import get_decoder

    try:
        decoder = get_decoder(syntax)
    except NotImplementedError as error:
        raise ImageError(
            f"Image {CALLED} has the transfer syntax {syntax.name} ({syntax}), which is not read. Convert it to "
            "Explicit VR Little Endian first"
        ) from error
    if not syntax.is_encapsulated:
        return ""
    lossy = "JPEG Baseline" in syntax.name or "JPEG Extended" in syntax.name
    able = [
        each for each in (("pillow",) if lossy else ()) + _CODECS + ("pillow",) if each in decoder.available_plugins
    ]
    if "JPEG Extended" in syntax.name and int(tags.get("BitsStored") or 8) > 8:
        able = [each for each in able if each == "pylibjpeg"]  # if the user has its codec, which our extra lacks
        if not able:
            raise ImageError(
                f"Image {CALLED} has the transfer syntax {syntax.name} with more than 8 bits ({syntax}), for which "
                "there is no codec here. Convert it to Explicit VR Little Endian first"
            )
    if not able:
        raise ImageError(
            f"Image {CALLED} has the transfer syntax {syntax.name} ({syntax}), whose codec is not installed. Install "
            "it with: pip install 'snellen[dicom]'"
        )
    return able[0]


def serve() -> None:
    """Decode frames for another process, see `apart`."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a codec may print to stdout
    apart.serve(_frame_of, sys.stdin.buffer, answers)


def _frame_of(path: Path, frame: int) -> apart.DecodedFrame:
    header = _header(path, mark(path))
    with _stream(path, header.deflated) as stream:
        return _decode(stream, header, frame)


def _decode(stream: BinaryIO, header: DicomHeader, frame: int) -> apart.DecodedFrame:
    """Decode the stored values of one frame, with their photometric interpretation."""
    from pydicom.pixels.decoders.base import get_decoder
    from pydicom.pixels.utils import as_pixel_options

    tags, syntax = header.tags, header.syntax
    if not 0 <= frame < header.frames:
        raise UnusableImageError(CALLED, f"has {header.frames} frames, and frame {frame + 1} was asked for")
    options = as_pixel_options(tags)
    options |= {"pixel_keyword": header.keyword, "transfer_syntax_uid": syntax, "as_rgb": True}
    codec = _codec(syntax, tags)
    stream.seek(header.offset)
    if syntax.is_encapsulated:
        _check_frame(stream, header, frame)
        stream.seek(header.offset)
        options["decoding_plugin"] = codec
    else:
        options |= {"correct_unused_bits": False, "pixel_vr": header.representation}
    values, about = get_decoder(syntax).as_array(stream, index=frame, validate=True, **options)
    values = values.astype(values.dtype.newbyteorder("="), copy=False)
    if not syntax.is_encapsulated and header.keyword == "PixelData":
        values = _stored_bits(values, tags)
    return apart.DecodedFrame(values, str(about["photometric_interpretation"]))


def _check_frame(stream: BinaryIO, header: DicomHeader, frame: int) -> None:
    """Raise UnusableImageError if the compressed frame's size differs from the tags'."""
    from pydicom.encaps import get_frame

    offsets = header.tags.get("ExtendedOffsetTable"), header.tags.get("ExtendedOffsetTableLengths")
    data = get_frame(
        stream,
        frame,
        extended_offsets=cast("Any", offsets) if all(offsets) else None,
        number_of_frames=header.frames,
    )
    size = int(header.tags.Columns), int(header.tags.Rows)
    for stated in _sizes_stated(data):
        if stated != size:
            raise UnusableImageError(
                CALLED, f"is {size[0]} × {size[1]} by its tags and {stated[0]} × {stated[1]} by its compressed data"
            )


def _sizes_stated(data: bytes) -> Iterator[tuple[int, int]]:
    """Read width and height from the headers of JPEG, JPEG-LS and JPEG 2000 data. Empty for others."""
    at = data.find(b"\xff\x4f\xff\x51")
    while at >= 0:
        right, bottom, left, top = unpack(">4I", data[at + 8 : at + 24].ljust(16, b"\0"))
        yield right - left, bottom - top
        at = data.find(b"\xff\x4f\xff\x51", at + 4)
    if not data.startswith(b"\xff\xd8"):
        return
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xF7 or (0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC)):
            height, width = unpack(">HH", data[at + 5 : at + 9])
            yield width, height
            return
        at += 2 + unpack(">H", data[at + 2 : at + 4])[0]


def _stored_bits(values: NDArray[Any], tags: Any) -> NDArray[Any]:
    """Extract the stored bits of each value; the other bits may contain anything."""
    allocated = int(tags.BitsAllocated)
    stored = int(tags.get("BitsStored") or allocated)
    high = int(tags.get("HighBit", stored - 1))
    if allocated == 1 or (stored == allocated and high == allocated - 1):
        return values
    if not 0 < stored <= high + 1 <= allocated:
        raise UnusableImageError(CALLED, f"states impossible bits: {stored} stored up to bit {high} of {allocated}")
    return cast("NDArray[Any]", (values << (allocated - 1 - high)) >> (allocated - stored))


# Showing


def _show(values: NDArray[Any], photometric: str, tags: Any, frame: int, window: str) -> ViewedImage:
    """Show stored values as 8-bit pixels: colours unchanged, grey by the modality's and window's rules."""
    size = values.shape[1], values.shape[0]
    if photometric == "PALETTE COLOR":
        from pydicom.pixels.processing import apply_color_lut

        colours = apply_color_lut(values, tags)[..., :3]
        deep = colours.dtype.itemsize > 1
        pixels = (colours >> 8).astype(np.uint8) if deep else colours
        return ViewedImage(pixels, size, ("colours of its palette",))
    if values.ndim == 3:
        bits = int(tags.get("BitsStored") or tags.BitsAllocated)
        if bits <= 8:
            return ViewedImage(np.ascontiguousarray(values, dtype=np.uint8), size)
        return ViewedImage((values >> (bits - 8)).astype(np.uint8), size, (f"of {bits} bits the upper 8 are shown",))
    shade, rule = _shade(values, tags, frame, window)
    inverted = tags.PhotometricInterpretation == "MONOCHROME1"

    def bright(stored: NDArray[np.float64]) -> Pixels:
        shares = shade(stored)
        return levels(1 - shares if inverted else shares)

    rules = (*rule, *(("turned round, since the file says that the smallest value is white",) if inverted else ()))
    return ViewedImage(_by_table(values, bright), size, rules)


def _by_table(values: NDArray[Any], bright: Callable[[NDArray[np.float64]], Pixels]) -> Pixels:
    """Shade each distinct value once, by a table.

    Fractions and whole numbers with a range of more than 16 bits have no table.
    """
    if values.dtype.kind == "f":
        return bright(values.astype(np.float64))
    low, high = int(values.min()), int(values.max())
    if high - low > 0xFFFF:
        return bright(values.astype(np.float64))
    table = bright(np.arange(low, high + 1, dtype=np.float64))
    if low == 0:
        return cast("Pixels", table[values])
    return table[values.astype(np.int64) - low]


_Shade = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def _shade(values: NDArray[Any], tags: Any, frame: int, window: str) -> tuple[_Shade, tuple[str, ...]]:
    """Return the function from stored values to brightness, with a description of its rule."""
    measure = _modality(tags, frame)
    if window == AUTO:
        return _by_percentiles(values, tags, measure), (BY_PERCENTILES,)
    if window:
        asked = window_called(window)
        return lambda stored: asked.shares(measure(stored)), (in_words(window),)
    part = _part(tags, frame, "FrameVOILUTSequence")
    if tables := part.get("VOILUTSequence"):
        table = _table(tables[0], tags)
        return lambda stored: table(measure(stored)) / table.top, ("values shown by the file's own table (VOI LUT)",)
    own = _own_window(part)
    if own is not None:
        return lambda stored: own.shares(measure(stored)), (
            "values shown by the file's own window (the first that it names)",
        )
    if _is_hounsfield(tags):
        usual = window_called(WITHOUT_WINDOW)
        return lambda stored: usual.shares(measure(stored)), (f"{in_words(WITHOUT_WINDOW)}, since the file has none",)
    bits = int(tags.get("BitsStored") or tags.BitsAllocated)
    if bits <= 8 and values.dtype.kind == "u":
        return GreyRange(0, 2**bits - 1).shares, ()
    return _by_percentiles(values, tags, measure), (f"{BY_PERCENTILES}, since the file has no window",)


def _by_percentiles(values: NDArray[Any], tags: Any, measure: _Shade) -> _Shade:
    """Shade from black to white between percentiles of all values without the padding."""
    padding = tags.get("PixelPaddingValue")
    kept = values
    if isinstance(padding, int):
        last = tags.get("PixelPaddingRangeLimit", padding)
        low, high = sorted((padding, last if isinstance(last, int) else padding))
        inside = values[(values < low) | (values > high)]
        kept = inside if inside.size else values
    ends = sorted(float(each) for each in measure(np.array(spread(kept), dtype=np.float64)))
    found = GreyRange(*ends)
    return lambda stored: found.shares(measure(stored))


def _part(tags: Any, frame: int, macro: str) -> Any:
    """Return the settings of a frame: its own, those for all frames, or the file's tags."""
    for name, place in (("PerFrameFunctionalGroupsSequence", frame), ("SharedFunctionalGroupsSequence", 0)):
        groups = tags.get(name)
        if groups and place < len(groups) and (found := groups[place].get(macro)):
            return found[0]
    return tags


def _modality(tags: Any, frame: int) -> _Shade:
    """Return the function from stored to scanner values: the file's table, or slope and intercept."""
    part = _part(tags, frame, "PixelValueTransformationSequence")
    if tables := part.get("ModalityLUTSequence"):
        return _table(tables[0], tags)
    slope, intercept = (
        _number(part.get(name), usual) for name, usual in (("RescaleSlope", 1), ("RescaleIntercept", 0))
    )
    if slope == 0 or not np.isfinite((slope, intercept)).all():
        raise UnusableImageError(CALLED, f"has an unusable rescaling: slope {slope:g}, intercept {intercept:g}")
    return lambda stored: stored * slope + intercept


def _number(value: Any, usual: float) -> float:
    """Return the first number of a tag, or `usual` if it has none."""
    several = isinstance(value, Sequence) and not isinstance(value, str)
    first = (value[0] if value else None) if several else value
    return usual if first in (None, "") else float(first)


def _own_window(part: Any) -> Window | None:
    if part.get("WindowCenter") in (None, "") or part.get("WindowWidth") in (None, ""):
        return None
    shape = str(part.get("VOILUTFunction") or "LINEAR").strip().upper()
    try:
        return Window(_number(part.WindowCenter, 0), _number(part.WindowWidth, 0), cast("Any", shape))
    except ValueError:
        return None


@dataclass(frozen=True)
class _Table:
    """A DICOM look-up table: first mapped value, entries, and largest possible entry."""

    first: int
    entries: NDArray[np.float64]
    top: float

    def __call__(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        places = np.clip(np.rint(values) - self.first, 0, len(self.entries) - 1)
        return cast("NDArray[np.float64]", self.entries[places.astype(np.int64)])


def _table(item: Any, tags: Any) -> _Table:
    count, first, bits = (int(each) for each in item.LUTDescriptor)
    count = count or 2**16
    if tags.get("PixelRepresentation") == 1 and first > 0x7FFF:
        first -= 2**16
    data = item.LUTData
    if isinstance(data, bytes):
        order = "<" if tags.original_encoding[1] is not False else ">"
        entries = np.frombuffer(data, dtype=f"{order}u2" if len(data) >= 2 * count else "u1")
    else:
        entries = np.atleast_1d(np.asarray(data, dtype=np.int64))
    if not 0 < bits <= 16 or len(entries) < count:
        raise UnusableImageError(CALLED, f"has a table of {len(entries)} entries, {count} of {bits} bits expected")
    return _Table(first, entries[:count].astype(np.float64), 2.0**bits - 1)


def _proportion(tags: Any, frame: int) -> tuple[float, float]:
    part = _part(tags, frame, "PixelMeasuresSequence")
    for name in ("PixelSpacing", "ImagerPixelSpacing", "PixelAspectRatio"):
        given = part.get(name) or tags.get(name)
        if isinstance(given, Sequence) and not isinstance(given, str) and len(given) == 2:
            return float(given[0]), float(given[1])
    return 1.0, 1.0


def _is_hounsfield(tags: Any) -> bool:
    """Return True if values are Hounsfield units: CT, rescaled, without another unit, not a localizer."""
    part = _part(tags, 0, "PixelValueTransformationSequence")
    unit = str(part.get("RescaleType") or "HU").strip().upper()
    grey = tags.get("PhotometricInterpretation") in _GREY
    scaled = "RescaleIntercept" in part or "ModalityLUTSequence" in part
    return bool(grey and scaled and unit == "HU" and tags.get("Modality") == "CT" and "LOCALIZER" not in _kinds(tags))


def _kinds(tags: Any) -> set[str]:
    stated = tags.get("ImageType") or ()
    return {str(each).strip().upper() for each in ([stated] if isinstance(stated, str) else stated)}


def _burned_in(tags: Any) -> str:
    """Return the reason why text may be burned in, without patient data. Return "" if there is none."""
    stated = str(tags.get("BurnedInAnnotation") or "").strip().upper()
    if stated == "YES":
        return "its file says so"
    if stated == "NO":
        return ""
    captured = str(tags.get("SOPClassUID") or "").startswith(_SECONDARY_CAPTURE) or "SCREEN SAVE" in _kinds(tags)
    if captured or tags.get("Modality") in ("US", "IVUS", "ES", "XC", "OT", "SC"):
        return "it is ultrasound, a photograph or a screen capture, and its file does not exclude burned-in text"
    return ""


# Ordering


def _in_order(headers: Sequence[Any], frames: int) -> tuple[str, list[int]]:
    """Return the plane of a series and its slices in anatomical order. Raise ImageError if unclear."""
    count = len(headers)
    series = Counter(str(each.get("SeriesInstanceUID") or "") for each in headers)
    if len(series) > 1:
        sizes = ", ".join(f"{size:,}" for _, size in series.most_common(5))
        raise ImageError(
            f"a folder stands for one DICOM series, and this one holds {len(series):,} (of {sizes} files). Put each "
            "series into a folder of its own"
        )
    if frames != count:
        raise ImageError("expected one slice per file in a series of several files, but some files hold several frames")
    placed = [(each.get("ImagePositionPatient"), each.get("ImageOrientationPatient")) for each in headers]
    if not all(_is_placed(*each) for each in placed):
        return "", _by_number(headers)
    directions = np.array([each[1] for each in placed], dtype=np.float64)
    normals = np.cross(directions[:, :3], directions[:, 3:])
    normal = normals[0] / np.linalg.norm(normals[0])
    if (normals @ normal < _STRAIGHT * np.linalg.norm(normals, axis=1)).any():
        raise ImageError("the slices of this DICOM series are not parallel. Put each direction into its own folder")
    if normal[np.argmax(np.abs(normal))] < 0:
        normal = -normal
    depths = np.array([each[0] for each in placed], dtype=np.float64) @ normal
    order = np.argsort(depths, kind="stable")
    places = 1 + int((np.diff(depths[order]) > _APART).sum())
    if places < count:
        raise ImageError(
            f"this DICOM series has {count:,} slices at {places:,} places (several times, echoes or phases). Put each "
            "time, echo or phase into its own folder"
        )
    return plane_of(normal), [int(each) for each in order]


def _is_placed(position: Any, orientation: Any) -> bool:
    given = isinstance(position, Sequence) and isinstance(orientation, Sequence)
    if not given or len(position) != 3 or len(orientation) != 6:
        return False
    numbers = np.array([*position, *orientation], dtype=np.float64)
    return bool(np.isfinite(numbers).all() and np.linalg.norm(np.cross(numbers[3:6], numbers[6:])) > 0.1)


def _by_number(headers: Sequence[Any]) -> list[int]:
    numbers = [each.get("InstanceNumber") for each in headers]
    if None in numbers or len(set(numbers)) < len(numbers):
        raise ImageError(
            "the slices of this DICOM series have neither positions nor distinct InstanceNumbers, so their order "
            "is unknown"
        )
    return sorted(range(len(numbers)), key=lambda each: int(numbers[each]))
