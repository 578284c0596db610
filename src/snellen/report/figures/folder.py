"""Write a report's figures, card and tables, and remove old ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from snellen.errors import StudyError
from snellen.files import StagedFiles, create_folder, open_plain, write_whole
from snellen.report import FIGURE_FORMATS
from snellen.report.figures.conversion import ON_SCREEN, as_pdf, as_png, find_converter, has_converter
from snellen.report.figures.standalone import FOLDER, MAIN, Figures
from snellen.report.sharing import CARD, CARD_IMAGE
from snellen.report.sharing import NAMES as SHARED

CONVERSIONS = {"png": as_png, "pdf": as_pdf}
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
