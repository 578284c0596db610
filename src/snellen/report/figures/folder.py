"""Folder: the figures of a report written beside it, and those of an earlier drawing taken away."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from snellen.errors import StoreError, StudyError
from snellen.report.figures.png import as_png, renderer
from snellen.report.figures.standalone import FOLDER, Figures
from snellen.runtime import write_whole

FIGURE_FORMATS = ("svg", "png")
INDEX = ".written"
"""Names the files that we wrote, a line each: no other file is ever taken away."""


def write_figures(folder: Path, figures: Figures, form: str = "svg") -> None:
    """Write the figures below a folder as SVG with their numbers as CSV and their captions, with "png" as PNG too."""
    check_format(form)
    files = dict(figures.files())
    if form == "png":
        files |= {f"{FOLDER}/{each.name}.png": as_png(each.svg) for each in figures}
    place = folder / FOLDER
    try:
        place.mkdir(exist_ok=True)
    except OSError as error:
        raise StoreError(f"{place} cannot be made: {error.strerror}.") from error
    earlier = _listed(place / INDEX)
    names = [path.partition("/")[2] for path in files]
    # both lists first: whatever a stopped process leaves behind is known to be ours
    _list(place, {*earlier, *names})
    for path, data in files.items():
        write_whole(folder / path, data)
    for name in earlier - set(names):
        with suppress(OSError):
            (place / name).unlink()
    _list(place, names)


def check_format(form: str) -> None:
    """An error where figures cannot be written in that format: an unknown one, or a package that is missing."""
    if form not in FIGURE_FORMATS:
        raise StudyError(f"Expected figures as one of {', '.join(FIGURE_FORMATS)}, got {form!r}.")
    if form == "png":
        renderer()


def _listed(index: Path) -> set[str]:
    """The files that an earlier drawing wrote; a line that is no plain name of a file is none of ours."""
    try:
        lines = index.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return set()
    return {line for line in lines if line and Path(line).name == line and line != INDEX and line not in (".", "..")}


def _list(place: Path, names: Iterable[str]) -> None:
    write_whole(place / INDEX, "".join(f"{name}\n" for name in sorted(names)).encode())
