"""PNG: a figure as pixels, for where no SVG is taken; drawn by resvg, which needs no browser."""

from __future__ import annotations

from typing import Any
from zlib import crc32

from snellen.errors import MissingExtraError

WIDTH = 2126
"""Pixels across: 180 mm, the width of a printed page's two columns, at 300 dots per inch."""
PER_METRE = round(300 / 0.0254)
_BEGINNING = 33
"""Bytes of a PNG file before its second chunk."""


def renderer() -> Any:
    """The package that draws SVG; an error with the install line where it is missing."""
    try:
        import resvg_py
    except ImportError as error:
        raise MissingExtraError("resvg_py", "figures") from error
    return resvg_py


def as_png(svg: str) -> bytes:
    """The figure in light colours, 2126 pixels wide and marked as 300 dpi; needs the extra `figures`."""
    drawn = bytes(renderer().svg_to_bytes(svg_string=svg, width=WIDTH))
    size = b"pHYs" + 2 * PER_METRE.to_bytes(4) + b"\x01"
    chunk = (len(size) - 4).to_bytes(4) + size + crc32(size).to_bytes(4)
    return drawn[:_BEGINNING] + chunk + drawn[_BEGINNING:]
