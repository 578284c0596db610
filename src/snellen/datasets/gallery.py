"""Gallery: the images of one folder, each found inside it and checked once however many questions show it."""

from __future__ import annotations

import binascii
import hashlib
from base64 import b64decode
from collections.abc import Mapping
from pathlib import Path

from snellen.errors import ImageError
from snellen.images import Image, check

_PATH_KEYS = ("path", "image_path", "image")


class Gallery:
    """Finds and checks images; a file that lies outside the folder is refused, whatever the way that leads there."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._images: dict[Path, Image | str] = {}
        self._alike: dict[bytes, Image] = {}
        self._paths: dict[str, Path] = {}

    def find(self, reference: object) -> Image:
        """The image that a path, a data URI, bytes or a record with `bytes` or `path` stands for."""
        if isinstance(reference, bytes):
            return _checked_bytes(reference, "given as bytes")
        if isinstance(reference, Mapping):
            return self._of_record(reference)
        if not isinstance(reference, str) or not reference.strip():
            raise ImageError(f"an image is given as {reference!r}, expected a path or a data URI")
        if reference.startswith("data:"):
            return _of_data_uri(reference)
        if reference.startswith(("http://", "https://")):
            raise ImageError(f"image {reference!r} is a web address; download it and give its path")
        if reference not in self._paths:
            self._paths[reference] = self._inside(reference)
        return self._of_file(self._paths[reference])

    def _of_record(self, record: Mapping[str, object]) -> Image:
        data = record.get("bytes")
        if isinstance(data, bytes):
            return _checked_bytes(data, str(record.get("path") or "given as bytes"))
        path = next((record[key] for key in _PATH_KEYS if record.get(key)), None)
        if not isinstance(path, str):
            raise ImageError(f"an image has the fields {sorted(record)}, expected 'bytes' or 'path'")
        return self.find(path)

    def _inside(self, reference: str) -> Path:
        try:
            path = (self.root / reference).resolve()
            if not path.is_relative_to(self.root):
                raise ImageError(f"image {reference!r} lies outside the folder of the questions file")
            if not path.is_file():
                raise ImageError(f"image {reference!r} is not there, or not a file")
        except (OSError, ValueError, RuntimeError) as error:  # too long, a null byte, links in a circle
            raise ImageError(f"image {reference!r} is not a usable path: {error}") from error
        return path

    def _of_file(self, path: Path) -> Image:
        if path not in self._images:
            self._images[path] = self._image_or_problem(path, path.relative_to(self.root).as_posix())
        found = self._images[path]
        if isinstance(found, str):
            raise ImageError(found)
        return found

    def _image_or_problem(self, path: Path, name: str) -> Image | str:
        """The image of a file; of two copies of one file the first, or one would seem to be another patient's."""
        image = Image(path)
        try:
            data = image.read()
            check(data, name=name)
        except ImageError as error:
            return str(error)
        return self._alike.setdefault(hashlib.sha256(data).digest(), image)


def _checked_bytes(data: bytes, name: str) -> Image:
    check(data, name=name)
    return Image(data)


def _of_data_uri(uri: str) -> Image:
    head, comma, payload = uri.partition(",")
    if not comma or not head.endswith(";base64"):
        raise ImageError(f"an image is given as {uri[:40]!r}…, expected a data URI in base64")
    try:
        data = b64decode("".join(payload.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ImageError(f"the base64 of image {uri[:40]!r}… is damaged: {error}") from error
    return _checked_bytes(data, "given as a data URI")
