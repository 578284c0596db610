"""Conversion of drawings to PDF or PNG with typst."""

from __future__ import annotations

import re
from typing import Any
from zlib import crc32

from snellen.errors import MissingExtraError

PER_INCH = 300
"""Dots per inch in print: a figure of 180 mm, two columns of a page, has 2126."""
ON_SCREEN = 72
"""Dots per inch at which one unit of a drawing without physical size is one pixel."""
_BEGINNING = 33
"""Bytes of a PNG file before its second chunk."""
_SOURCE = b"""#set document(title: sys.inputs.title, date: none)
#set page(width: eval(sys.inputs.width), height: auto, margin: 0pt)
#set text(lang: "en")
#image(bytes(sys.inputs.svg), format: "svg", width: 100%, alt: sys.inputs.about)"""
"""Typst source of a page as large as the drawing. The drawing is an argument, so its words cannot become code."""
_WIDTH = re.compile(r'<svg [^>]*?\bwidth="([\d.]+)(mm)?"')
_TITLE, _ABOUT = (re.compile(rf"<{name}>(.*?)</{name}>", re.S) for name in ("title", "desc"))


def find_converter() -> Any:
    """Import the package that converts SVG. MissingExtraError if it is not installed."""
    try:
        import typst
    except ImportError as error:
        raise MissingExtraError("typst", "figures") from error
    return typst


def has_converter() -> bool:
    """Return True if drawings can be converted."""
    try:
        find_converter()
    except MissingExtraError:
        return False
    return True


def as_pdf(svg: str) -> bytes:
    """Convert a drawing to PDF in light colours, with fonts. Equal drawings give equal files."""
    return _convert(svg, format="pdf")


def as_png(svg: str, per_inch: int = PER_INCH) -> bytes:
    """Convert a drawing to PNG in light colours, with its resolution."""
    drawn = _convert(svg, format="png", ppi=per_inch)
    size = b"pHYs" + 2 * round(per_inch / 0.0254).to_bytes(4) + b"\x01"
    chunk = (len(size) - 4).to_bytes(4) + size + crc32(size).to_bytes(4)
    return drawn[:_BEGINNING] + chunk + drawn[_BEGINNING:]


def _convert(svg: str, **how: Any) -> bytes:
    width = _WIDTH.search(svg)
    if width is None:
        raise ValueError("Expected an SVG with a width, got one without.")
    title, about = (_find_text(each, svg) for each in (_TITLE, _ABOUT))
    given = {"svg": svg, "title": title, "about": about or title, "width": width[1] + (width[2] or "pt")}
    return bytes(find_converter().compile(_SOURCE, sys_inputs=given, **how))


def _find_text(tag: re.Pattern[str], svg: str) -> str:
    """Return the text of the first title or description of the drawing."""
    found = tag.search(svg)
    text = found[1] if found else ""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
