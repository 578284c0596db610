"""Files that stand for one picture or for several: scans, volumes, slides and videos, each opened behind its own door.

A reader gives drawings whose fields decide every pixel; the file itself is decoded when a picture is drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from snellen.errors import ImageError, StudyError
from snellen.images.image import Image
from snellen.plugins import Members, read_settings, referred

SERIES = "snellen.images.formats.dicom:series_of"
"""What reads a folder: the slices of one DICOM series."""

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
    """Whether a file of this name is opened here rather than sent as the picture that it is.

    >>> stands_for_several("scan.nii.gz"), stands_for_several("scan.png")
    (True, False)
    """
    return _reader(name) is not None


def images_in(path: Path, settings: str = "", *, name: str) -> tuple[Image, ...]:
    """The pictures of a file or of a folder with one series, as settings such as `plane=axial,slices=5` choose them.

    By the end of `name` it is known what the file is. No error tells it: scans and videos are named after patients.
    """
    reference = SERIES if path.is_dir() else _reader(name)
    if reference is None:
        raise ImageError(f"its image is a single picture and has no settings, got {settings!r}")
    reader: Callable[..., tuple[Image, ...]] = referred(reference)
    try:
        bare, named = read_settings(partial(reader, path), settings, failure="its image cannot be opened")
    except StudyError as error:
        raise ImageError(str(error)) from error
    return reader(path, *bare, **named)


def _reader(name: str) -> str | None:
    small = name.lower()
    return next((reader for ending, reader in READERS.items() if small.endswith(ending)), None)
