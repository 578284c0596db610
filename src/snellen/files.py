"""Files that are there whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from snellen.errors import StoreError


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all; an older one stays until then."""
    with written_whole(path) as file:
        file.write(data)


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """A file to write to that takes its place only once it is whole; each writer has one of its own."""
    beside = path.with_name(f".{uuid4().hex}.part")
    try:
        with beside.open("xb") as file:
            yield file
        beside.replace(path)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        with suppress(OSError):
            beside.unlink()
