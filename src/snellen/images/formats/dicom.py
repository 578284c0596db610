"""DICOM: the pictures of a file or of a series, shown as its tags say; the one door to pydicom and its codecs.

Only the tags that decide how pixels look and lie are read. None leaves this module, nor does the name of a file.
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

from snellen.errors import ImageError, Inapplicable, MissingExtraError, SnellenError, UnusableImageError
from snellen.images import apart
from snellen.images.formats.stacks import (
    MOST,
    check_size,
    check_unchanged,
    chosen,
    evenly,
    in_proportion,
    mark,
    picked,
    plane_of,
    said,
)
from snellen.images.image import MAX_BYTES, Image, Pixels, Seen
from snellen.images.windows import AUTO, BY_PERCENTILES, Range, Window, in_words, levels, spread, window_called

CALLED = "in a DICOM file"
WITHOUT_WINDOW = "soft-tissue"
"""The window of a CT scan in Hounsfield units that names none."""

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
"""All that is read of a file beside its pixels: nothing that says who the patient is."""
_WHOLE_SLIDE = "1.2.840.10008.5.1.4.1.1.77.1.6"
_SECONDARY_CAPTURE = "1.2.840.10008.5.1.4.1.1.7"
_DEFLATED, _INFLATED = b"1.2.840.10008.1.2.1.99", b"1.2.840.10008.1.2.1\0\0\0"
_GREY = ("MONOCHROME1", "MONOCHROME2")
_COLOURS = ("RGB", "YBR_FULL", "YBR_FULL_422", "YBR_ICT", "YBR_RCT", "PALETTE COLOR")
_PIXELS = {0x0008: "FloatPixelData", 0x0009: "DoubleFloatPixelData", 0x0010: "PixelData"}
_CODECS = ("pylibjpeg", "gdcm", "pyjpegls", "pydicom")
"""Which codec is taken where several could be; JPEG with loss goes to Pillow, which is always there."""
_STRAIGHT = 0.999
"""The cosine between the directions of two slices from which on they are parallel."""
_APART = 1e-3
"""Millimetres between two slices, at least."""


@dataclass(frozen=True)
class DicomFrame:
    """One picture of a DICOM file; the file is known by a mark, so that nothing printed or stored holds its name."""

    path: Path = field(repr=False)
    file: str
    frame: int = 0
    window: str = ""
    """A window by name, `centre/width`, or `auto`; empty for what the file says."""
    hounsfield: bool = False
    """Whether its values are Hounsfield units, so that the windows of CT mean something."""
    burned_in: str = field(default="", repr=False)
    """Why text may be burned into its pixels; empty where nothing speaks for it."""
    choice: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """By which rule it was chosen among others."""
    series: str = field(default="", repr=False, compare=False)
    """The mark of its series, where it is a file of one."""

    called = CALLED

    @property
    def origin(self) -> str:
        """What all pictures of the file or series share."""
        return self.series or self.file

    def draw(self) -> Pixels:
        """The pixels."""
        return self.developed().pixels

    def developed(self) -> Seen:
        """The pixels as its tags say they are shown, and the rules."""
        check_unchanged(self.path, self.file, self.called)
        with _told(self.called):
            header = _header(self.path, self.file)
            here = not _may_break(header.syntax, _codec(header.syntax, header.tags))
            values, photometric = (_frame_of if here else apart.WORKER)(self.path, self.frame)
            seen = _shown(values, photometric, header.tags, self.frame, self.window)
            pixels, stretched = in_proportion(seen.pixels, *_proportion(header.tags, self.frame), self.called)
        return seen._replace(pixels=pixels, rules=(*self.choice, *seen.rules, *stretched))

    def under(self, window: str) -> DicomFrame:
        """The same picture by another window of CT; Inapplicable where its values are no Hounsfield units."""
        if not self.hounsfield:
            raise Inapplicable("its values are not Hounsfield units of CT, so that a window of CT means nothing")
        return replace(self, window=window)


class DicomHeader(NamedTuple):
    """What a DICOM file says of its pixels, and where they begin."""

    tags: Any
    syntax: Any
    keyword: str
    representation: str
    """How the file says that its pixels are written: as bytes (OB) or words (OW)."""
    offset: int
    """Where the value of the pixel data begins, in the file as it is after inflating."""
    left: int
    """So many bytes follow."""
    deflated: bool
    frames: int


def images_of(path: Path, *, window: str = "", frames: int = MOST, frame: int | None = None) -> tuple[Image, ...]:
    """The pictures of a DICOM file: of several frames up to `frames`, spread evenly, or the one that `frame` counts.

    `window` is the name of a window of CT, `centre/width` in Hounsfield units, or `auto` for percentiles; else what the
    file says is taken.
    """
    first = _framed(path, window, CALLED)
    count = _header(path, first.file).frames
    if count == 1 and frame in (None, 1):
        return (Image(first),)
    which = evenly(count, frames) if frame is None else (picked(frame, count, "frame"),)
    choice = chosen(count, len(which), "frames") if frame is None else ()
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
    """The slices of the one series that a folder holds, by where they lie in the patient; up to `slices` of them.

    Axial slices go from the feet to the head, coronal ones from front to back, sagittal ones from right to left.
    `slice` takes one: 0.5 is the middle, whole numbers count from 1.
    """
    files = sorted(each for each in path.iterdir() if each.is_file() and not _beside_a_series(each.name))
    if not files:
        raise ImageError("a folder stands for a DICOM series, and this one holds no file")
    parts = [
        _framed(each, window, f"{place:,} of {len(files):,} (by file name) of a DICOM series")
        for place, each in enumerate(files, 1)
    ]
    headers = [_header(each.path, each.file) for each in parts]
    if len(parts) == 1:
        frame = None if slice is None else 1 + picked(slice, headers[0].frames, "slice")
        return images_of(files[0], window=window, frames=slices, frame=frame)
    with _told("of a DICOM series"):
        plane, order = _in_order([each.tags for each in headers], sum(each.frames for each in headers))
    count = len(order)
    which = evenly(count, slices) if slice is None else (picked(slice, count, "slice"),)
    choice = chosen(count, len(which), "slices") if slice is None else ()
    what = f"{plane} slice" if plane else "slice"
    return tuple(
        Image(replace(parts[order[each]], choice=choice, series=mark(path)), role=f"{what} {each + 1} of {count}")
        for each in which
    )


def _beside_a_series(name: str) -> bool:
    return name.startswith(".") or name.upper() in ("DICOMDIR", "THUMBS.DB")


def _framed(path: Path, window: str, called: str) -> DicomFrame:
    """The first picture of a file whose header is sound and whose codec is there."""
    known = mark(path)
    with _told(called):
        header = _header(path, known)
        _check(header, called)
        hounsfield = _is_hounsfield(header.tags)
        if window and window != AUTO:
            window_called(window)
            if not hounsfield:
                raise ImageError(
                    f"Image {called} is no CT scan in Hounsfield units, so that the window {window!r} means nothing. "
                    f"Leave the window out, or take {AUTO}"
                )
        return DicomFrame(path, known, 0, window, hounsfield, _burned_in(header.tags))


# Reading


def _pydicom() -> Any:
    """The package, quiet: what it warns of quotes values of the file."""
    try:
        import pydicom
    except ImportError as error:
        raise MissingExtraError("pydicom", "dicom") from error
    quiet = ("ignore", None, Warning, re.compile(r"pydicom\b"), 0)
    if quiet not in warnings.filters:
        warnings.filterwarnings("ignore", module=r"pydicom\b")
    _silence_gdcm()
    return pydicom


@lru_cache(maxsize=1)
def _wanted() -> list[Any]:
    from pydicom.tag import Tag

    return [Tag(each) for each in _TAGS]


@lru_cache(maxsize=1)
def _silence_gdcm() -> None:
    """Its messages go to the terminal by themselves."""
    try:
        trace = import_module("gdcm").Trace
    except ImportError:
        return
    for kind in ("Warning", "Debug", "Error"):
        getattr(trace, f"{kind}Off")()


@contextmanager
def _told(called: str) -> Iterator[None]:
    """Whatever goes wrong in a file is an UnusableImageError that does not name it."""
    try:
        yield
    except UnusableImageError as error:
        raise UnusableImageError(called, error.why) from error
    except SnellenError:
        raise
    except Exception as error:
        raise UnusableImageError(called, f"cannot be decoded: {said(error)}") from error


@contextmanager
def _stream(path: Path, deflated: bool | None = None) -> Iterator[BinaryIO]:
    """A file to read from, inflated where it is deflated as a whole, up to a limit."""
    with path.open("rb") as stream:
        start = stream.read(1024)
        if start[128:132] != b"DICM":
            raise UnusableImageError(CALLED, "has the name of one and is none: the letters DICM are not at byte 128")
        if deflated is None:
            deflated = _DEFLATED in start
        stream.seek(0)
        yield _inflated(stream, start) if deflated else stream


def _inflated(stream: BinaryIO, start: bytes) -> BinaryIO:
    tag, length = start[132:136], int.from_bytes(start[140:144], "little")
    if tag != b"\x02\0\0\0":
        raise UnusableImageError(CALLED, "is damaged: it does not say how long its file meta information is")
    meta = stream.read(144 + length)
    inflating = zlib.decompressobj(-zlib.MAX_WBITS)
    data = inflating.decompress(stream.read(MAX_BYTES), MAX_BYTES)
    if inflating.unconsumed_tail:
        raise UnusableImageError(CALLED, f"holds more than {MAX_BYTES:,} bytes when it is inflated; they are not read")
    return BytesIO(meta.replace(_DEFLATED, _INFLATED, 1) + data)


@lru_cache(maxsize=64)
def _header(path: Path, known: str) -> DicomHeader:
    """The tags of a file and where its pixels begin; kept, since each frame asks for them. `known` is its mark."""
    pydicom = _pydicom()
    with _stream(path) as stream:
        deflated = isinstance(stream, BytesIO)
        tags = pydicom.dcmread(stream, stop_before_pixels=True, specific_tags=_wanted())
        syntax = tags.file_meta.get("TransferSyntaxUID")
        if not syntax:
            raise UnusableImageError(CALLED, "does not say its transfer syntax (0002,0010)")
        keyword, representation = _pixel_data(stream, *tags.original_encoding)
        if not keyword:
            kind = str(tags.get("Modality") or "unknown")
            raise UnusableImageError(CALLED, f"holds no pixels: it is of the modality {kind[:16]!r}")
        offset = stream.tell()
        left = stream.seek(0, 2) - offset
    try:
        frames = int(tags.get("NumberOfFrames") or 1)
    except ValueError as error:
        raise UnusableImageError(CALLED, "says a number of frames that is no number") from error
    return DicomHeader(tags, syntax, keyword, representation, offset, left, deflated, frames)


def _pixel_data(stream: BinaryIO, implicit: bool, little_endian: bool) -> tuple[str, str]:
    """Which pixel data a file holds and how written, its stream set to their value; empty where there are none."""
    start = stream.read(8 if implicit else 12)
    if len(start) < 8:
        return "", ""
    group, element = unpack("<HH" if little_endian else ">HH", start[:4])
    keyword = _PIXELS.get(element, "") if group == 0x7FE0 else ""
    return keyword, "OW" if implicit else start[4:6].decode("ascii", "replace")


def _check(header: DicomHeader, called: str) -> None:
    """Whether pixels can be read at all, before any is."""
    tags = header.tags
    if tags.get("SOPClassUID") == _WHOLE_SLIDE:
        raise UnusableImageError(called, "is a whole slide in tiles; convert it to a format that OpenSlide reads")
    missing = [name for name in ("Rows", "Columns", "BitsAllocated", "PhotometricInterpretation") if name not in tags]
    if missing:
        raise UnusableImageError(called, f"lacks the tag {missing[0]}, without which pixels mean nothing")
    check_size(int(tags.Columns), int(tags.Rows), called)
    if header.frames < 1:
        raise UnusableImageError(called, f"says that it has {header.frames} frames")
    photometric = str(tags.PhotometricInterpretation)
    samples = int(tags.get("SamplesPerPixel") or 1)
    if photometric not in (*_GREY, *_COLOURS) or samples != (1 if _is_single(photometric) else 3):
        raise UnusableImageError(called, f"is {photometric[:16]!r} with {samples} values a pixel, which is not read")
    if not header.syntax.is_encapsulated:
        expected = -(-int(tags.Rows) * int(tags.Columns) * samples * int(tags.BitsAllocated) * header.frames // 8)
        expected = expected * 2 // 3 if photometric == "YBR_FULL_422" else expected
        if header.left < expected:
            raise UnusableImageError(called, f"is cut off: it holds {header.left:,} of {expected:,} bytes of pixels")
    _codec(header.syntax, tags)


def _is_single(photometric: str) -> bool:
    return photometric in (*_GREY, "PALETTE COLOR")


def _codec(syntax: Any, tags: Any) -> str:
    """The codec for a transfer syntax, empty for pixels that are not compressed; ImageError where none is there."""
    from pydicom.pixels.decoders.base import get_decoder

    try:
        decoder = get_decoder(syntax)
    except NotImplementedError as error:
        raise ImageError(
            f"Image {CALLED} is of the transfer syntax {syntax.name} ({syntax}), which is not read. Convert it to "
            "Explicit VR Little Endian first"
        ) from error
    if not syntax.is_encapsulated:
        return ""
    lossy = "JPEG Baseline" in syntax.name or "JPEG Extended" in syntax.name
    able = [
        each for each in (("pillow",) if lossy else ()) + _CODECS + ("pillow",) if each in decoder.available_plugins
    ]
    if "JPEG Extended" in syntax.name and int(tags.get("BitsStored") or 8) > 8:
        able = [each for each in able if each == "pylibjpeg"]  # if the user has its codec, which we do not bring
        if not able:
            raise ImageError(
                f"Image {CALLED} is of the transfer syntax {syntax.name} with more than 8 bits ({syntax}), for which "
                "there is no codec here. Convert it to Explicit VR Little Endian first"
            )
    if not able:
        raise ImageError(
            f"Image {CALLED} is of the transfer syntax {syntax.name} ({syntax}), whose codec is not installed. Install "
            "it with: pip install 'snellen[dicom]'"
        )
    return able[0]


def _may_break(syntax: Any, codec: str) -> bool:
    """Whether a codec ends its process over damaged data, or panics: GDCM, and pylibjpeg's for RLE."""
    return codec == "gdcm" or (codec == "pylibjpeg" and syntax.name.startswith("RLE"))


def serve() -> None:
    """Decode frames for another process that asks for them, see `apart`."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # where a codec may print
    apart.serve(_frame_of, sys.stdin.buffer, answers)


def _frame_of(path: Path, frame: int) -> apart.Frame:
    header = _header(path, mark(path))
    with _stream(path, header.deflated) as stream:
        return _decoded(stream, header, frame)


def _decoded(stream: BinaryIO, header: DicomHeader, frame: int) -> apart.Frame:
    """The stored values of one frame, and whether they are grey, palette or RGB."""
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
    return apart.Frame(values, str(about["photometric_interpretation"]))


def _check_frame(stream: BinaryIO, header: DicomHeader, frame: int) -> None:
    """A compressed frame states the size that the file does: a codec makes room for what the frame states."""
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
    """Width and height in the headers of JPEG, JPEG-LS and JPEG 2000 data; nothing for others."""
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
    """The bits of each value that are stored, as the number they mean; the others may hold anything."""
    allocated = int(tags.BitsAllocated)
    stored = int(tags.get("BitsStored") or allocated)
    high = int(tags.get("HighBit", stored - 1))
    if allocated == 1 or (stored == allocated and high == allocated - 1):
        return values
    if not 0 < stored <= high + 1 <= allocated:
        raise UnusableImageError(CALLED, f"says {stored} bits stored up to bit {high} of {allocated}, which cannot be")
    return cast("NDArray[Any]", (values << (allocated - 1 - high)) >> (allocated - stored))


# Showing


def _shown(values: NDArray[Any], photometric: str, tags: Any, frame: int, window: str) -> Seen:
    """Stored values as 8-bit pixels: colours as they are, grey by the modality's and the window's rule."""
    size = values.shape[1], values.shape[0]
    if photometric == "PALETTE COLOR":
        from pydicom.pixels.processing import apply_color_lut

        colours = apply_color_lut(values, tags)[..., :3]
        deep = colours.dtype.itemsize > 1
        pixels = (colours >> 8).astype(np.uint8) if deep else colours
        return Seen(pixels, size, ("colours of its palette",))
    if values.ndim == 3:
        bits = int(tags.get("BitsStored") or tags.BitsAllocated)
        if bits <= 8:
            return Seen(np.ascontiguousarray(values, dtype=np.uint8), size)
        return Seen((values >> (bits - 8)).astype(np.uint8), size, (f"of {bits} bits the upper 8 are shown",))
    shade, rule = _shade(values, tags, frame, window)
    inverted = tags.PhotometricInterpretation == "MONOCHROME1"

    def bright(stored: NDArray[np.float64]) -> Pixels:
        shares = shade(stored)
        return levels(1 - shares if inverted else shares)

    rules = (*rule, *(("turned round, since the file says that the smallest value is white",) if inverted else ()))
    return Seen(_by_table(values, bright), size, rules)


def _by_table(values: NDArray[Any], bright: Callable[[NDArray[np.float64]], Pixels]) -> Pixels:
    """Each different value shaded once, where they are whole numbers of up to 16 bits."""
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
    """How bright a stored value is, and the rule in words."""
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
        return Range(0, 2**bits - 1).shares, ()
    return _by_percentiles(values, tags, measure), (f"{BY_PERCENTILES}, since the file has no window",)


def _by_percentiles(values: NDArray[Any], tags: Any, measure: _Shade) -> _Shade:
    """Black and white by percentiles of all values but those that fill up what was not scanned."""
    padding = tags.get("PixelPaddingValue")
    kept = values
    if isinstance(padding, int):
        last = tags.get("PixelPaddingRangeLimit", padding)
        low, high = sorted((padding, last if isinstance(last, int) else padding))
        inside = values[(values < low) | (values > high)]
        kept = inside if inside.size else values
    ends = sorted(float(each) for each in measure(np.array(spread(kept), dtype=np.float64)))
    found = Range(*ends)
    return lambda stored: found.shares(measure(stored))


def _part(tags: Any, frame: int, macro: str) -> Any:
    """Where a frame's own settings stand: among those of the frame, those of all frames, or with the file's tags."""
    for name, place in (("PerFrameFunctionalGroupsSequence", frame), ("SharedFunctionalGroupsSequence", 0)):
        groups = tags.get(name)
        if groups and place < len(groups) and (found := groups[place].get(macro)):
            return found[0]
    return tags


def _modality(tags: Any, frame: int) -> _Shade:
    """Stored values as what the scanner measured: by its table, or by slope and intercept."""
    part = _part(tags, frame, "PixelValueTransformationSequence")
    if tables := part.get("ModalityLUTSequence"):
        return _table(tables[0], tags)
    slope, intercept = (
        _number(part.get(name), usual) for name, usual in (("RescaleSlope", 1), ("RescaleIntercept", 0))
    )
    if slope == 0 or not np.isfinite((slope, intercept)).all():
        raise UnusableImageError(CALLED, f"has the slope {slope:g} and the intercept {intercept:g}, which mean nothing")
    return lambda stored: stored * slope + intercept


def _number(value: Any, usual: float) -> float:
    """The first number of a tag, or what is usual where it is not there."""
    several = isinstance(value, Sequence) and not isinstance(value, str)
    first = (value[0] if value else None) if several else value
    return usual if first in (None, "") else float(first)


def _own_window(part: Any) -> Window | None:
    """The first window that a file names, where it means something."""
    if part.get("WindowCenter") in (None, "") or part.get("WindowWidth") in (None, ""):
        return None
    shape = str(part.get("VOILUTFunction") or "LINEAR").strip().upper()
    try:
        return Window(_number(part.WindowCenter, 0), _number(part.WindowWidth, 0), cast("Any", shape))
    except ValueError:
        return None


@dataclass(frozen=True)
class _Table:
    """A look-up table of DICOM: the first value that it maps, its entries, and the largest that an entry can be."""

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
    """How tall and how wide a pixel is."""
    part = _part(tags, frame, "PixelMeasuresSequence")
    for name in ("PixelSpacing", "ImagerPixelSpacing", "PixelAspectRatio"):
        given = part.get(name) or tags.get(name)
        if isinstance(given, Sequence) and not isinstance(given, str) and len(given) == 2:
            return float(given[0]), float(given[1])
    return 1.0, 1.0


def _is_hounsfield(tags: Any) -> bool:
    """Whether values are Hounsfield units: of CT, rescaled, of no other unit, and no localizer."""
    part = _part(tags, 0, "PixelValueTransformationSequence")
    unit = str(part.get("RescaleType") or "HU").strip().upper()
    grey = tags.get("PhotometricInterpretation") in _GREY
    scaled = "RescaleIntercept" in part or "ModalityLUTSequence" in part
    return bool(grey and scaled and unit == "HU" and tags.get("Modality") == "CT" and "LOCALIZER" not in _kinds(tags))


def _kinds(tags: Any) -> set[str]:
    """The words of the image type."""
    stated = tags.get("ImageType") or ()
    return {str(each).strip().upper() for each in ([stated] if isinstance(stated, str) else stated)}


def _burned_in(tags: Any) -> str:
    """Why text may be burned into the pixels, in words that do not name the patient."""
    stated = str(tags.get("BurnedInAnnotation") or "").strip().upper()
    if stated == "YES":
        return "its file says so"
    if stated == "NO":
        return ""
    captured = str(tags.get("SOPClassUID") or "").startswith(_SECONDARY_CAPTURE) or "SCREEN SAVE" in _kinds(tags)
    if captured or tags.get("Modality") in ("US", "IVUS", "ES", "XC", "OT", "SC"):
        return "it is ultrasound, a photograph or a copy of a screen, and its file does not say that there is none"
    return ""


# Ordering


def _in_order(headers: Sequence[Any], frames: int) -> tuple[str, list[int]]:
    """The plane of a series and its slices in their order in the patient; ImageError where they are no one stack."""
    count = len(headers)
    series = Counter(str(each.get("SeriesInstanceUID") or "") for each in headers)
    if len(series) > 1:
        sizes = ", ".join(f"{size:,}" for _, size in series.most_common(5))
        raise ImageError(
            f"a folder stands for one DICOM series, and this one holds {len(series):,} (of {sizes} files). Put each "
            "series into a folder of its own"
        )
    if frames != count:
        raise ImageError("a series of several files has one slice a file, and in this one some hold several frames")
    placed = [(each.get("ImagePositionPatient"), each.get("ImageOrientationPatient")) for each in headers]
    if not all(_is_placed(*each) for each in placed):
        return "", _by_number(headers)
    directions = np.array([each[1] for each in placed], dtype=np.float64)
    normals = np.cross(directions[:, :3], directions[:, 3:])
    normal = normals[0] / np.linalg.norm(normals[0])
    if (normals @ normal < _STRAIGHT * np.linalg.norm(normals, axis=1)).any():
        raise ImageError("the slices of this DICOM series are not parallel. Put those of each direction into a folder")
    if normal[np.argmax(np.abs(normal))] < 0:
        normal = -normal
    depths = np.array([each[0] for each in placed], dtype=np.float64) @ normal
    order = np.argsort(depths, kind="stable")
    places = 1 + int((np.diff(depths[order]) > _APART).sum())
    if places < count:
        raise ImageError(
            f"this DICOM series has {count:,} slices at {places:,} places (several times, echoes or phases). Put those "
            "of each into a folder of its own"
        )
    return plane_of(normal), [int(each) for each in order]


def _is_placed(position: Any, orientation: Any) -> bool:
    given = isinstance(position, Sequence) and isinstance(orientation, Sequence)
    if not given or len(position) != 3 or len(orientation) != 6:
        return False
    numbers = np.array([*position, *orientation], dtype=np.float64)
    return bool(np.isfinite(numbers).all() and np.linalg.norm(np.cross(numbers[3:6], numbers[6:])) > 0.1)


def _by_number(headers: Sequence[Any]) -> list[int]:
    """The order of slices that do not say where they lie, by their numbers."""
    numbers = [each.get("InstanceNumber") for each in headers]
    if None in numbers or len(set(numbers)) < len(numbers):
        raise ImageError(
            "the slices of this DICOM series say neither where they lie nor, each its own, their number. Their order "
            "cannot be known"
        )
    return sorted(range(len(numbers)), key=lambda each: int(numbers[each]))
