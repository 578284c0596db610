"""Folder: the figures of a report written beside it, and those of an earlier drawing taken away."""

from __future__ import annotations

from pathlib import Path

from snellen.errors import StudyError
from snellen.files import StagedFiles, create_folder, open_plain, write_whole
from snellen.report.figures.png import as_png, renderer
from snellen.report.figures.standalone import FOLDER, Figures

FIGURE_FORMATS = ("svg", "png")
INDEX = ".written"
"""Names the files that we wrote, a line each: no other file is ever taken away."""


def write_figures(home: Path, new: StagedFiles, figures: Figures, form: str = "svg") -> None:
    """Add figures to the new files of a folder: as SVG, their numbers as CSV and captions, with "png" as PNG too."""
    check_format(form)
    files = dict(figures.files())
    if form == "png":
        files |= {f"{FOLDER}/{each.name}.png": as_png(each.svg) for each in figures}
    create_folder(new.folder / FOLDER)
    for path, data in files.items():
        write_whole(new.folder / path, data)
    names = sorted(path.partition("/")[2] for path in files)
    write_whole(new.folder / FOLDER / INDEX, "".join(f"{name}\n" for name in names).encode())
    new.stale.update(_find_figures(home) - set(files))


def _find_figures(home: Path) -> set[str]:
    """The files of an earlier drawing below a folder; a line that is no plain name of a file is none of ours."""
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
    """An error where figures cannot be written in that format: an unknown one, or a package that is missing."""
    if form not in FIGURE_FORMATS:
        raise StudyError(f"Expected figures as one of {', '.join(FIGURE_FORMATS)}, got {form!r}.")
    if form == "png":
        renderer()
