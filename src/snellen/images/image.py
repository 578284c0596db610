"""Image: its origin and its steps; encoded, checked and hashed once, when needed.

This module is the only access to the image codecs. PNG and JPEG files, which every model accepts, are sent byte for
byte without their metadata (which may contain a patient's name). Everything else is sent as lossless PNG. So are files
that are too large, and files that viewers show differently. Those are transparent, rotated by a tag, CMYK, not sRGB, or
deeper than 8 bits. The image's `rule` describes what was done.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from pybase64 import b64encode

from snellen.errors import ImageError, UnusableImageError
from snellen.files import open_plain
from snellen.images.depth import in_eight_bits, in_srgb, profile_to_apply
from snellen.images.headers import Header as Header
from snellen.images.headers import check_jpeg, check_png
from snellen.images.headers import without_metadata as without_metadata
from snellen.images.pictures import shade
from snellen.moved import find_first_path

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

    from snellen.images.regions import Movement, Region

Pixels = NDArray[np.uint8]
"""Height × width (grey) or height × width × 3 (red, green, blue), 8 bits."""

MAX_PIXELS = 64_000_000
MAX_BYTES = 256_000_000
USUAL_SIDE = 2048
"""Images are scaled down to this many pixels on the longer side, unless a study sets another limit.

The large providers scale down larger images themselves: OpenAI to 2,048 × 2,048, Anthropic for most models to 1,568 on
the longer side.
"""


class Drawing(Protocol):
    """A computed image: a frozen dataclass whose fields alone decide every pixel."""

    def draw(self) -> Pixels:
        """Return the pixels."""
        ...


@runtime_checkable
class Developing(Protocol):
    """A drawing with a name for messages that also describes how its pixels were made."""

    @property
    def called(self) -> str:
        """Name for error messages, such as `in a DICOM file`."""
        ...

    def develop(self) -> ViewedImage:
        """Return the pixels and the rules by which they were made."""
        ...


class Stored(Protocol):
    """An image file read on demand: a frozen dataclass; see `snellen.images.stored`."""

    @property
    def name(self) -> str:
        """Name for error messages."""
        ...

    @property
    def fingerprint(self) -> str:
        """Key that is equal for identical images."""
        ...

    def stored(self) -> bytes:
        """Return the bytes of the file."""
        ...


class Step(Protocol):
    """A change of pixels: a frozen dataclass whose fields alone decide the result. It copies its input."""

    def __call__(self, pixels: Pixels) -> Pixels:
        """Return the changed pixels in a new array."""
        ...


@runtime_checkable
class Measuring(Protocol):
    """A step that measures how much it changed an image."""

    def measure(self, before: Pixels, after: Pixels) -> Mapping[str, float | None]:
        """Return named distances, for JSON."""
        ...


@runtime_checkable
class Moving(Protocol):
    """A step that moves pixels, such as a mirror, or that changes the size."""

    def movement(self, height: int, width: int) -> Movement:
        """Return where the pixels of an image of this size go."""
        ...


@dataclass(frozen=True)
class EncodedImage:
    """An image exactly as sent; its sha256 is part of the request's key."""

    data: bytes = field(repr=False)
    media_type: str
    width: int
    height: int
    measured: Mapping[str, float | None] = field(default_factory=dict, hash=False, compare=False)
    """Distances between the images before and after the last measuring step; empty if none measures."""
    rule: str = field(default="", compare=False)
    """Description of how the pixels were made from the original; "" if unchanged."""
    original: tuple[int, int] | None = field(default=None, compare=False)
    """Width and height of the original, upright; None if the size is unchanged."""
    side: int | None = field(default=None, compare=False)
    """Pixels on the longer side after scaling down; None if it was not."""
    shade: str = field(default="", compare=False)
    """`nearly black` or `nearly white` if almost nothing is visible and this was checked, otherwise ""."""

    @cached_property
    def sha256(self) -> str:
        """Hash of the bytes as sent."""
        return hashlib.sha256(self.data).hexdigest()

    @cached_property
    def base64(self) -> bytes:
        """The bytes as base64, computed once."""
        return b64encode(self.data)


@dataclass(frozen=True)
class Unreadable:
    """Placeholder for a missing or unreadable image in an audit; it has no pixels."""

    name: str
    """The benchmark's name for the image."""
    reason: str

    def draw(self) -> Pixels:
        """Raise ImageError: there are no pixels."""
        raise ImageError(self.reason)


_AS_IT_IS = (Path, bytes)
"""Sources that need no conversion; a tuple, since a union would be built again for every image."""


@dataclass(frozen=True)
class Image:
    """An image: its origin and the steps applied to it.

    `source` is a file's path or bytes, a file stored inside another, a drawing, or a placeholder for an unreadable
    file. A Pillow image or a NumPy array of 8-bit pixels is also accepted, and kept as a PNG file of its pixels.
    """

    source: Path | bytes | Stored | Drawing | Unreadable | str | Pixels | PillowImage
    steps: tuple[Step, ...] = ()
    role: str = field(default="", compare=False)
    """Role among several images, such as `lateral`, `prior frontal` or `frame 3 of 50`; it does not affect equality."""
    regions: tuple[Region, ...] = field(default=(), compare=False, repr=False)
    """Where findings lie, in pixels before any step; see `regions_after_steps`. They do not affect equality."""

    def __post_init__(self) -> None:
        if not isinstance(self.source, _AS_IT_IS):
            object.__setattr__(self, "source", _source(self.source))

    @classmethod
    def of_file(cls, path: str) -> Image:
        """Build the image of a file; its `source` is created on first use."""
        image = object.__new__(cls)
        object.__setattr__(image, "__dict__", {"_file": path, "steps": (), "role": "", "regions": ()})
        return image

    if not TYPE_CHECKING:  # otherwise type checkers would accept any attribute

        def __getattr__(self, name: str) -> Path:
            if name != "source" or "_file" not in self.__dict__:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            return self.__dict__.setdefault("source", Path(self.__dict__["_file"]))

    def then(self, step: Step) -> Image:
        """Return the image with one more step; nothing is computed yet."""
        return replace(self, steps=(*self.steps, step))

    @cached_property
    def fingerprint(self) -> str:
        """Key that is equal for identical images. Files are identified by path, size and time of change."""
        if isinstance(self.source, Path):
            try:
                stat = self.source.stat()
            except (OSError, ValueError) as error:
                raise _unreadable(self.source, error) from error
            origin = f"file:{self.source.absolute()}:{stat.st_size}:{stat.st_mtime_ns}"
        elif isinstance(self.source, bytes):
            origin = f"sha256:{hashlib.sha256(self.source).hexdigest()}"
        elif isinstance(self.source, Unreadable):
            origin = f"unreadable:{self.source.name}"
        elif _is_stored(self.source):
            origin = cast("Stored", self.source).fingerprint
        else:
            origin = _describe_in_full(self.source)
        return origin + "".join(f" > {_describe_in_full(step)}" for step in self.steps)

    @property
    def path(self) -> Path | None:
        """The file that contains this image unchanged; None if there is none."""
        return self.source if isinstance(self.source, Path) and not self.steps else None

    @property
    def is_file(self) -> bool:
        """Whether its origin is the bytes of a file, and not a drawing."""
        return isinstance(self.source, Path | bytes) or _is_stored(self.source)

    def read(self) -> bytes:
        """Read the bytes of an image that is a file or was given as bytes."""
        if isinstance(self.source, Path):
            return read_file(self.source, name=str(self.source))
        if isinstance(self.source, bytes):
            return self.source
        if isinstance(self.source, Unreadable):
            raise ImageError(self.source.reason)
        if _is_stored(self.source):
            return cast("Stored", self.source).stored()
        raise TypeError(f"{self.source!r} is generated and has no file to read.")

    def pixels(self) -> Pixels:
        """Return the pixels after all steps."""
        return self._after_steps()[0].pixels

    def regions_after_steps(self) -> tuple[Region, ...]:
        """Return the regions in pixels after all steps, without those that a step cut off."""
        moving = [step for step in self.steps if isinstance(step, Moving)]
        if not (moving and self.regions):
            return self.regions
        size, regions = self.seen().pixels.shape[:2], self.regions
        for step in moving:
            movement = step.movement(*size)
            size = movement.height, movement.width
            regions = tuple(region.move(movement) for region in regions)
        return tuple(region for region in regions if region.pixels(size).any())

    def thumbnail(self, side: int) -> Pixels:
        """Return a rough copy with about `side` pixels per side. A JPEG is decoded only as far as needed."""
        if self.steps or not isinstance(self.source, Path | bytes):
            return np.asarray(self.pixels()[:: max(1, side // 8), :: max(1, side // 8)])
        import PIL.Image

        with _open(self.read(), self.name) as picture:
            try:
                picture.draft("RGB", (side, side))
                return np.asarray(picture.convert("RGB").resize((side, side), PIL.Image.Resampling.BOX))
            except Exception as error:
                raise UnusableImageError(self.name, f"cannot be decoded: {error}") from error

    def seen(self) -> ViewedImage:
        """Return the image as a person sees it, before any step."""
        if self.is_file:
            return develop(self.read(), name=self.name)
        if isinstance(self.source, Developing):
            return self.source.develop()
        pixels = cast("Drawing", self.source).draw()
        return ViewedImage(pixels, (pixels.shape[1], pixels.shape[0]))

    def _after_steps(self) -> tuple[ViewedImage, Mapping[str, float | None]]:
        """Return the pixels after all steps, and the distances of the last step that measures."""
        seen = self.seen()
        array = seen.pixels
        measured: Mapping[str, float | None] = {}
        for step in self.steps:
            before, array = array, step(array)
            if isinstance(step, Measuring):
                measured = step.measure(before, array)
        return seen._replace(pixels=array), measured

    def encoded(self, side: int | None = None, *, looked_at: bool = False) -> EncodedImage:
        """Return the image as sent, at most `side` pixels on the longer side.

        `looked_at` also decodes a file that is sent unchanged. A file without pixels is then refused, and nearly black
        or white images are noted.
        """
        if self.is_file and not self.steps:
            data = self.read()
            header = check(data, name=self.name)
            if _goes_as_it_is(data, header, side, name=self.name):
                sent = EncodedImage(without_metadata(data, header), header.media_type, header.width, header.height)
                if not looked_at:
                    return sent
                with _load(sent.data, self.name) as picture:
                    return replace(sent, shade=shade(picture))
            seen = develop(data, name=self.name)
            return _encode_view(seen, side, looked_at=looked_at)
        seen, measured = self._after_steps()
        return replace(_encode_view(seen, side, looked_at=looked_at and not self.steps), measured=measured)

    @property
    def origin(self) -> Hashable:
        """Identity that images of one file or series share; for others the image itself."""
        return getattr(self.source, "origin", "") or self

    @property
    def burned_in(self) -> str:
        """Reason why text may be burned into the pixels, from its file. It is "" if there is none."""
        return str(getattr(self.source, "burned_in", ""))

    @property
    def name(self) -> str:
        """File name, or another description of the origin."""
        if isinstance(self.source, Unreadable) or _is_stored(self.source):
            return str(cast("Stored", self.source).name)
        if isinstance(self.source, Developing):
            return self.source.called
        return str(self.source) if isinstance(self.source, Path) else "given as bytes"


def read_file(path: Path, *, name: str) -> bytes:
    """Read an image file named in data. It must be a plain file below a size limit."""
    try:
        with open_plain(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > MAX_BYTES:
                raise UnusableImageError(name, f"has {size:,} bytes; at most {MAX_BYTES:,} are read")
            return file.read(size)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error


def _is_stored(source: object) -> bool:
    return callable(getattr(source, "stored", None))


def _source(given: Any) -> Path | bytes | Stored | Drawing:
    """Convert what a user may give as an image to a source."""
    if isinstance(given, str):
        return Path(given)
    if isinstance(given, bytearray | memoryview):
        return bytes(given)
    if isinstance(given, np.ndarray):
        return encode(given).data
    if _is_stored(given):
        return cast("Stored", given)
    if callable(getattr(given, "draw", None)):
        return cast("Drawing", given)
    import PIL.Image

    if not isinstance(given, PIL.Image.Image):
        kind = f"{type(given).__module__}.{type(given).__qualname__}"
        raise ImageError(f"Expected a file's path or bytes, a Pillow image or a NumPy array of pixels, got {kind}.")
    try:
        return encode(_view(given).pixels).data
    except (OSError, ValueError) as error:
        raise ImageError(f"The Pillow image of mode {given.mode} cannot be used: {error}") from error


def _unreadable(path: Path, error: OSError | ValueError) -> ImageError:
    """Build the error for an unreadable path; a ValueError means an impossible path."""
    return ImageError(f"Image {str(path)!r} cannot be read: {getattr(error, 'strerror', None) or error}.")


def _describe_in_full(thing: object) -> str:
    """Describe a drawing or step with its module, so that plug-ins may share class names."""
    return f"{find_first_path(type(thing).__module__)}.{thing!r}"


def check(data: bytes, *, name: str) -> Header:
    """Return the header of a complete image file. Raise ImageError if it is truncated, corrupt or too large.

    For PNG it checks every chunk's checksum, for JPEG every segment up to the end marker. Other formats are opened by
    the codec, which for GIF and TIFF reads the header only. No pixel is decoded.
    """
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        header = check_png(data, name)
    elif data.startswith(b"\xff\xd8"):
        header = check_jpeg(data, name)
    else:
        header = _check_by_codec(data, name)
    if header.width * header.height > MAX_PIXELS:
        size = f"{header.width} × {header.height}"
        raise UnusableImageError(name, f"is {size} pixels; at most {MAX_PIXELS:,} are read. Make it smaller first")
    return header


def _check_by_codec(data: bytes, name: str) -> Header:
    with _open(data, name) as picture:
        width, height = picture.size
        kind = str(picture.format)
    stated = int.from_bytes(data[2:6], "little") if kind == "BMP" else 0
    if stated > len(data):
        raise UnusableImageError(name, f"is cut off: its BMP file has {len(data)} of {stated} bytes")
    return Header(f"image/{kind.lower()}", width, height, sendable=False)


# Without formats that start another program (EPS), and formats that radiology folders do not have.
_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP", "JPEG2000", "PPM")


def _open(data: bytes, name: str) -> Any:
    import PIL.Image

    try:
        picture = PIL.Image.open(BytesIO(data), formats=_FORMATS)
    except (PIL.Image.DecompressionBombError, PIL.Image.DecompressionBombWarning) as error:
        raise UnusableImageError(name, f"is too large: {error}") from error
    except Exception as error:
        raise UnusableImageError(name, f"is not a readable image ({len(data)} bytes)") from error
    return picture


class ViewedImage(NamedTuple):
    """An image as seen: upright, 8 bits, grey or sRGB, with its original size and rules."""

    pixels: Pixels
    original: tuple[int, int]
    rules: tuple[str, ...] = ()


def decode(data: bytes, *, name: str) -> Pixels:
    """Return the pixels of an image file as a person sees them; see `develop`."""
    return develop(data, name=name).pixels


def develop(data: bytes, *, name: str) -> ViewedImage:
    """Decode an image file upright, as 8-bit grey or RGB; first frame only.

    Values deeper than 8 bits are scaled by the range that the file states, or by the bits that the brightest needs
    (`snellen.images.depth`). Transparency is blended on black. Palettes, CMYK and other colour profiles become sRGB.
    Values without a known range (fractions, signed numbers, 32 bits) are refused.
    """
    check(data, name=name)
    with _load(data, name) as picture:
        try:
            if _without_range(picture):
                raise ValueError("its grey values are signed or of 32 bits; scale them to 8 or 16 bits first")
            return _view(picture, data)
        except Exception as error:
            raise UnusableImageError(name, f"has a format that is not supported: {error}") from error


def _load(data: bytes, name: str) -> Any:
    """Open an image and decode all its pixels, since a complete file may contain none."""
    picture = _open(data, name)
    try:
        picture.load()
    except Exception as error:
        picture.close()
        raise UnusableImageError(name, f"cannot be decoded: {error}") from error
    return picture


def _without_range(picture: Any) -> bool:
    """Return True if a TIFF has signed or 32-bit values, whose range is unknown."""
    sample_format, signed = 339, 2
    deep = picture.mode == "I"
    return picture.format == "TIFF" and (deep or signed in np.ravel(picture.tag_v2.get(sample_format, 1)))


_ORIENTATION = 0x0112


def _view(picture: Any, data: bytes = b"") -> ViewedImage:
    """Convert a Pillow image to what a person sees."""
    import PIL.Image
    import PIL.ImageOps

    frames = _frames(picture, data)
    rules = [f"the first of {frames:,} pictures in the file"] if frames > 1 else []
    turned = picture.getexif().get(_ORIENTATION, 1) in range(2, 9)
    solid, depth = in_eight_bits(picture, data)
    solid, colours = in_srgb(solid)
    if turned:
        solid.getexif()[_ORIENTATION] = picture.getexif()[_ORIENTATION]
        solid = PIL.ImageOps.exif_transpose(solid)
    transparent = solid.mode in ("LA", "PA", "RGBA", "La", "RGBa") or "transparency" in solid.info
    rules += filter(None, (depth, colours, "turned upright" if turned else ""))
    if solid.mode == "CMYK":
        rules.append("CMYK shown as RGB")
    if transparent:
        rules.append("transparency laid on black")
        black = PIL.Image.new("RGBA", solid.size, (0, 0, 0, 255))
        solid = PIL.Image.alpha_composite(black, solid.convert("RGBA"))
    grey = solid.mode in ("1", "L")
    return ViewedImage(np.array(solid.convert("L" if grey else "RGB")), solid.size, tuple(rules))


def _frames(picture: Any, data: bytes) -> int:
    """Count the frames or pages of a file, after opening it again."""
    if picture.format not in ("GIF", "TIFF", "WEBP"):
        return int(getattr(picture, "n_frames", 1))
    with suppress(Exception), _open(data, "") as again:
        return int(again.n_frames)
    return 1


def _goes_as_it_is(data: bytes, header: Header, side: int | None, *, name: str) -> bool:
    """Return True if a file is sent byte for byte, without its metadata."""
    if not header.sendable or (side and max(header.width, header.height) > side):
        return False
    if not header.profiled:
        return True
    with _open(data, name) as picture:
        return not profile_to_apply(picture.info.get("icc_profile", b""), "L" if picture.mode in ("1", "L") else "RGB")


def _encode_view(seen: ViewedImage, side: int | None, *, looked_at: bool) -> EncodedImage:
    """Encode the view as a PNG file of at most `side` pixels."""
    import PIL.Image

    pixels, rules = seen.pixels, seen.rules
    scaled = side if side and max(pixels.shape[:2]) > side else None
    if scaled:
        pixels = shrink(pixels, scaled)
        rules = (*rules, f"scaled down to {scaled:,} pixels on the longer side, each the mean of those it covers")
    made = encode(pixels)
    own_size = seen.original == (made.width, made.height)
    return replace(
        made,
        rule="; ".join(rules),
        original=None if own_size else seen.original,
        side=scaled,
        shade=shade(PIL.Image.fromarray(pixels)) if looked_at else "",
    )


def shrink(pixels: Pixels, side: int) -> Pixels:
    """Scale pixels down to at most `side` on the longer side, by area means."""
    import cv2

    height, width = pixels.shape[:2]
    scale = side / max(height, width)
    if scale >= 1:
        return pixels
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return cast("Pixels", cv2.resize(pixels, size, interpolation=cv2.INTER_AREA))


def encode(pixels: Pixels) -> EncodedImage:
    """Encode pixels as a PNG file."""
    shaped = pixels.ndim == 2 or (pixels.ndim == 3 and pixels.shape[2] == 3)
    if pixels.dtype != np.uint8 or not shaped or pixels.size == 0:
        raise ImageError(
            f"Expected 8-bit grey or RGB pixels, got {pixels.dtype} of shape {pixels.shape}. "
            "Scale them to 0 to 255 as uint8, height × width or height × width × 3."
        )
    return _compress(pixels, "png", ())


def preview(data: bytes, side: int, *, name: str) -> EncodedImage:
    """Convert an image file to a small JPEG for display, at most `side` pixels. It is never sent."""
    import cv2

    return _compress(shrink(decode(data, name=name), side), "jpeg", (cv2.IMWRITE_JPEG_QUALITY, 82))


def _compress(pixels: Pixels, kind: str, settings: Sequence[int]) -> EncodedImage:
    import cv2

    ordered = pixels if pixels.ndim == 2 else cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR)
    done, buffer = cv2.imencode(f".{kind}", ordered, settings)
    if not done:
        raise ImageError(f"Pixels of shape {pixels.shape} could not be encoded as {kind.upper()}.")
    return EncodedImage(buffer.tobytes(), f"image/{kind}", pixels.shape[1], pixels.shape[0])


class Encoder:
    """Encodes each image once for all threads, with a cache of `limit` bytes.

    Images are scaled down to `side` pixels on the longer side, and checked for nearly black or white ones.
    """

    def __init__(self, limit: int = 64_000_000, *, side: int | None = None) -> None:
        self._limit = limit
        self._side = side
        self._held = 0
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Future[EncodedImage]] = OrderedDict()

    def __call__(self, image: Image) -> EncodedImage:
        """Return the image as sent, with its hash."""
        key = image.fingerprint  # outside the lock, because it may read or hash a file
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                mine: Future[EncodedImage] = Future()
                self._kept[key] = mine
            else:
                self._kept.move_to_end(key)
        if found is not None:
            return found.result()
        try:
            encoded = image.encoded(self._side, looked_at=True)
            encoded.sha256  # noqa: B018 - hashed here, off the event loop
        except BaseException as error:
            with self._lock:
                del self._kept[key]
            mine.set_exception(error)
            raise
        mine.set_result(encoded)
        self._make_room(len(encoded.data))
        return encoded

    def find_kept(self, image: Image) -> EncodedImage | None:
        """Return the encoded image if it is cached, otherwise None."""
        with self._lock:
            found = self._kept.get(image.fingerprint)
        return found.result() if found is not None and found.done() and found.exception() is None else None

    def _make_room(self, size: int) -> None:
        """Drop the oldest images from the cache. Each counts with its size and that of its base64."""
        with self._lock:
            self._held += size * 7 // 3
            while self._held > self._limit and len(self._kept) > 1:
                oldest = next(iter(self._kept))
                if not self._kept[oldest].done():
                    break
                self._held -= len(self._kept.pop(oldest).result().data) * 7 // 3
