"""Colours: an image with a colour profile is converted to sRGB if that changes it."""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

VISIBLE = 8
"""A profile is applied if it changes some colour by more than this, of 255 levels; variants of sRGB differ by less."""


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
    """Return every grey, or colours from the whole cube."""
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
