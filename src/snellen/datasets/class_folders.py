"""Class folders: the images of a folder whose sub-folders are classes, and what else lies there.

Only names are looked at here; no file is opened. Links to folders are not followed, and files that links lead to must
lie inside.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from snellen.errors import DataError

ENDINGS = frozenset((".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".jp2", ".ppm", ".pgm"))

_NO_PATIENTS = frozenset(("image", "images", "img", "imgs"))
"""Sub-folders of a class that hold all its images, not those of one patient."""
_MASKS = frozenset(("mask", "masks"))
_NUMBERED = re.compile(r"([^\W\d_]+)-(\d+)-\d+")
"""The names of the public OCT set: class, patient, image of the patient."""


class Picture(NamedTuple):
    """An image file by its path from the folder."""

    path: str

    @property
    def label(self) -> str:
        """The class it lies in."""
        return self.path.partition("/")[0]

    @property
    def patient(self) -> str:
        """Whose it is: by the class's sub-folder, by its name where that tells, else its path: nobody else's."""
        label, *folders, name = self.path.split("/")
        if folders and folders[0].casefold() in _NO_PATIENTS:
            folders = folders[1:]
        if folders:
            return f"{label}/{folders[0]}"
        told = _NUMBERED.fullmatch(name.rpartition(".")[0])
        return f"{label}/{told[2]}" if told and told[1].casefold() == label.casefold() else self.path


@dataclass(frozen=True)
class Sorted:
    """The images of each class in the order of their paths, what was passed over, and what leads out of the folder.

    `refused` has paths with the reason why nothing is read there.
    """

    classes: dict[str, list[Picture]] = field(default_factory=dict)
    ignored: Counter[str] = field(default_factory=Counter)
    refused: list[tuple[str, str]] = field(default_factory=list)


def look_through(root: Path) -> Sorted:
    """Everything in the folder, class by class; DataError if it cannot be read or a sub-folder holds no image."""
    found = Sorted()
    for entry in _entries(root, found):
        if entry.is_symlink() and (reason := _astray(entry, root)):
            found.refused.append((entry.name, reason))
        elif entry.is_dir():
            found.classes[entry.name] = list(_pictures(entry.name, root, found))
        else:
            found.ignored["outside a class"] += 1
    for label, pictures in found.classes.items():
        if not pictures and not any(path.startswith(f"{label}/") for path, _ in found.refused):
            raise DataError(
                f"The sub-folder {label!r} holds no image; expected files that end in {', '.join(sorted(ENDINGS))}. "
                "Remove it, or convert what it holds."
            )
    return found


_LINKED = "it is a link to a folder, which is not followed; put the folder itself there"


def _pictures(folder: str, root: Path, found: Sorted) -> Iterator[Picture]:
    """The images below a folder in the order of names."""
    for entry in _entries(root / folder, found):
        path = f"{folder}/{entry.name}"
        if entry.is_symlink() and (reason := _astray(entry, root)):
            found.refused.append((path, reason))
        elif entry.is_dir():
            if entry.name.casefold() in _MASKS:
                found.ignored["folders of masks"] += 1
            else:
                yield from _pictures(path, root, found)
        elif entry.name[entry.name.rfind(".") :].casefold() in ENDINGS:
            yield Picture(path)
        else:
            found.ignored["no images"] += 1


def _entries(folder: Path, found: Sorted) -> list[os.DirEntry[str]]:
    """What lies in a folder in the order of names, so that no file system has its own."""
    try:
        with os.scandir(folder) as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
    except (OSError, ValueError) as error:
        raise DataError(f"{str(folder)!r} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    seen = [entry for entry in entries if not entry.name.startswith(".") and entry.name != "__MACOSX"]
    if len(seen) < len(entries):
        found.ignored["hidden"] += len(entries) - len(seen)
    return seen


def _astray(entry: os.DirEntry[str], root: Path) -> str:
    """Why a link is not followed, or nothing where it leads to a file inside."""
    try:
        if entry.is_dir():
            return _LINKED
        inside = entry.is_file() and Path(entry.path).resolve().is_relative_to(root)
    except (OSError, RuntimeError):  # links in a circle
        inside = False
    return "" if inside else "it is a link that leads to no file inside the folder"
