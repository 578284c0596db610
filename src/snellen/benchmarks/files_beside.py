"""Files beside a table: the images or videos that its rows name without their ending, or in other letters."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path, PurePath

from snellen.errors import DataError

PICTURES = frozenset((".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp"))
VIDEOS = frozenset((".mp4", ".m4v", ".mkv", ".webm", ".avi", ".mov", ".mpg"))


def name_as_png(path: str) -> str:
    """The path of an image's PNG copy: `.png` is added unless it is there.

    >>> name_as_png("sub/a.jpg"), name_as_png("b.PNG")
    ('sub/a.jpg.png', 'b.PNG')
    """
    return path if path.lower().endswith(".png") else f"{path}.png"


DEEPEST = 3
"""How many folders deep files are looked for."""


class FilesBeside:
    """The files of some endings in a folder, by their names without the ending, in any case; none is opened.

    Sub-folders are looked through as deep as `DEEPEST`.
    """

    def __init__(self, root: Path, endings: Collection[str]) -> None:
        self._found: dict[str, list[str]] = {}
        for folder, below, names in os.walk(root):
            below[:] = sorted(below) if len(Path(folder).relative_to(root).parts) < DEEPEST else []
            for name in sorted(names):
                file = Path(folder) / name
                if file.suffix.casefold() in endings and not name.startswith("."):
                    self._found.setdefault(file.stem.casefold(), []).append(file.relative_to(root).as_posix())

    def called(self, *names: str) -> str | None:
        """The path of the file that has the first of these names, with or without an ending; None where none is there.

        DataError where two files have that name: which of them is meant, nobody says.
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

    def numbered(self, name: str) -> list[str]:
        """The paths of the files of a name, and of that name with a number behind it: `17.png`, `17_2.png`."""
        begin = name.casefold()
        stems = [stem for stem in self._found if stem == begin or _counts(stem.removeprefix(begin), stem != begin)]
        return [path for stem in sorted(stems, key=lambda stem: (len(stem), stem)) for path in self._found[stem]]


def _counts(rest: str, longer: bool) -> bool:
    return longer and rest[:1] in ("-", "_") and rest[1:].isdigit()
