"""Image: a image by its origin and by what was done to it; encoded, checked and hashed once, and only when needed.

The one door to the image codecs. Files in a format that every model takes (PNG, JPEG) are sent as they are, byte for
byte, less their metadata (which may hold a patient's name); everything else is sent as lossless PNG. So are files that
each viewer would show in its own way: transparent, turned by a tag, CMYK, of colours that are not sRGB, or deeper than
8 bits; and those that are larger than they are to be sent. What was done is kept in words, as the image's rule.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Hashable, Mapping
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
from snellen.images.colours import in_srgb, profile_to_apply
from snellen.images.depth import in_eight_bits
from snellen.images.headers import Header as Header
from snellen.images.headers import check_jpeg, check_png
from snellen.images.headers import without_metadata as without_metadata
from snellen.images.pictures import shade
from snellen.moved import find_first_path

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

Pixels = NDArray[np.uint8]
"""Height × width (grey) or height × width × 3 (red, green, blue), 8 bits."""

MAX_PIXELS = 64_000_000
MAX_BYTES = 256_000_000
USUAL_SIDE = 2048
"""Pixels on the longer side beyond which a picture is scaled down, unless a study says otherwise. The large providers
scale down what is larger themselves: OpenAI to 2,048 × 2,048, Anthropic most models to 1,568 on the longer side."""


class Drawing(Protocol):
    """A image that is made, not read: a frozen dataclass whose fields alone decide every pixel."""

    def draw(self) -> Pixels:
        """The pixels."""
        ...


@runtime_checkable
class Developing(Protocol):
    """A drawing that also says by which rules its pixels were made, and what to call it instead of its file."""

    @property
    def called(self) -> str:
        """What an error calls it: `in a DICOM file`."""
        ...

    def developed(self) -> Seen:
        """The pixels with their rules."""
        ...


class Stored(Protocol):
    """A picture's file that is read when it is needed: a frozen dataclass; see `snellen.images.stored`."""

    @property
    def name(self) -> str:
        """What an error calls it."""
        ...

    @property
    def fingerprint(self) -> str:
        """What is equal of two that are the same picture."""
        ...

    def stored(self) -> bytes:
        """The bytes of the file."""
        ...


class Step(Protocol):
    """Something done to pixels: a frozen dataclass whose fields alone decide what; the input stays untouched."""

    def __call__(self, pixels: Pixels) -> Pixels:
        """The pixels afterwards, in a new array."""
        ...


@runtime_checkable
class Measuring(Protocol):
    """A step that says how far it took a image from what it was."""

    def measure(self, before: Pixels, after: Pixels) -> Mapping[str, float | None]:
        """Named distances, as JSON can hold them."""
        ...


@dataclass(frozen=True)
class EncodedImage:
    """An image exactly as it is sent; its sha256 is part of the request's key and of the delivery receipt."""

    data: bytes = field(repr=False)
    media_type: str
    width: int
    height: int
    measured: Mapping[str, float | None] = field(default_factory=dict, hash=False, compare=False)
    """How far its last measuring step took it from what it was, where there is one."""
    rule: str = field(default="", compare=False)
    """How its pixels were made from those of the original, in words; empty where none were changed."""
    original: tuple[int, int] | None = field(default=None, compare=False)
    """Width and height of the original, upright; None where it is sent in its own size."""
    side: int | None = field(default=None, compare=False)
    """The pixels of its longer side, where it was scaled down to them."""
    shade: str = field(default="", compare=False)
    """`nearly black` or `nearly white`, where next to nothing can be seen and it was looked at."""

    @cached_property
    def sha256(self) -> str:
        """The hash of the bytes as sent."""
        return hashlib.sha256(self.data).hexdigest()

    @cached_property
    def base64(self) -> bytes:
        """The bytes as base64, made once however often the image is sent."""
        return b64encode(self.data)


@dataclass(frozen=True)
class Unreadable:
    """Stands for an image that is missing or cannot be read, so that an audit can tell of it; it has no pixels."""

    name: str
    """How the benchmark names it."""
    reason: str

    def draw(self) -> Pixels:
        """Nothing: there are no pixels, and an exam that asks for them stops."""
        raise ImageError(self.reason)


_AS_IT_IS = (Path, bytes)
"""Sources that need no look; a tuple, since Python would make the union of the two anew for every image."""


@dataclass(frozen=True)
class Image:
    """A image: where it comes from, and what was done to it in order.

    `source` is a file's path or bytes, a file stored inside another, a drawing, or what stands for a file that cannot
    be read. A Pillow image or a NumPy array of 8-bit pixels is taken too, and kept as the PNG file of its pixels.
    """

    source: Path | bytes | Stored | Drawing | Unreadable | str | Pixels | PillowImage
    steps: tuple[Step, ...] = ()
    role: str = field(default="", compare=False)
    """What it is among several, such as `lateral`, `prior frontal` or `frame 3 of 50`; no part of the picture."""

    def __post_init__(self) -> None:
        if not isinstance(self.source, _AS_IT_IS):
            object.__setattr__(self, "source", _source(self.source))

    @classmethod
    def of_file(cls, path: str) -> Image:
        """The image of a file, whose `source` is made when it is first asked for: a benchmark may name 100,000."""
        image = object.__new__(cls)
        object.__setattr__(image, "__dict__", {"_file": path, "steps": (), "role": ""})
        return image

    if not TYPE_CHECKING:  # else every attribute would be taken for one that is there

        def __getattr__(self, name: str) -> Path:
            if name != "source" or "_file" not in self.__dict__:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            return self.__dict__.setdefault("source", Path(self.__dict__["_file"]))

    def then(self, step: Step) -> Image:
        """The same image with one more step; nothing is computed yet."""
        return replace(self, steps=(*self.steps, step))

    @cached_property
    def fingerprint(self) -> str:
        """The same fingerprint, the same image. Files are known by path, size and time of change."""
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
            origin = _described(self.source)
        return origin + "".join(f" > {_described(step)}" for step in self.steps)

    @property
    def path(self) -> Path | None:
        """The file that holds this image unchanged, if there is one."""
        return self.source if isinstance(self.source, Path) and not self.steps else None

    @property
    def is_file(self) -> bool:
        """Whether its origin is the bytes of a file, wherever they lie, and not drawn."""
        return isinstance(self.source, Path | bytes) or _is_stored(self.source)

    def read(self) -> bytes:
        """The bytes of a image that is a file or was given as bytes."""
        if isinstance(self.source, Path):
            return read_file(self.source, name=str(self.source))
        if isinstance(self.source, bytes):
            return self.source
        if isinstance(self.source, Unreadable):
            raise ImageError(self.source.reason)
        if _is_stored(self.source):
            return cast("Stored", self.source).stored()
        raise TypeError(f"{self.source!r} is drawn, not read.")

    def pixels(self) -> Pixels:
        """The image as an array, after all its steps."""
        return self._after_steps()[0].pixels

    def thumbnail(self, side: int) -> Pixels:
        """A rough copy of so many pixels across and down; a JPEG is decoded only as far as that needs."""
        if self.steps or not isinstance(self.source, Path | bytes):
            return np.asarray(self.pixels()[:: max(1, side // 8), :: max(1, side // 8)])
        import PIL.Image

        with _opened(self.read(), self.name) as picture:
            try:
                picture.draft("RGB", (side, side))
                return np.asarray(picture.convert("RGB").resize((side, side), PIL.Image.Resampling.BOX))
            except Exception as error:
                raise UnusableImageError(self.name, f"cannot be decoded: {error}") from error

    def seen(self) -> Seen:
        """The image as a person sees it, before any step."""
        return develop(self.read(), name=self.name) if self.is_file else _drawn(cast("Drawing", self.source))

    def _after_steps(self) -> tuple[Seen, Mapping[str, float | None]]:
        """The pixels after all steps, and what the last step that measures has measured."""
        seen = self.seen()
        array = seen.pixels
        measured: Mapping[str, float | None] = {}
        for step in self.steps:
            before, array = array, step(array)
            if isinstance(step, Measuring):
                measured = step.measure(before, array)
        return seen._replace(pixels=array), measured

    def encoded(self, side: int | None = None, *, looked_at: bool = False) -> EncodedImage:
        """The image as it is sent, scaled down where its longer side has more than `side` pixels.

        `looked_at` decodes also a file that is sent as it is: one that holds no pixels is refused, and the image says
        whether it is nearly black or white.
        """
        if self.is_file and not self.steps:
            data = self.read()
            header = check(data, name=self.name)
            if _goes_as_it_is(data, header, side, name=self.name):
                sent = EncodedImage(without_metadata(data, header), header.media_type, header.width, header.height)
                return replace(sent, shade=_looked_at(sent.data, self.name)) if looked_at else sent
            seen = develop(data, name=self.name)
            return _sent(seen, side, looked_at=looked_at)
        seen, measured = self._after_steps()
        return replace(_sent(seen, side, looked_at=looked_at and not self.steps), measured=measured)

    @property
    def origin(self) -> Hashable:
        """What pictures of one file or series share, however they are cut or shown; for others the picture itself."""
        return getattr(self.source, "origin", "") or self

    @property
    def burned_in(self) -> str:
        """Why text may be burned into its pixels, where its file says or suggests it."""
        return str(getattr(self.source, "burned_in", ""))

    @property
    def name(self) -> str:
        """The image's file, or where else it comes from."""
        if isinstance(self.source, Unreadable) or _is_stored(self.source):
            return str(cast("Stored", self.source).name)
        if isinstance(self.source, Developing):
            return self.source.called
        return str(self.source) if isinstance(self.source, Path) else "given as bytes"


def read_file(path: Path, *, name: str) -> bytes:
    """The bytes of an image file that data name: only of a plain file, and only up to a limit."""
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
    """What a user would call a image, as one of the things that it can be."""
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
        return encode(_seen(given).pixels).data
    except (OSError, ValueError) as error:
        raise ImageError(f"The Pillow image of mode {given.mode} cannot be used: {error}") from error


def _unreadable(path: Path, error: OSError | ValueError) -> ImageError:
    """The error for a path that leads to no bytes; a ValueError means that the path itself is impossible."""
    return ImageError(f"Image {str(path)!r} cannot be read: {getattr(error, 'strerror', None) or error}.")


def _drawn(drawing: Drawing) -> Seen:
    if isinstance(drawing, Developing):
        return drawing.developed()
    pixels = drawing.draw()
    return Seen(pixels, (pixels.shape[1], pixels.shape[0]))


def _described(thing: object) -> str:
    """A drawing or step in full, so that two plug-ins may use one name."""
    return f"{find_first_path(type(thing).__module__)}.{thing!r}"


def check(data: bytes, *, name: str) -> Header:
    """The header of an image file whose structure is whole; a truncated, corrupt or gigantic one raises ImageError.

    PNG: every chunk's checksum. JPEG: every segment up to the end marker. Other formats: what the codec sees when it
    opens them, which for GIF and TIFF is the header only. No pixel is decoded.
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
    with _opened(data, name) as picture:
        width, height = picture.size
        kind = str(picture.format)
    stated = int.from_bytes(data[2:6], "little") if kind == "BMP" else 0
    if stated > len(data):
        raise UnusableImageError(name, f"is cut off: its BMP file has {len(data)} of {stated} bytes")
    return Header(f"image/{kind.lower()}", width, height, sendable=False)


# No format that starts another program to be read (EPS does), and none that a radiology folder would not hold.
_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP", "JPEG2000", "PPM")


def _opened(data: bytes, name: str) -> Any:
    import PIL.Image

    try:
        picture = PIL.Image.open(BytesIO(data), formats=_FORMATS)
    except (PIL.Image.DecompressionBombError, PIL.Image.DecompressionBombWarning) as error:
        raise UnusableImageError(name, f"is gigantic: {error}") from error
    except Exception as error:
        raise UnusableImageError(name, f"is not a readable image ({len(data)} bytes)") from error
    return picture


class Seen(NamedTuple):
    """An image as a person sees it: upright, in 8 bits, grey or sRGB; its size, and the rules that made it so."""

    pixels: Pixels
    original: tuple[int, int]
    rules: tuple[str, ...] = ()


def decode(data: bytes, *, name: str) -> Pixels:
    """The pixels of an image file as a person sees them; see `develop`."""
    return develop(data, name=name).pixels


def develop(data: bytes, *, name: str) -> Seen:
    """An image file, upright, as 8-bit grey or RGB; of several frames or pages, the first.

    Deeper values are shown by the range that the file states, or by the bits that hold the brightest one
    (`snellen.images.depth`); transparency is laid on black; palettes, CMYK and other colour profiles become sRGB.
    Values of no known range (fractions, signed numbers, 32 bits) are refused.
    """
    check(data, name=name)
    with _loaded(data, name) as picture:
        try:
            if _without_range(picture):
                raise ValueError("its grey values are signed or of 32 bits; scale them to 8 or 16 bits first")
            return _seen(picture, data)
        except Exception as error:
            raise UnusableImageError(name, f"is of a kind that is not read: {error}") from error


def _loaded(data: bytes, name: str) -> Any:
    """The image with all its pixels: a file may be whole and yet hold none that can be decoded."""
    picture = _opened(data, name)
    try:
        picture.load()
    except Exception as error:
        picture.close()
        raise UnusableImageError(name, f"cannot be decoded: {error}") from error
    return picture


def _without_range(picture: Any) -> bool:
    """Whether a TIFF holds signed or 32-bit values: only their owner knows which are black and white."""
    sample_format, signed = 339, 2
    if picture.format != "TIFF":
        return False
    return picture.mode == "I" or signed in np.ravel(picture.tag_v2.get(sample_format, 1))


_ORIENTATION = 0x0112


def _seen(picture: Any, data: bytes = b"") -> Seen:
    """A Pillow image as a person sees it."""
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
    return Seen(np.array(solid.convert("L" if grey else "RGB")), solid.size, tuple(rules))


def _frames(picture: Any, data: bytes) -> int:
    """How many frames or pages a file has; they are counted in a second reading, since some codecs move along."""
    if picture.format not in ("GIF", "TIFF", "WEBP"):
        return int(getattr(picture, "n_frames", 1))
    with suppress(Exception), _opened(data, "") as again:
        return int(again.n_frames)
    return 1


def _goes_as_it_is(data: bytes, header: Header, side: int | None, *, name: str) -> bool:
    """Whether a file is sent byte for byte, less its metadata."""
    if not header.sendable or (side and max(header.width, header.height) > side):
        return False
    if not header.profiled:
        return True
    with _opened(data, name) as picture:
        return not profile_to_apply(picture.info.get("icc_profile", b""), "L" if picture.mode in ("1", "L") else "RGB")


def _looked_at(data: bytes, name: str) -> str:
    """The shade of a file whose pixels can all be decoded; a file may be whole and yet be no picture."""
    with _loaded(data, name) as picture:
        return shade(picture)


def _sent(seen: Seen, side: int | None, *, looked_at: bool) -> EncodedImage:
    """What is seen as a PNG file of at most `side` pixels on the longer side."""
    pixels, rules = seen.pixels, seen.rules
    scaled = side if side and max(pixels.shape[:2]) > side else None
    if scaled:
        pixels = shrunk(pixels, scaled)
        rules = (*rules, f"scaled down to {scaled:,} pixels on the longer side, each the mean of those it covers")
    made = encode(pixels)
    own_size = seen.original == (made.width, made.height)
    return replace(
        made,
        rule="; ".join(rules),
        original=None if own_size else seen.original,
        side=scaled,
        shade=_shade_of(pixels) if looked_at else "",
    )


def _shade_of(pixels: Pixels) -> str:
    import PIL.Image

    return shade(PIL.Image.fromarray(pixels))


def shrunk(pixels: Pixels, side: int) -> Pixels:
    """Pixels with at most `side` on the longer side, in the same proportion; each is the mean of those it covers."""
    import cv2

    height, width = pixels.shape[:2]
    scale = side / max(height, width)
    if scale >= 1:
        return pixels
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return cast("Pixels", cv2.resize(pixels, size, interpolation=cv2.INTER_AREA))


def encode(pixels: Pixels) -> EncodedImage:
    """Pixels as a PNG file."""
    import cv2

    shaped = pixels.ndim == 2 or (pixels.ndim == 3 and pixels.shape[2] == 3)
    if pixels.dtype != np.uint8 or not shaped or pixels.size == 0:
        raise ImageError(
            f"Expected 8-bit grey or RGB pixels, got {pixels.dtype} of shape {pixels.shape}. "
            "Scale them to 0 to 255 as uint8, height × width or height × width × 3."
        )
    ordered = pixels if pixels.ndim == 2 else cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR)
    done, buffer = cv2.imencode(".png", ordered)
    if not done:
        raise ImageError(f"Pixels of shape {pixels.shape} could not be encoded as PNG.")
    return EncodedImage(buffer.tobytes(), "image/png", pixels.shape[1], pixels.shape[0])


def preview(data: bytes, side: int, *, name: str) -> EncodedImage:
    """An image file as a small JPEG for people to look at, at most `side` pixels either way; never what is sent."""
    import cv2

    small = shrunk(decode(data, name=name), side)
    ordered = small if small.ndim == 2 else cv2.cvtColor(small, cv2.COLOR_RGB2BGR)
    done, buffer = cv2.imencode(".jpg", ordered, [cv2.IMWRITE_JPEG_QUALITY, 82])
    if not done:
        raise ImageError(f"Image {name} could not be made small.")
    return EncodedImage(buffer.tobytes(), "image/jpeg", small.shape[1], small.shape[0])


class Encoder:
    """Encodes each image once, whichever thread asks first; keeps the last `limit` bytes for the arms that follow.

    Images are scaled down to `side` pixels on the longer side, and looked at.
    """

    def __init__(self, limit: int = 64_000_000, *, side: int | None = None) -> None:
        self._limit = limit
        self._side = side
        self._held = 0
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Future[EncodedImage]] = OrderedDict()

    def __call__(self, image: Image) -> EncodedImage:
        """The image as it is sent, hashed."""
        key = image.fingerprint  # outside the lock: it may read or hash a file
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

    def kept(self, image: Image) -> EncodedImage | None:
        """The image, if it has been made and is still here."""
        with self._lock:
            found = self._kept.get(image.fingerprint)
        return found.result() if found is not None and found.done() and found.exception() is None else None

    def _make_room(self, size: int) -> None:
        """Forget the oldest images; each is counted at its size and that of its base64."""
        with self._lock:
            self._held += size * 7 // 3
            while self._held > self._limit and len(self._kept) > 1:
                oldest = next(iter(self._kept))
                if not self._kept[oldest].done():
                    break
                self._held -= len(self._kept.pop(oldest).result().data) * 7 // 3
