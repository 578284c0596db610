"""The lock of a folder: only one process at a time may write to it."""

from __future__ import annotations

import os
import time
from pathlib import Path

from snellen.errors import StoreBusyError, StoreError
from snellen.files import create_folder, open_handle
from snellen.store.files import FILE

try:
    import fcntl
except ImportError:  # Windows: stored responses can be read there, but the lock cannot keep out a second writer
    fcntl = None  # type: ignore[assignment]

TRIES, BETWEEN_TRIES = 5, 0.01
"""Attempts to get the lock, and seconds between them. A process that only checks the lock holds it for microseconds."""


def take_lock(folder: Path) -> int:
    """Take the right to write to a folder, or raise StoreBusyError. It is released when the process ends."""
    if fcntl is None:
        raise StoreError(
            f"Responses cannot be written to {folder}: Snellen writes on Linux and macOS only. On Windows, run it "
            "under WSL; only reading and reporting of stored responses work here."
        )
    try:
        create_folder(folder)
        handle = open_handle(lock := folder / f"{FILE}.lock", os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise StoreError(f"{folder} cannot be written to: {error.strerror}. Choose another --out.") from error
    for left in reversed(range(TRIES)):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except OSError:
            if left:
                time.sleep(BETWEEN_TRIES)
    else:
        holder = os.read(handle, 32).decode(errors="replace").strip()
        os.close(handle)
        raise StoreBusyError(
            f"Another process (pid {holder or 'unknown'}) is writing to {folder}. "
            "Wait for it to end, or choose another --out."
        )
    if (found := os.read(handle, 32).strip()) and not found.isdigit():
        os.close(handle)
        raise StoreError(f"{lock} is not a lock file of Snellen, so it is not overwritten. Choose another --out.")
    os.ftruncate(handle, 0)
    os.pwrite(handle, str(os.getpid()).encode(), 0)
    return handle


def being_written(folder: Path) -> bool:
    """Return whether another process is writing to the folder.

    To find out, the lock is taken for microseconds; a writer that starts at that moment tries again.
    """
    lock = folder / f"{FILE}.lock"
    if fcntl is None or not lock.is_file():  # no process has written here yet, or this is a copy without the lock
        return False
    try:
        handle = os.open(lock, os.O_RDONLY)
    except OSError:  # the file belongs to another user; changes during reading are still noticed
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False
