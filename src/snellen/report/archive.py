"""Archive: files inside the page as one zip, unpacked in the browser when somebody opens or downloads one."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from pybase64 import b64encode

PACKED = frozenset({"png", "jpg", "jpeg", "webp"})
"""Endings of files that hold compressed pixels, which another compression makes no smaller."""
DAY = (1980, 1, 1, 0, 0, 0)
"""The date of every file: equal files make an equal archive."""


def archived(files: Mapping[str, bytes]) -> str:
    """The files by their names as one zip, in base64."""
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        for name, data in files.items():
            info = ZipInfo(name, DAY)
            info.compress_type = ZIP_STORED if name.rpartition(".")[2] in PACKED else ZIP_DEFLATED
            archive.writestr(info, data)
    return b64encode(packed.getvalue()).decode()
