"""The lock: one process at a time may write to a folder."""

from __future__ import annotations

import os
import time
from pathlib import Path

from snellen.errors import StoreBusyError, StoreError
from snellen.files import create_folder, open_handle
from snellen.store.files import FILE

try:
    import fcntl
except ImportError:  # Windows: what is stored can be read there, but no second writer could be kept out
    fcntl = None  # type: ignore[assignment]

TRIES, BETWEEN_TRIES = 5, 0.01
"""How often the right to write is tried for, and the seconds between: who looks whether somebody has it holds it for
microseconds."""


def take_lock(folder: Path) -> int:
    """The right to write, held until the process ends however it ends."""
    if fcntl is None:
        raise StoreError(
            f"No answers can be written to {folder}: Snellen writes on Linux and macOS only. On Windows, run it under "
            "WSL; what is stored already can be read and reported here."
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
        raise StoreError(f"{lock} holds other text than a lock does, and is not overwritten. Choose another --out.")
    os.ftruncate(handle, 0)
    os.pwrite(handle, str(os.getpid()).encode(), 0)
    return handle


def being_written(folder: Path) -> bool:
    """Whether a process holds the right to write.

    Where none does, it is taken and given back within microseconds; a writer that starts just then tries again.
    """
    lock = folder / f"{FILE}.lock"
    if fcntl is None or not lock.is_file():  # nobody has written here yet, or this is a copy without the lock
        return False
    try:
        handle = os.open(lock, os.O_RDONLY)
    except OSError:  # another user's: what changes while it is read is noticed all the same
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False
