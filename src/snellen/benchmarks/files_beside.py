"""Files in a table's folder, which rows name without extension or exact case."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from pathlib import Path, PurePath

from snellen.errors import DataError

PICTURES = frozenset((".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp"))
VIDEOS = frozenset((".mp4", ".m4v", ".mkv", ".webm", ".avi", ".mov", ".mpg"))


def name_as_png(path: str) -> str:
    """Return the path of an image's PNG copy, which ends in `.png`.

    >>> name_as_png("sub/a.jpg"), name_as_png("b.PNG")
    ('sub/a.jpg.png', 'b.PNG')
    """
    return path if path.lower().endswith(".png") else f"{path}.png"


DEEPEST = 3
"""Levels of sub-folders that are searched."""


class FilesBeside:
    """Files of a folder and its sub-folders, by lower-case name without extension."""

    def __init__(self, root: Path, endings: Collection[str]) -> None:
        self._found: dict[str, list[str]] = {}
        for folder, below, names in os.walk(root):
            below[:] = sorted(below) if len(Path(folder).relative_to(root).parts) < DEEPEST else []
            for name in sorted(names):
                file = Path(folder) / name
                if file.suffix.casefold() in endings and not name.startswith("."):
                    self._found.setdefault(file.stem.casefold(), []).append(file.relative_to(root).as_posix())

    def find_file(self, *names: str) -> str | None:
        """Return the path of the first file with one of these names, or None.

        DataError if two files have the same name.
        """
        for name in names:
            path = PurePath(name)
            stem = path.stem if path.suffix.casefold() in PICTURES | VIDEOS else name
            found = self._found.get(stem.casefold(), [])
            if len(found) > 1:
                raise DataError(f"several files are called {stem!r}: {', '.join(found[:4])}. Keep one of them")
            if found:
                return found[0]
        return None

    def find_numbered(self, name: str) -> list[str]:
        """Return the paths of a name and its numbered variants: `17.png`, `17_2.png`."""
        numbered = re.compile(re.escape(name.casefold()) + r"(?:[-_]\d+)?")
        stems = [stem for stem in self._found if numbered.fullmatch(stem)]
        return [path for stem in sorted(stems, key=lambda stem: (len(stem), stem)) for path in self._found[stem]]
