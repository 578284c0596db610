"""Gallery: the images of one folder, each found inside it once however many questions show it."""

from __future__ import annotations

import binascii
import hashlib
import os
import re
from base64 import b64decode
from collections.abc import Mapping, Sequence
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
"""How PNG, JPEG, GIF and WebP begin in base64."""
_NO_PATHS = ("data:", "http://", "https://")
_PICTURES = (".png", ".jpg", ".jpeg", ".PNG", ".JPG", ".JPEG")
_LONGEST_NAME = 200
_LONGEST_PATH = 4096
_ENDINGS = "|".join(re.escape(each) for each in sorted({*PICTURES, *READERS}))
_IMAGE_FILE = re.compile(rf"[^\n]{{1,1000}}(?:{_ENDINGS})(?:#[^\n]{{0,200}})?", re.IGNORECASE)


class Gallery:
    """Finds images; a file that lies outside the folder is refused, whatever the way that leads there.

    Folders are listed once and no file is opened, unless `check_files` wants every file read and checked here; then
    copies of one file are one image. What is not found under `root` is looked for in the folders of `also`, and an
    image `a.jpg` also as `a.jpg.png`. With
    `keep_unreadable`, for audits, files are checked too, and what is missing or cannot be read is an image that says
    so instead of an error.
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
        """The image that a path, a data URI, bytes or a record with `bytes` or `path` stands for."""
        try:
            return self._found(reference)
        except ImageError as error:
            if not self.keep_unreadable:
                raise
            return Image(Unreadable(_named(reference), str(error)))

    def all(self, reference: object) -> tuple[Image, ...]:
        """The images that a reference stands for: one for a picture, several for a scan, a volume or a video.

        What follows a `#` chooses among them: `scan.nii.gz#plane=axial,slices=5`.
        """
        if isinstance(reference, str) and not self._check_files and (listed := self._listed_picture(reference)):
            return listed
        try:
            opened = self._opened(reference)
        except ImageError as error:
            if not self.keep_unreadable:
                raise
            return (Image(Unreadable(_named(reference), str(error))),)
        return (self.find(reference),) if opened is None else opened

    def _listed_picture(self, reference: str) -> tuple[Image, ...]:
        """A picture that the list of its folder names, as nearly all are; nothing for whatever else wants a look."""
        found = self._pictures.get(reference, ())
        if not found and reference.endswith(_PICTURES) and len(reference) < _LONGEST_PATH:
            image = None if reference.startswith(_NO_PATHS) else self._listed(reference)
            if image is not None:
                found = self._pictures[reference] = (image,)
        return found

    def _opened(self, reference: object) -> tuple[Image, ...] | None:
        """The pictures of a file that may hold several, or of a folder; None for everything else."""
        path = reference
        if isinstance(reference, Mapping):
            path = next((reference[key] for key in _PATH_KEYS if reference.get(key)), None)
        if not isinstance(path, str) or not path.strip() or path.startswith(_NO_PATHS) or _is_base64(path):
            return None
        if path not in self._several:
            name, sign, settings = path, "", ""
            if "#" in path and not self._is_there(path):
                name, sign, settings = path.partition("#")
            if not sign and not stands_for_several(name) and not self._is_folder(name):
                return None
            found = self._inside(name, folders=True)
            self._check_links(found)
            self._several[path] = images_in(found, settings, name=name)
        return self._several[path]

    def _check_links(self, folder: Path) -> None:
        """Refuse a folder with a link that leads outside: all its files are read."""
        allowed = self._roots if self._blobs is None else (*self._roots, self._blobs)
        try:
            links = [each for each in folder.iterdir() if each.is_symlink()] if folder.is_dir() else []
            outside = any(not any(each.resolve().is_relative_to(root) for root in allowed) for each in links)
        except (OSError, RuntimeError) as error:  # links in a circle
            raise ImageError(f"{_called(folder.name)} cannot be read: {type(error).__name__}") from error
        if outside:
            raise ImageError("a file of its series is a link that lies outside the folder of the questions file")

    def _is_there(self, reference: str) -> bool:
        return any(_exists(root / reference) for root in self._roots)

    def _is_folder(self, reference: str) -> bool:
        try:
            return any((root / reference).is_dir() for root in self._roots)
        except (OSError, ValueError):
            return False

    def _found(self, reference: object) -> Image:
        if isinstance(reference, bytes):
            return _checked_bytes(reference, "given as bytes")
        if isinstance(reference, Mapping):
            return self._of_record(reference)
        if not isinstance(reference, str) or not reference.strip():
            raise ImageError(f"an image is given as {reference!r}, expected a path or a data URI")
        if reference.startswith("data:"):
            return _of_data_uri(reference)
        if _is_base64(reference):
            return _of_base64(reference, f"{reference[:40]!r}…")
        if reference.startswith(("http://", "https://")):
            raise ImageError(f"image {reference!r} is a web address; download it and give its path")
        if reference not in self._paths:
            self._paths[reference] = self._inside(reference)
        return self._of_file(self._paths[reference])

    def _of_record(self, record: Mapping[str, object]) -> Image:
        data, name = record.get("bytes"), str(record.get("path") or "given as bytes")
        if isinstance(data, bytes):
            return _checked_bytes(data, name)
        if isinstance(data, str):
            return _of_base64(data, name)
        path = next((record[key] for key in _PATH_KEYS if record.get(key)), None)
        if not isinstance(path, str):
            raise ImageError(f"an image has the fields {sorted(record)}, expected 'bytes' or 'path'")
        return self._found(path)

    def _listed(self, reference: str) -> Image | None:
        """The plain file of that name, by the list of its folder; None for links and whatever else wants a look."""
        above, _, name = reference.rpartition("/")
        folders = self._folders.get(above)
        if folders is None:
            folders = self._folders[above] = [each for root in self._roots if (each := _listing(root, above))]
        for folder in folders:
            if name in folder.files:
                return Image.of_file(folder.prefix + name)
        return None

    def _resolved(self, root: Path, reference: str) -> Path | None:
        """Where a reference leads from a root; None where that is outside, and no file of the same hub snapshot."""
        path = (root / reference).resolve()
        if self._blobs is not None and path.is_relative_to(self._blobs):
            return root / reference  # keeps its name
        return path if path.is_relative_to(root) else None

    def _inside(self, reference: str, *, folders: bool = False) -> Path:
        try:
            # degraded copies are PNG files beside a table that names the originals
            names = [reference, name_as_png(reference)] if _is_picture(reference) else [reference]
            found = [self._resolved(root, name) for name in dict.fromkeys(names) for root in self._roots]
            there = (
                path
                for path in found
                if path is not None and (path.is_file() or (folders and path.is_dir() and path not in self._roots))
            )
            if (path := next(there, None)) is None:
                why = (
                    "lies outside the folder of the questions file" if None in found else "is not there, or not a file"
                )
                raise ImageError(f"{_called(reference)} {why}")
        except (OSError, ValueError, RuntimeError) as error:  # too long, a null byte, links in a circle
            why = getattr(error, "strerror", None) or type(error).__name__
            raise ImageError(f"{_called(reference)} is not a usable path: {why}") from error
        return path

    def _of_file(self, path: Path) -> Image:
        found = self._images.get(at := str(path))
        if found is None:
            found = self._images[at] = self._image_or_problem(path) if self._check_files else Image(path)
        if isinstance(found, str):
            raise ImageError(found)
        return found

    def _image_or_problem(self, path: Path) -> Image | str:
        """The image of a file; of two copies of one file the first."""
        image = Image(path)
        root = next(root for root in self._roots if path.is_relative_to(root))
        try:
            data = image.read()
            check(data, name=path.relative_to(root).as_posix())
        except ImageError as error:
            return str(error)
        return self._alike.setdefault(hashlib.sha256(data).digest(), image)


class _Folder(NamedTuple):
    """What stands before a name in a folder, and its plain files; links and folders must be looked at one by one."""

    prefix: str
    files: frozenset[str]


def _listing(root: Path, above: str) -> _Folder | None:
    """A folder inside a root; None where it lies elsewhere, or cannot be listed."""
    with suppress(OSError, ValueError, RuntimeError):
        folder = (root / above).resolve()
        if folder.is_relative_to(root):
            with os.scandir(folder) as entries:
                files = frozenset(each.name for each in entries if each.is_file(follow_symlinks=False))
                return _Folder(str(folder).rstrip(os.sep) + os.sep, files)
    return None


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def are_copies(images: Sequence[Image], others: Sequence[Image]) -> bool:
    """Whether two sets of images are the same, or copies of the same files; only files of one size are read."""
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


def _called(reference: str) -> str:
    """What an error calls a file: by its name if it is a picture. Scans, videos and folders are named after patients.

    >>> _called("a.png"), _called("Doe_Jane.dcm")
    ("image 'a.png'", 'the file or folder that its row names')
    """
    return f"image {_short(reference)}" if _is_picture(reference) else "the file or folder that its row names"


def _is_picture(reference: str) -> bool:
    return PurePath(reference).suffix.lower() in PICTURES


def _named(reference: object) -> str:
    """What an image that cannot be read is called: by its path, or else by a hash of what stands for it."""
    if isinstance(reference, Mapping):
        path = next((reference[key] for key in _PATH_KEYS if reference.get(key)), None)
        return _named(path) if path else _named(repr(sorted(reference.items(), key=str)).encode())
    if isinstance(reference, bytes):
        return f"bytes {hashlib.sha256(reference).hexdigest()[:16]}"
    text = str(reference)
    if len(text) > _LONGEST_NAME:
        return _named(text.encode(errors="surrogateescape"))
    told = _is_picture(text) or text.startswith(_NO_PATHS)
    return text if told else f"file {hashlib.sha256(text.encode(errors='surrogateescape')).hexdigest()[:16]}"


def _short(reference: str) -> str:
    return (
        repr(reference) if len(reference) <= _LONGEST_NAME else f"{reference[:40]!r}… ({len(reference):,} characters)"
    )


def _checked_bytes(data: bytes, name: str) -> Image:
    check(data, name=name)
    return Image(data)


def _of_data_uri(uri: str) -> Image:
    head, comma, payload = uri.partition(",")
    if not comma or not head.endswith(";base64"):
        raise ImageError(f"an image is given as {uri[:40]!r}…, expected a data URI in base64")
    return _of_base64(payload, f"{uri[:40]!r}…", "given as a data URI")


def _of_base64(text: str, name: str, given: str = "given in base64") -> Image:
    try:
        data = b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ImageError(f"the base64 of image {name} is damaged: {error}") from error
    return _checked_bytes(data, given)


def _is_base64(text: str) -> bool:
    return text.startswith(_IN_BASE64) and len(text) > 60


def holds_image(value: object) -> bool:
    """Whether a value is an image itself: bytes, a data URI, base64, a record with bytes, or a list of such."""
    if isinstance(value, str):
        return value.startswith("data:image/") or _is_base64(value)
    if isinstance(value, Mapping):
        return isinstance(value.get("bytes"), bytes | str)
    return isinstance(value, bytes) or (isinstance(value, list) and any(map(holds_image, value)))


def names_image_file(value: object) -> bool:
    """Whether a value says where an image is: a name that ends as pictures, scans or videos do, a record or a list."""
    if isinstance(value, Mapping):
        return any(names_image_file(value.get(key)) for key in _PATH_KEYS)
    if isinstance(value, list):
        return any(map(names_image_file, value))
    return isinstance(value, str) and _IMAGE_FILE.fullmatch(value.strip()) is not None
