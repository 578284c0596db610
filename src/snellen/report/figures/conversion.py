"""Conversion: a drawing as PDF or PNG, for where no SVG is taken; by typst, which needs no browser."""

from __future__ import annotations

import re
from typing import Any
from zlib import crc32

from snellen.errors import MissingExtraError

PER_INCH = 300
"""Dots of print: a figure over both columns of a page, 180 mm wide, has 2126."""
ON_SCREEN = 72
"""Dots at which a drawing without a unit has one pixel for each of its own."""
_BEGINNING = 33
"""Bytes of a PNG file before its second chunk."""
_SOURCE = b"""#set document(title: sys.inputs.title, date: none)
#set page(width: eval(sys.inputs.width), height: auto, margin: 0pt)
#set text(lang: "en")
#image(bytes(sys.inputs.svg), format: "svg", width: 100%, alt: sys.inputs.about)"""
"""A page that is as large as the drawing. What is drawn is given, so that none of its words can be taken for code."""
_WIDTH = re.compile(r'<svg [^>]*?\bwidth="([\d.]+)(mm)?"')
_TITLE, _ABOUT = (re.compile(rf"<{name}>(.*?)</{name}>", re.S) for name in ("title", "desc"))


def find_converter() -> Any:
    """The package that converts SVG; an error with the install line if it is missing."""
    try:
        import typst
    except ImportError as error:
        raise MissingExtraError("typst", "figures") from error
    return typst


def has_converter() -> bool:
    """Whether drawings can be converted here."""
    try:
        find_converter()
    except MissingExtraError:
        return False
    return True


def as_pdf(svg: str) -> bytes:
    """The drawing in light colours, with its fonts inside; equal drawings make equal files."""
    return _convert(svg, format="pdf")


def as_png(svg: str, per_inch: int = PER_INCH) -> bytes:
    """The drawing in light colours as pixels, marked with how many there are to an inch."""
    drawn = _convert(svg, format="png", ppi=per_inch)
    size = b"pHYs" + 2 * round(per_inch / 0.0254).to_bytes(4) + b"\x01"
    chunk = (len(size) - 4).to_bytes(4) + size + crc32(size).to_bytes(4)
    return drawn[:_BEGINNING] + chunk + drawn[_BEGINNING:]


def _convert(svg: str, **how: Any) -> bytes:
    width = _WIDTH.search(svg)
    if width is None:
        raise ValueError("Expected a drawing that says how wide it is.")
    title, about = (_find_text(each, svg) for each in (_TITLE, _ABOUT))
    given = {"svg": svg, "title": title, "about": about or title, "width": width[1] + (width[2] or "pt")}
    return bytes(find_converter().compile(_SOURCE, sys_inputs=given, **how))


def _find_text(tag: re.Pattern[str], svg: str) -> str:
    """The text of the drawing's own title or description, which stand first."""
    found = tag.search(svg)
    text = found[1] if found else ""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
