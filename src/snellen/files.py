"""Files that are there whole or not at all."""

from __future__ import annotations

from pathlib import Path

from snellen.errors import StoreError


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all; an older one stays until then."""
    beside = path.with_name(f".{path.name}.part")
    try:
        beside.write_bytes(data)
        beside.replace(path)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}.") from error
