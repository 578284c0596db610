"""Depth and colours: how images with more than 8 bits or with a colour profile are shown."""

from __future__ import annotations

import re
from functools import lru_cache
from io import BytesIO
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.images.headers import significant_bits

Pixels = NDArray[np.uint8]
Deep = NDArray[np.uint16]

FULL = 65_535
_BITS_PER_SAMPLE, _PHOTOMETRIC, _LARGEST_VALUE, _PLANES = 258, 262, 281, 284
_COLOURS = ("RGB", "RGBA")


class Stated(NamedTuple):
    """Number of bits that a file states for its values."""

    bits: int
    words: str


class Toned(NamedTuple):
    """A deep image reduced to 8 bits, with a description of the rule."""

    pixels: Pixels
    rule: str


def reduce_to_8_bits(values: Deep, stated: Stated | None = None, *, negative: bool = False) -> Toned:
    """Reduce values of 9 to 16 bits to 8 bits: 0 is black, or white if `negative`.

    The file states the range; otherwise it is the smallest number of bits, from 8 on, that holds the brightest value.
    If a file states fewer bits than its values need, they are scaled to all 16, as PNG demands.

    >>> reduce_to_8_bits(np.array([0, 2048, 4095], dtype=np.uint16))
    Toned(pixels=array([  0, 128, 255], dtype=uint8), rule='values 0 to 4,095 of 16 bits shown as 0 to 255: the brightest value fits 12 bits')
    """  # noqa: E501 - what it says
    brightest = int(values.max())
    if stated is None:
        bits = max(8, brightest.bit_length())
        why = f"the brightest value fits {bits} bits"
    else:
        bits = stated.bits if brightest < 2**stated.bits else 16
        why = f"the file states {stated.words}"
    top = 2**bits - 1
    shown = "255 to 0, since the file says that 0 is white" if negative else "0 to 255"
    return Toned(_levels(top, negative)[values], f"values 0 to {top:,} of 16 bits shown as {shown}: {why}")


@lru_cache(maxsize=18)
def _levels(top: int, negative: bool) -> Pixels:
    """Return the displayed level of each of the 65,536 possible values, as a table."""
    shares = np.minimum(np.arange(FULL + 1) / top, 1)
    levels: Pixels = np.rint(255 * (1 - shares if negative else shares)).astype(np.uint8)
    return levels


def in_eight_bits(picture: Any, data: bytes) -> tuple[Any, str]:
    """Reduce a Pillow image to at most 8 bits.

    The second value describes the rule. Raises ValueError for values of no known range.
    """
    import PIL.Image

    if picture.mode == "F":
        raise ValueError("its grey values are fractions; scale them to 8 or 16 bits first")
    if picture.mode.startswith("I"):
        values = np.asarray(picture)
        if values.min() < 0 or values.max() > FULL:
            raise ValueError("its grey values lie outside 0 to 65,535; scale them first")
        stated = _find_stated(picture, data, int(values.max()))
        # 0 may be white: Pillow inverts such images of 8 bits, but not of 16
        negative = picture.format == "TIFF" and bool(picture.tag_v2.get(_PHOTOMETRIC) == 0)
        tone = reduce_to_8_bits(values.astype(np.uint16), stated, negative=negative)
    elif picture.mode in _COLOURS and _has_deep_colours(picture, data):
        if picture.format == "TIFF" and picture.tag_v2.get(_PLANES) == 2:  # both codecs mix these planes up
            raise ValueError(
                "its colours of 16 bits lie in separate planes; save it with the colours of a pixel together"
            )
        deep = _deep_colours(picture, data)
        if deep is None:
            return picture, "of 16 bits the upper 8 are shown"
        colours, alpha = deep[..., :3], deep[..., 3:]
        tone = reduce_to_8_bits(colours, _find_stated(picture, data, int(colours.max())))
        if alpha.size:
            tone = tone._replace(pixels=np.dstack((tone.pixels, (alpha >> 8).astype(np.uint8))))
    else:
        return picture, ""
    made = PIL.Image.fromarray(tone.pixels)
    made.info = {name: value for name, value in picture.info.items() if name == "icc_profile"}
    return made, tone.rule


def _find_stated(picture: Any, data: bytes, brightest: int) -> Stated | None:
    """Return the range of the values as the file states it. None if it does not."""
    if picture.format == "PNG" and (bits := significant_bits(data)):
        return Stated(bits, f"{bits} significant bits")
    if picture.format == "TIFF":
        return _stated_by_tags(picture, brightest)
    if picture.format == "JPEG2000" and 8 < (bits := _bits_of_jpeg_2000(data)) < 16:
        return Stated(16, f"{bits} bits")  # the codec scales to 16 bits
    if picture.format == "PPM" and (top := _largest_of_ppm(data)) not in (0, FULL):
        return Stated(16, f"a largest value of {top:,}")  # the codec scales to 16 bits
    return None


def _stated_by_tags(picture: Any, brightest: int) -> Stated | None:
    """Return the depth or largest value that a TIFF file states, if plausible.

    A stated largest value serves only to find the number of bits. By the TIFF standard it may be the largest pixel
    value, which must not change the brightness.
    """
    bits = int(np.max(picture.tag_v2.get(_BITS_PER_SAMPLE, 16)))
    if bits < 16:
        return Stated(bits, f"{bits} bits")
    largest = int(np.max(picture.tag_v2.get(_LARGEST_VALUE, 0)))
    if not max(1, brightest) <= largest < FULL:
        return None
    return Stated(max(8, largest.bit_length()), f"a largest value of {largest:,}")


def _bits_of_jpeg_2000(data: bytes) -> int:
    at = data.find(b"\xff\x4f\xff\x51")
    return (data[at + 42] & 0x7F) + 1 if 0 <= at < len(data) - 42 else 0


def _largest_of_ppm(data: bytes) -> int:
    words = re.sub(rb"#[^\n]*", b"", data[:4096]).split(None, 4)
    return int(words[3]) if len(words) > 3 and words[3].isdigit() else 0


def _has_deep_colours(picture: Any, data: bytes) -> bool:
    if picture.format == "PNG":
        return data[24:25] == b"\x10"
    return picture.format == "TIFF" and int(np.max(picture.tag_v2.get(_BITS_PER_SAMPLE, 8))) > 8


def _deep_colours(picture: Any, data: bytes) -> Deep | None:
    """Read colours with all 16 bits, as Pillow reads only 8. None if the two readings disagree."""
    import cv2

    values = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_UNCHANGED)
    upper = np.asarray(picture)
    if values is None or values.dtype != np.uint16 or values.shape != upper.shape:
        return None
    ordered = cv2.cvtColor(values, cv2.COLOR_BGRA2RGBA if upper.shape[2] == 4 else cv2.COLOR_BGR2RGB)
    return ordered if np.array_equal(ordered >> 8, upper) else None


VISIBLE = 8
"""Colour difference, of 255 levels, above which a profile is applied. Variants of sRGB differ by less."""


def in_srgb(picture: Any) -> tuple[Any, str]:
    """Convert a Pillow image from its colour profile to sRGB.

    The second value describes the conversion; "" if there was none.
    """
    mode = _solid_mode(picture)
    if not mode or not (name := profile_to_apply(picture.info.get("icc_profile", b""), mode)):
        return picture, ""
    from PIL import ImageCms

    alpha = picture.getchannel("A") if picture.mode in ("RGBA", "LA") else None
    solid = picture if picture.mode == mode else picture.convert(mode)
    seen: Any = ImageCms.applyTransform(solid, _transform(picture.info["icc_profile"], mode))
    if mode == "L":
        seen = seen.getchannel(0)
    if alpha is not None:
        seen.putalpha(alpha)
    return seen, f"colours of the profile {name!r} shown as sRGB"


def _solid_mode(picture: Any) -> str:
    """Return the mode without transparency; "" if more than one channel would be lost."""
    if picture.mode in ("L", "LA"):
        return "L"
    if picture.mode in ("RGB", "RGBA"):
        return "RGB"
    if picture.mode == "P" and "transparency" not in picture.info:
        return "RGB"
    return "CMYK" if picture.mode == "CMYK" else ""


@lru_cache(maxsize=64)
def profile_to_apply(profile: bytes, mode: str) -> str:
    """Return the name of a profile that differs from sRGB.

    It is "" for sRGB, without a profile, or if it is damaged.
    """
    if not profile:
        return ""
    import PIL.Image
    from PIL import ImageCms

    try:
        transform = _transform(profile, mode)
        if mode == "CMYK":
            return _name(profile)
        samples = _samples(mode)
        seen = np.asarray(ImageCms.applyTransform(PIL.Image.fromarray(samples[None]), transform)).astype(int)[0]
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        return ""
    change = np.abs(seen - (samples if mode == "RGB" else samples[:, None])).max()
    return _name(profile) if change > VISIBLE else ""


def _samples(mode: str) -> NDArray[np.uint8]:
    """Return sample colours: every grey level, or a regular grid of RGB colours."""
    if mode == "L":
        return np.arange(256, dtype=np.uint8)
    axis = np.arange(0, 256, 51, dtype=np.uint8)
    return np.stack(np.meshgrid(axis, axis, axis), axis=-1).reshape(-1, 3)


def _name(profile: bytes) -> str:
    from PIL import ImageCms

    return " ".join(ImageCms.getProfileDescription(ImageCms.getOpenProfile(BytesIO(profile))).split())[:60] or "unnamed"


@lru_cache(maxsize=16)
def _transform(profile: bytes, mode: str) -> Any:
    from PIL import ImageCms

    own = ImageCms.getOpenProfile(BytesIO(profile))
    return ImageCms.buildTransform(own, ImageCms.createProfile("sRGB"), mode, "RGB")
