"""Write files completely and privately; read plain files only.

New files and folders are for their owner alone (0600, 0700). A replaced file or an existing folder keeps its mode. A
folder with the set-group-ID bit is shared on purpose: new files in it have the rights that its group has there. Writing
never follows links.
"""

from __future__ import annotations

import errno
import glob
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from shutil import rmtree
from typing import BinaryIO, NamedTuple, cast
from uuid import uuid4

from snellen.errors import StoreError
from snellen.schemas import check_replaceable

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
STATE = 16
"""Number of hexadecimal digits that identify the inputs of an unfinished folder. No other folder's name ends like
this."""
_HAS_LOCKS = fcntl is not None
_NO_LINK, _NO_WAITING = getattr(os, "O_NOFOLLOW", 0), getattr(os, "O_NONBLOCK", 0)


def user_folder() -> Path:
    """Return the folder of the user's own settings: the guard's key and permissions."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "snellen"


def create_folder(path: Path, *, like: Path | None = None) -> None:
    """Create a folder and its parents for their owner only; keep existing ones.

    A new folder has the mode of the folder `like`, if that exists.
    """
    missing = list(takewhile(lambda each: not each.is_dir(), (path, *path.parents)))
    for each in reversed(missing):
        each.mkdir(PRIVATE_FOLDER, exist_ok=True)
        if each == path and like is not None and like.is_dir():
            _set_mode(each, stat.S_IMODE(like.stat().st_mode))
        elif rights := _group_rights(each.parent):
            _set_mode(each, PRIVATE_FOLDER | stat.S_ISGID | rights)


def create_file(path: Path) -> None:
    """Create an empty file if none exists; OSError for a link or a device.

    SQLite gives its log the mode of its file. An existing file is not opened: closing it would drop SQLite's locks.
    """
    with suppress(FileExistsError):
        open_private(path, "xb").close()
        return
    if not stat.S_ISREG(path.lstat().st_mode):
        raise _not_plain(path)


def open_private(path: Path, mode: str) -> BinaryIO:
    """Open a file for writing, private if new; OSError for a link or device."""
    return cast("BinaryIO", open(path, mode, opener=open_handle))


def open_handle(path: str | Path, flags: int) -> int:
    """Open a file as `open_private` does, with the flags of `os.open`; return its descriptor."""
    path = Path(path)
    is_new = not os.path.lexists(path)
    if not (is_new or stat.S_ISREG(path.lstat().st_mode)):
        raise _not_plain(path)
    handle = _open_checked(path, flags | _NO_LINK)
    if is_new:
        _set_mode(path, _find_new_mode(path))
    return handle


def open_plain(path: Path) -> BinaryIO:
    """Open a file named in data for reading; follow links. OSError unless it is a plain file."""
    return cast("BinaryIO", open(path, "rb", opener=_open_checked))


def _open_checked(path: str | Path, flags: int) -> int:
    handle = os.open(path, flags | _NO_WAITING, PRIVATE_FILE)
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    raise OSError(errno.EINVAL, "it is not a plain file", str(path))


def _not_plain(path: Path) -> OSError:
    return OSError(errno.EINVAL, f"{path.name} is a link or not a plain file", str(path))


def _group_rights(folder: Path) -> int:
    """Return the rights of a folder's group; 0 if it is not shared."""
    mode = folder.stat().st_mode
    return mode & 0o070 if mode & stat.S_ISGID else 0


def _find_new_mode(path: Path) -> int:
    return PRIVATE_FILE | _group_rights(path.parent) & 0o060


def _find_mode(path: Path) -> int:
    """Return the mode of a replaced or new file; OSError for devices and pipes."""
    there = path.lstat().st_mode if os.path.lexists(path) else stat.S_IFLNK
    if stat.S_ISREG(there):
        return there & 0o777
    if not (stat.S_ISLNK(there) or stat.S_ISDIR(there)):
        raise _not_plain(path)
    return _find_new_mode(path)


def _set_mode(path: Path, mode: int) -> None:
    """Set the mode of a path; ignore disks such as FAT that refuse it."""
    if stat.S_IMODE(path.stat().st_mode) != mode:
        with suppress(OSError):
            path.chmod(mode)


def find_inside(folder: Path, name: str) -> Path:
    """Return the path of a name within a folder; StoreError if it leads outside."""
    try:
        is_inside = (folder / name).resolve().is_relative_to(folder.resolve())
        with suppress(FileNotFoundError, NotADirectoryError):
            (folder / name).lstat()
    except (OSError, ValueError, RuntimeError):  # too long, a null byte, or links in a circle
        is_inside = False
    if not is_inside:
        raise StoreError(f"{name!r:.200} leads out of {folder}. Expected a file in that folder: copy it there.")
    return folder / name


def write_whole(path: Path, data: bytes) -> None:
    """Write a file completely or not at all; the old file stays until then."""
    with written_whole(path) as file:
        file.write(data)


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces `path` once it is complete."""
    beside = path.with_name(f".{uuid4().hex}.part")
    try:
        with open_private(beside, "xb") as file:
            yield file
        _set_mode(beside, _find_mode(path))
        beside.replace(path)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        with suppress(OSError):
            beside.unlink()


@contextmanager
def folder_written_whole(folder: Path, state: str = "") -> Iterator[Path]:
    """Open a temporary folder that replaces `folder` once it is complete.

    `state` identifies the inputs: an unfinished folder with the same state is continued. Leftovers of killed writers
    are removed at the end. Without a state, a failed attempt is removed.
    """
    if folder.resolve() == Path.cwd():
        raise StoreError("The working folder cannot be replaced by a new one. Name another folder, such as one in it.")
    beside = folder.with_name(f".{folder.name}-{state or uuid4().hex[:STATE]}.part")
    try:
        if beside.is_symlink():
            raise _not_plain(beside)
        create_folder(beside, like=folder)
        yield beside
        for half in beside.rglob(".*.part"):
            half.unlink()
        if folder.is_dir():
            folder.rmdir()
        beside.replace(folder)
        for other in folder.parent.glob(f".{glob.escape(folder.name)}-{'[0-9a-f]' * STATE}.part"):
            rmtree(other)
    except OSError as error:
        raise StoreError(f"{folder} cannot be written: {error.strerror}.") from error
    finally:
        if not state:
            rmtree(beside, ignore_errors=True)


UNFINISHED = "Snellen was stopped while it wrote these files: some are new and some are old. Run the command again."
_COVER = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="1"><title>Unfinished</title></head>
<body><p>{UNFINISHED}</p></body></html>
"""


class StagedFiles(NamedTuple):
    """Temporary folder with the new files of a set, and old files to remove."""

    folder: Path
    stale: set[str]


@contextmanager
def replace_set(home: Path, *, record: str, schema: int, page: str = "") -> Iterator[StagedFiles]:
    """Replace files that belong together, so that old and new never mix.

    All new files are written to a temporary folder first. While they are moved, the page and the record say
    "unfinished". So a killed process leaves a clear note.
    """
    check_replaceable(home / record, schema)
    covers = {page: _COVER.encode()} if page else {}
    covers[record] = f'{{"schema": {schema}, "unfinished": "{UNFINISHED}"}}\n'.encode()
    staged = StagedFiles(home / f".{uuid4().hex}.part", set())
    try:
        with ExitStack() as held:
            create_folder(home)
            with _hold_folder(home):
                remove_leftovers(home)
                create_folder(staged.folder)
                held.enter_context(_hold_folder(staged.folder))
            yield staged
            with _hold_folder(home):
                _swap(staged, home, covers)
    except OSError as error:
        raise StoreError(f"{home} cannot be written: {error.strerror}.") from error
    finally:
        rmtree(staged.folder, ignore_errors=True)


def _swap(staged: StagedFiles, home: Path, covers: dict[str, bytes]) -> None:
    """Move a set's files to their places, the page and the record last."""
    names = sorted(each.relative_to(staged.folder).as_posix() for each in staged.folder.rglob("*") if each.is_file())
    for name, cover in covers.items():
        write_whole(staged.folder / f".{name}", cover)
    first, *rest = covers
    _move(staged.folder / f".{first}", home, first)
    for name in staged.stale:  # before the old record is replaced: it may be what names them
        _place_in(home, name).unlink(missing_ok=True)
    for name in rest:
        _move(staged.folder / f".{name}", home, name)
    for name in (*(name for name in names if name not in covers), *reversed(covers)):
        _move(staged.folder / name, home, name)


def _move(file: Path, home: Path, name: str) -> None:
    """Move a file to its place, with the mode of the file it replaces."""
    place = _place_in(home, name)
    create_folder(place.parent)
    _set_mode(file, _find_mode(place))
    file.replace(place)


def _place_in(home: Path, name: str) -> Path:
    """Return the path of a file in a folder; StoreError if a link leads outside."""
    above, _, own = name.rpartition("/")
    return find_inside(home, above) / own


def remove_leftovers(home: Path) -> None:
    """Remove temporary folders of writers that were killed."""
    for each in home.glob(f".{'[0-9a-f]' * 32}.part"):
        if each.is_dir() and not each.is_symlink():
            with _hold_folder(each, wait=False) as held:
                if held:
                    rmtree(each, ignore_errors=True)


@contextmanager
def _hold_folder(folder: Path, *, wait: bool = True) -> Iterator[bool]:
    """Lock a folder against our other writers; yield False if locked or unsupported."""
    if not _HAS_LOCKS:
        yield False
        return
    handle = os.open(folder, os.O_RDONLY)
    held = False
    try:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            held = True
        yield held
    finally:
        os.close(handle)
