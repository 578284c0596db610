"""The image files of a folder, and their names in the manifest."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import NamedTuple

from snellen.benchmarks.files_beside import PICTURES
from snellen.benchmarks.hub import blobs_beside
from snellen.images import stands_for_several

SCANS = "scans"
"""Folder for copies of scans, volumes, slides and videos, whose names may identify patients."""


class SourceFile(NamedTuple):
    """An image file: its path, and its name in the manifest and copies.

    The name of a single image is its path; that of a file with several images is a hash of its path.
    """

    path: str
    image: str

    @property
    def several(self) -> bool:
        """Whether the file may hold several images: a scan, volume, slide or video."""
        return self.path != self.image


class LeftOut(NamedTuple):
    """A file without copies: its name in the manifest, and the reason."""

    image: str
    reason: str


def sources_in(folder: Path) -> Iterator[SourceFile | LeftOut]:
    """Yield every file below a folder, in order, without hidden ones.

    A link is followed only to a file inside the folder, or inside its Hugging Face snapshot.
    """
    root = folder.resolve()
    allowed = [root, *filter(None, [blobs_beside(root)])]
    unlisted: list[OSError] = []
    for at, below, names in os.walk(root, onerror=unlisted.append):
        here = Path(at)
        linked = sorted(name for name in below if (here / name).is_symlink())
        below[:] = sorted(name for name in below if not name.startswith(".") and name not in linked)
        for name in linked:
            yield LeftOut(_hash_name(_make_relative(root, here / name)), "is a link to a folder, which is not followed")
        for name in sorted(name for name in names if not name.startswith(".")):
            yield _classify_file(root, here / name, allowed)
        while unlisted:
            error = unlisted.pop()
            called = _hash_name(_make_relative(root, Path(error.filename or at)))
            yield LeftOut(called, f"is a folder that cannot be listed: {error.strerror}")


def _classify_file(root: Path, file: Path, allowed: list[Path]) -> SourceFile | LeftOut:
    path = _make_relative(root, file)
    picture = PurePath(path).suffix.lower() in PICTURES
    try:
        path.encode()
    except UnicodeEncodeError:
        return LeftOut(_hash_name(path), "has a name that is not UTF-8")
    called = path if picture else _hash_name(path)
    if not picture and not stands_for_several(path):
        return LeftOut(called, "has no image file extension")
    if file.is_symlink() and (why := _explain_stray_link(file, allowed)):
        return LeftOut(called, why)
    if not file.is_file():
        return LeftOut(called, "is not a readable file")
    return SourceFile(path, path if picture else f"{SCANS}/{called.removeprefix('file ')}")


def _explain_stray_link(link: Path, allowed: list[Path]) -> str:
    """Return why a link is not followed; empty if it is."""
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):  # nothing there, or links in a circle
        return "is a link to a file that does not exist"
    return "" if any(target.is_relative_to(each) for each in allowed) else "is a link that leads out of the folder"


def _make_relative(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix()


def _hash_name(path: str) -> str:
    """Name a file by a hash of its path, which may identify a patient."""
    return f"file {hashlib.sha256(path.encode(errors='surrogateescape')).hexdigest()[:32]}"
