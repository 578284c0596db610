"""Sources: which files of a folder are images, and by what each is known."""

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
"""Where the copies of scans, volumes, slides and videos lie: these files are named after patients."""


class Source(NamedTuple):
    """An image file: its path within the folder, and by what it is known in the manifest and among the copies.

    A picture is known by its path. A file that may hold several pictures is known by a hash of its path alone.
    """

    path: str
    image: str

    @property
    def several(self) -> bool:
        """Whether it is a scan, a volume, a slide or a video."""
        return self.path != self.image


class LeftOut(NamedTuple):
    """A file without copies, by what it is known, and why."""

    image: str
    reason: str


def sources_in(folder: Path) -> Iterator[Source | LeftOut]:
    """Every file below a folder, in the order of its names; those that begin with a dot are passed over.

    A link is followed to a file inside the folder, or inside the same snapshot of the hub, and to no other place.
    """
    root = folder.resolve()
    allowed = [root, *filter(None, [blobs_beside(root)])]
    unlisted: list[OSError] = []
    for at, below, names in os.walk(root, onerror=unlisted.append):
        here = Path(at)
        linked = sorted(name for name in below if (here / name).is_symlink())
        below[:] = sorted(name for name in below if not name.startswith(".") and name not in linked)
        for name in linked:
            yield LeftOut(_hashed(_within(root, here / name)), "is a link to a folder, which is not followed")
        for name in sorted(name for name in names if not name.startswith(".")):
            yield _source(root, here / name, allowed)
        while unlisted:
            error = unlisted.pop()
            called = _hashed(_within(root, Path(error.filename or at)))
            yield LeftOut(called, f"is a folder that cannot be listed: {error.strerror}")


def _source(root: Path, file: Path, allowed: list[Path]) -> Source | LeftOut:
    path = _within(root, file)
    picture = PurePath(path).suffix.lower() in PICTURES
    try:
        path.encode()
    except UnicodeEncodeError:
        return LeftOut(_hashed(path), "has a name that is not UTF-8")
    called = path if picture else _hashed(path)
    if not picture and not stands_for_several(path):
        return LeftOut(called, "is no image by the end of its name")
    if file.is_symlink() and (why := _astray(file, allowed)):
        return LeftOut(called, why)
    if not file.is_file():
        return LeftOut(called, "is no file that can be read")
    return Source(path, path if picture else f"{SCANS}/{called.removeprefix('file ')}")


def _astray(link: Path, allowed: list[Path]) -> str:
    """What is wrong with a link to a file, if anything is."""
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):  # nothing there, or links in a circle
        return "is a link to nothing"
    return "" if any(target.is_relative_to(each) for each in allowed) else "is a link that leads out of the folder"


def _within(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix()


def _hashed(path: str) -> str:
    """What a file that may be named after a patient is called."""
    return f"file {hashlib.sha256(path.encode(errors='surrogateescape')).hexdigest()[:32]}"
