"""Opening: files with one or several images, such as scans, volumes, slides and videos.

A reader returns drawings whose fields decide every pixel; the file is decoded when an image is drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from snellen.errors import ImageError, StudyError
from snellen.images.image import Image
from snellen.plugins import Members, load_reference, read_settings

SERIES = "snellen.images.formats.dicom:series_of"
"""Reader of a folder, which must contain the slices of one DICOM series."""

READERS: Members = {
    **dict.fromkeys((".dcm", ".dicom", ".ima"), "snellen.images.formats.dicom:images_of"),
    **dict.fromkeys((".nii", ".nii.gz"), "snellen.images.formats.nifti:images_of"),
    **dict.fromkeys(
        (".svs", ".ndpi", ".mrxs", ".scn", ".vms", ".vmu", ".bif", ".svslide"),
        "snellen.images.formats.slides:images_of",
    ),
    **dict.fromkeys(
        (".mp4", ".m4v", ".mkv", ".webm", ".avi", ".mov", ".mpg"), "snellen.images.formats.video:images_of"
    ),
}


def stands_for_several(name: str) -> bool:
    """Return True if a file with this name may contain several images.

    >>> stands_for_several("scan.nii.gz"), stands_for_several("scan.png")
    (True, False)
    """
    return _reader(name) is not None


def images_in(path: Path, settings: str = "", *, name: str) -> tuple[Image, ...]:
    """Return the images of a file or series folder, chosen by settings such as `plane=axial,slices=5`.

    The ending of `name` decides the format. Errors do not name the file, since scans and videos are named after
    patients.
    """
    reference = SERIES if path.is_dir() else _reader(name)
    if reference is None:
        raise ImageError(f"its file holds a single image and has no settings, got {settings!r}")
    reader: Callable[..., tuple[Image, ...]] = load_reference(reference)
    try:
        bare, named = read_settings(partial(reader, path), settings, failure="its image cannot be opened")
    except StudyError as error:
        raise ImageError(str(error)) from error
    return reader(path, *bare, **named)


def _reader(name: str) -> str | None:
    small = name.lower()
    return next((reader for ending, reader in READERS.items() if small.endswith(ending)), None)
