"""Write a report's figures, card and tables, and remove old ones.

The package typst converts drawings to PDF and PNG.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

from snellen.errors import MissingExtraError, StudyError
from snellen.files import StagedFiles, create_folder, open_plain, write_whole
from snellen.report import FIGURE_FORMATS
from snellen.report.figures.standalone import FOLDER, MAIN, Figures
from snellen.report.sharing import CARD, CARD_IMAGE
from snellen.report.sharing import NAMES as SHARED

INDEX = ".written"
"""File with the names of the files that we wrote, one per line. Other files are never removed."""


def write_figures(home: Path, new: StagedFiles, figures: Figures, form: str = "svg") -> None:
    """Stage figures as SVG, CSV and captions, and in one more format.

    *Staged* files are in a temporary folder and replace the old ones together. Figure 1 is written in every format if
    the package that converts drawings is installed.
    """
    check_format(form)
    files = dict(figures.files())
    main = CONVERSIONS if has_converter() else ()
    for each in figures:
        for ending in {form} - {"svg"} | set(main if each.name.startswith(MAIN) else ()):
            files[f"{FOLDER}/{each.name}.{ending}"] = CONVERSIONS[ending](each.svg)
    _write_files(new, files)
    names = sorted(path.partition("/")[2] for path in files)
    write_whole(new.folder / FOLDER / INDEX, "".join(f"{name}\n" for name in names).encode())
    new.stale.update(_find_figures(home) - set(files))


def write_shared(new: StagedFiles, shared: Mapping[str, str]) -> None:
    """Stage the card and tables. The card as PNG, too, if possible."""
    files = {path: text.encode(errors="replace") for path, text in shared.items()}
    if CARD in shared and has_converter():
        files[CARD_IMAGE] = as_png(shared[CARD], ON_SCREEN)
    _write_files(new, files)
    new.stale.update(set(SHARED) - set(files))


def _write_files(new: StagedFiles, files: Mapping[str, bytes]) -> None:
    for path, data in files.items():
        create_folder((new.folder / path).parent)
        write_whole(new.folder / path, data)


def _find_figures(home: Path) -> set[str]:
    """Files that an earlier report listed in its index."""
    try:
        with open_plain(home / FOLDER / INDEX) as index:
            lines = index.read().decode().splitlines()
    except (OSError, UnicodeDecodeError):
        return set()
    return {
        f"{FOLDER}/{line}"
        for line in lines
        if line and Path(line).name == line and line != INDEX and line not in (".", "..")
    }


def check_format(form: str) -> None:
    """Raise an error for an unknown figure format or a missing package."""
    if form not in FIGURE_FORMATS:
        raise StudyError(f"Expected figures as one of {', '.join(FIGURE_FORMATS)}, got {form!r}.")
    if form != "svg":
        find_converter()


# Conversion ----------------------------------------------------------------------------------------------------------


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


CONVERSIONS = {"png": as_png, "pdf": as_pdf}


def _convert(svg: str, **how: Any) -> bytes:
    width = _WIDTH.search(svg)
    if width is None:
        raise ValueError("Expected an SVG with a width, got one without.")
    title, about = (_find_text(each, svg) for each in (_TITLE, _ABOUT))
    given = {"svg": svg, "title": title, "about": about or title, "width": width[1] + (width[2] or "pt")}
    return bytes(find_converter().compile(_SOURCE, sys_inputs=given, **how))


def _find_text(tag: re.Pattern[str], svg: str) -> str:
    found = tag.search(svg)
    text = found[1] if found else ""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
