"""Images of a published benchmark: in folders, ZIP files, or the rows."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any, cast
from zipfile import BadZipFile, ZipInfo

from snellen.benchmarks.gallery import Gallery
from snellen.errors import DataError, ImageError
from snellen.images import Image, Unreadable, check
from snellen.images.stored import InZip, opened_zip
from snellen.items import Item


class Pictures:
    """Finder of the rows' images: first in `folders`, in their order, then in the ZIP files.

    In a ZIP file, the common top folder may be missing from the path. Nothing is unpacked to disk. With
    `keep_unreadable`, for audits, every image is read, and an `Unreadable` replaces each unusable one.
    """

    def __init__(
        self, root: Path, *, folders: Sequence[str] = ("",), zips: Sequence[str] = (), keep_unreadable: bool = False
    ) -> None:
        self.keep_unreadable = keep_unreadable
        self._kept: dict[str, Image] = {}
        home = root.parent if root.is_file() else root
        self._galleries = [Gallery(home / name) for name in folders if (home / name).is_dir()]
        self._archives = [_Archive(home / name) for name in zips if (home / name).is_file()]

    def find(self, reference: object) -> Image:
        """Return the image of a row's reference; an Image is returned unchanged."""
        if isinstance(reference, Image):
            return reference
        if not self.keep_unreadable:
            return self._find_image(reference)
        if not isinstance(reference, str):
            return self._or_unreadable(reference)
        if reference not in self._kept:
            self._kept[reference] = self._or_unreadable(reference)
        return self._kept[reference]

    def _or_unreadable(self, reference: object) -> Image:
        """Return the image, read and checked, or else an `Unreadable`."""
        try:
            found = self._find_image(reference)
            check(found.read(), name=found.name)
            return found
        except ImageError as error:
            name = reference if isinstance(reference, str) else f"given as {type(reference).__name__}"
            return Image(Unreadable(name[:200], str(error)))

    def _find_image(self, reference: object) -> Image:
        problem = ImageError(f"image {reference!r} is missing, and so is the folder or ZIP file that would contain it")
        for gallery in self._galleries:
            try:
                found = gallery.find_all(reference)
            except ImageError as error:
                problem = error
                continue
            if len(found) != 1:
                raise ImageError(f"{reference!r} names {len(found)} images, expected one")
            return found[0]
        archived = (each.find(reference) for each in self._archives if isinstance(reference, str))
        if (packed := next(filter(None, archived), None)) is not None:
            return packed
        raise problem


class _Archive:
    """Images of a ZIP file by path."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            inside = [each for each in opened_zip(path).infolist() if not each.is_dir()]
        except (OSError, BadZipFile) as error:
            raise DataError(f"{path.name} is not a complete ZIP file: {error}. Download it again.") from error
        tops = {each.filename.partition("/")[0] for each in inside if not each.filename.startswith("__MACOSX/")}
        below = {each.filename.partition("/")[2]: each for each in inside} if len(tops) == 1 else {}
        self._files: dict[str, ZipInfo] = {**below, **{each.filename: each for each in inside}}

    def find(self, reference: str) -> Image | None:
        found = self._files.get(reference.removeprefix("./"))
        return None if found is None else Image(InZip(self.path, found.filename, found.file_size, found.CRC))


def name_cluster(reference: object, image: Image) -> str:
    """Return a cluster name for items that share an image: its file name or a hash."""
    if isinstance(reference, str) and len(reference) <= 200:
        return reference
    return f"image-{hashlib.sha256(image.fingerprint.encode()).hexdigest()[:16]}"


def _identify_source(image: Image) -> Hashable:
    """Return a key that is equal for images of one file or series."""
    source: Any = vars(image).get("_file") or image.source
    if isinstance(source, str | bytes):
        return source
    return str(source) if isinstance(source, Path) else cast("Hashable", getattr(source, "origin", "") or source)


def find_image_clusters(items: Sequence[Item]) -> dict[str, str]:
    """Return a cluster for each item that has none and shares images, even indirectly.

    The cluster is one that another item with these images names, or else has the first item's name.
    """
    shown = [tuple(map(_identify_source, item.images)) for item in items]
    linked: dict[Hashable, set[Hashable]] = {}
    for sources in shown:
        if len(sources) != 1 or sources[0] not in linked:
            together = set(sources).union(*(linked.get(each, ()) for each in sources))
            linked |= dict.fromkeys(together, together)
    sharing: dict[int, list[Item]] = defaultdict(list)
    for item, sources in zip(items, shown, strict=True):
        for first in sources[:1]:
            sharing[id(linked[first])].append(item)
    found: dict[str, str] = {}
    for some in (each for each in sharing.values() if len(each) > 1):
        cluster = next((item.cluster for item in some if item.cluster), f"image of {some[0].id}")
        found |= {item.id: cluster for item in some if not item.cluster}
    return found
