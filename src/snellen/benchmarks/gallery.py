"""Galleries: the images of a folder, each loaded only once."""

from __future__ import annotations

import binascii
import hashlib
import os
import re
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import NamedTuple

from snellen.benchmarks.files_beside import PICTURES, name_as_png
from snellen.benchmarks.hub import blobs_beside
from snellen.errors import ImageError
from snellen.images import Image, Unreadable, check, images_in, stands_for_several
from snellen.images.opening import READERS

_PATH_KEYS = ("path", "image_path", "image")
_IN_BASE64 = ("iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR")
"""First characters of PNG, JPEG, GIF and WebP files in base64."""
_NO_PATHS = ("data:", "http://", "https://")
_PICTURES = (".png", ".jpg", ".jpeg", ".PNG", ".JPG", ".JPEG")
_LONGEST_NAME = 200
_LONGEST_PATH = 4096
_ENDINGS = "|".join(re.escape(each) for each in sorted({*PICTURES, *READERS}))
_IMAGE_FILE = re.compile(rf"[^\n]{{1,1000}}(?:{_ENDINGS})(?:#[^\n]{{0,200}})?", re.IGNORECASE)


class Gallery:
    """Finder of images in a folder, which refuses files outside it.

    A folder is listed once and no file is opened, unless `check_files` is true: then every file is read and checked,
    and copies of one file become one image. Images missing in `root` are searched in the folders `also`, and an image
    `a.jpg` also as `a.jpg.png`. With `keep_unreadable`, for audits, files are checked too, and an unusable one becomes
    an `Unreadable` image instead of an error.
    """

    def __init__(
        self, root: Path, *, also: Sequence[Path] = (), check_files: bool = False, keep_unreadable: bool = False
    ) -> None:
        self.root = root.resolve()
        self._blobs = blobs_beside(self.root)
        self.keep_unreadable = keep_unreadable
        self._check_files = check_files or keep_unreadable
        self._roots = (self.root, *(each.resolve() for each in also))
        self._folders: dict[str, list[_Folder]] = {}
        self._images: dict[str, Image | str] = {}
        self._alike: dict[bytes, Image] = {}
        self._paths: dict[str, Path] = {}
        self._pictures: dict[str, tuple[Image, ...]] = {}
        self._several: dict[str, tuple[Image, ...]] = {}

    def find(self, reference: object) -> Image:
        """Return the image for a path, data URI, bytes or record."""
        try:
            return self._find_image(reference)
        except ImageError as error:
            return self._keep(reference, error)

    def find_all(self, reference: object) -> tuple[Image, ...]:
        """Return the images of a reference: one, or several for a scan, a volume or a video.

        Settings after `#` choose among them: `scan.nii.gz#plane=axial,slices=5`.
        """
        if isinstance(reference, str) and not self._check_files and (listed := self._listed_picture(reference)):
            return listed
        try:
            return self._open_several(reference) or (self.find(reference),)
        except ImageError as error:
            return (self._keep(reference, error),)

    def _keep(self, reference: object, error: ImageError) -> Image:
        if not self.keep_unreadable:
            raise error
        return Image(Unreadable(_name_image(reference), str(error)))

    def _listed_picture(self, reference: str) -> tuple[Image, ...]:
        """Find an image file in its folder's list, without opening it; empty if not found."""
        found = self._pictures.get(reference, ())
        if not found and reference.endswith(_PICTURES) and len(reference) < _LONGEST_PATH:
            image = None if reference.startswith(_NO_PATHS) else self._find_listed(reference)
            if image is not None:
                found = self._pictures[reference] = (image,)
        return found

    def _open_several(self, reference: object) -> tuple[Image, ...]:
        """Return the images of a folder or a file with several images; else none."""
        path = _path_in(reference) if isinstance(reference, Mapping) else reference
        if not isinstance(path, str) or not path.strip() or path.startswith(_NO_PATHS) or _is_base64(path):
            return ()
        if path not in self._several:
            name, sign, settings = path, "", ""
            if "#" in path and not self._is_there(path):
                name, sign, settings = path.partition("#")
            if not (sign or stands_for_several(name) or self._is_there(name, Path.is_dir)):
                return ()
            found = self.find_file(name, folders=True)
            self._check_links(found)
            self._several[path] = images_in(found, settings, name=name)
        return self._several[path]

    def _check_links(self, folder: Path) -> None:
        """Raise ImageError if a folder has a link that leads outside."""
        allowed = self._roots if self._blobs is None else (*self._roots, self._blobs)
        try:
            links = [each for each in folder.iterdir() if each.is_symlink()] if folder.is_dir() else []
            outside = any(not any(each.resolve().is_relative_to(root) for root in allowed) for each in links)
        except (OSError, RuntimeError) as error:  # links in a circle
            raise ImageError(f"{_describe_reference(folder.name)} cannot be read: {type(error).__name__}") from error
        if outside:
            raise ImageError("a file of its series is a link to a file outside the folder of the questions file")

    def _is_there(self, reference: str, check: Callable[[Path], bool] = Path.exists) -> bool:
        with suppress(OSError, ValueError):
            return any(check(root / reference) for root in self._roots)
        return False

    def _find_image(self, reference: object) -> Image:
        if isinstance(reference, bytes):
            return _checked_bytes(reference, "given as bytes")
        if isinstance(reference, Mapping):
            return self._of_record(reference)
        if not isinstance(reference, str) or not reference.strip():
            raise ImageError(f"an image is given as {reference!r}, expected a path or a data URI")
        if reference.startswith("data:"):
            head, comma, payload = reference.partition(",")
            if not comma or not head.endswith(";base64"):
                raise ImageError(f"an image is given as {reference[:40]!r}…, expected a data URI in base64")
            return _of_base64(payload, f"{reference[:40]!r}…", "given as a data URI")
        if _is_base64(reference):
            return _of_base64(reference, f"{reference[:40]!r}…")
        if reference.startswith(("http://", "https://")):
            raise ImageError(f"image {reference!r} is a web address; download it and give its path")
        if reference not in self._paths:
            self._paths[reference] = self.find_file(reference)
        return self._of_file(self._paths[reference])

    def _of_record(self, record: Mapping[str, object]) -> Image:
        data, name = record.get("bytes"), str(record.get("path") or "given as bytes")
        if isinstance(data, bytes):
            return _checked_bytes(data, name)
        if isinstance(data, str):
            return _of_base64(data, name)
        if not isinstance(path := _path_in(record), str):
            raise ImageError(f"an image has the fields {sorted(record)}, expected 'bytes' or 'path'")
        return self._find_image(path)

    def _find_listed(self, reference: str) -> Image | None:
        """Find a plain file in its folder's list; None for links and missing files."""
        above, _, name = reference.rpartition("/")
        folders = self._folders.get(above)
        if folders is None:
            folders = self._folders[above] = [each for root in self._roots if (each := _listing(root, above))]
        for folder in folders:
            if name in folder.files:
                return Image.of_file(folder.prefix + name)
        return None

    def _resolve_path(self, root: Path, reference: str) -> Path | None:
        """Return the path of a reference; None outside the root and the hub snapshot."""
        path = (root / reference).resolve()
        if self._blobs is not None and path.is_relative_to(self._blobs):
            return root / reference  # keeps its name
        return path if path.is_relative_to(root) else None

    def find_file(self, reference: str, *, folders: bool = False) -> Path:
        """Return the path of a file or, with `folders`, of a folder inside the root."""
        try:
            # degraded copies are PNG files named after the originals in the table
            names = [reference, name_as_png(reference)] if _is_picture(reference) else [reference]
            found = [self._resolve_path(root, name) for name in dict.fromkeys(names) for root in self._roots]
            there = (
                path
                for path in found
                if path is not None and (path.is_file() or (folders and path.is_dir() and path not in self._roots))
            )
            if (path := next(there, None)) is None:
                why = (
                    "lies outside the folder of the questions file" if None in found else "is not there, or not a file"
                )
                raise ImageError(f"{_describe_reference(reference)} {why}")
        except (OSError, ValueError, RuntimeError) as error:  # too long, a null byte, links in a circle
            why = getattr(error, "strerror", None) or type(error).__name__
            raise ImageError(f"{_describe_reference(reference)} is not a usable path: {why}") from error
        return path

    def _of_file(self, path: Path) -> Image:
        found = self._images.get(at := str(path))
        if found is None:
            found = self._images[at] = self._image_or_problem(path) if self._check_files else Image(path)
        if isinstance(found, str):
            raise ImageError(found)
        return found

    def _image_or_problem(self, path: Path) -> Image | str:
        """Return the image of a file, or a problem; for copies, the first one's image."""
        image = Image(path)
        root = next(root for root in self._roots if path.is_relative_to(root))
        try:
            data = image.read()
            check(data, name=path.relative_to(root).as_posix())
        except ImageError as error:
            return str(error)
        return self._alike.setdefault(hashlib.sha256(data).digest(), image)


class _Folder(NamedTuple):
    """Names of a folder's plain files; links and sub-folders are checked one by one."""

    prefix: str
    files: frozenset[str]


def _listing(root: Path, above: str) -> _Folder | None:
    """List a folder inside a root; None if it is outside or cannot be listed."""
    with suppress(OSError, ValueError, RuntimeError):
        folder = (root / above).resolve()
        if folder.is_relative_to(root):
            with os.scandir(folder) as entries:
                files = frozenset(each.name for each in entries if each.is_file(follow_symlinks=False))
                return _Folder(str(folder).rstrip(os.sep) + os.sep, files)
    return None


def are_copies(images: Sequence[Image], others: Sequence[Image]) -> bool:
    """Return True if two sets of images are the same files or copies."""
    return len(images) == len(others) and all(map(_is_copy, images, others))


def _is_copy(image: Image, other: Image) -> bool:
    if image == other:
        return True
    if not isinstance(image.source, Path) or not isinstance(other.source, Path):
        return False
    try:
        return image.source.stat().st_size == other.source.stat().st_size and image.read() == other.read()
    except (OSError, ImageError):
        return False


def _describe_reference(reference: str) -> str:
    """Name a file in an error; hide scans, videos and folders, which may name patients.

    >>> _describe_reference("a.png"), _describe_reference("Doe_Jane.dcm")
    ("image 'a.png'", 'the file or folder that its row names')
    """
    return f"image {_short(reference)}" if _is_picture(reference) else "the file or folder that its row names"


def _path_in(record: Mapping[str, object]) -> object:
    return next((record[key] for key in _PATH_KEYS if record.get(key)), None)


def _is_picture(reference: str) -> bool:
    return PurePath(reference).suffix.lower() in PICTURES


def _name_image(reference: object) -> str:
    """Return the name of an unreadable image: its path, or else a hash."""
    if isinstance(reference, Mapping):
        path = _path_in(reference)
        return _name_image(path) if path else _name_image(repr(sorted(reference.items(), key=str)).encode())
    if isinstance(reference, bytes):
        return f"bytes {hashlib.sha256(reference).hexdigest()[:16]}"
    text = str(reference)
    if len(text) > _LONGEST_NAME:
        return _name_image(text.encode(errors="surrogateescape"))
    told = _is_picture(text) or text.startswith(_NO_PATHS)
    return text if told else f"file {hashlib.sha256(text.encode(errors='surrogateescape')).hexdigest()[:16]}"


def _short(reference: str) -> str:
    return (
        repr(reference) if len(reference) <= _LONGEST_NAME else f"{reference[:40]!r}… ({len(reference):,} characters)"
    )


def _checked_bytes(data: bytes, name: str) -> Image:
    check(data, name=name)
    return Image(data)


def _of_base64(text: str, name: str, given: str = "given in base64") -> Image:
    try:
        data = b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ImageError(f"the base64 of image {name} is damaged: {error}") from error
    return _checked_bytes(data, given)


def _is_base64(text: str) -> bool:
    return text.startswith(_IN_BASE64) and len(text) > 60


def holds_image(value: object) -> bool:
    """Return True if a value contains an image: bytes, data URI, base64 or record."""
    if isinstance(value, str):
        return value.startswith("data:image/") or _is_base64(value)
    if isinstance(value, Mapping):
        return isinstance(value.get("bytes"), bytes | str)
    return isinstance(value, bytes) or (isinstance(value, list) and any(map(holds_image, value)))


def names_image_file(value: object) -> bool:
    """Return True if a value names an image, scan or video, also within a list."""
    if isinstance(value, Mapping):
        return any(names_image_file(value.get(key)) for key in _PATH_KEYS)
    if isinstance(value, list):
        return any(map(names_image_file, value))
    return isinstance(value, str) and _IMAGE_FILE.fullmatch(value.strip()) is not None
