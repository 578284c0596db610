"""Degraded copies of images, and their lines in the manifest.

Random parameters depend only on seed, artefact and image name, as in the condition `degraded`. So every process on
every machine makes the same copy.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import starmap
from pathlib import Path, PurePath
from shutil import rmtree
from typing import Any, NamedTuple
from uuid import uuid4

import orjson

from snellen.benchmarks.files_beside import PICTURES, name_as_png
from snellen.benchmarks.hub import blobs_beside
from snellen.conditions import ImageDegraded, condition_named, generator
from snellen.conditions.degraded import kind_of, record
from snellen.errors import ImageError, MissingExtraError, SnellenError, StoreError, StudyError, UnusableImageError
from snellen.files import create_folder, open_private
from snellen.images import Image, Pixels, encode, images_in, stands_for_several
from snellen.images.formats.stacks import format_error
from snellen.images.image import develop
from snellen.perturb.artefacts import Degradation

CPU = "cpu"
UNFINISHED = ".unfinished"
"""Folder for unfinished copies."""


@dataclass(frozen=True)
class Task:
    """The job: source folder, output folder, artefacts, and settings."""

    folder: Path
    out: Path
    artefacts: tuple[ImageDegraded, ...]
    modality: str = ""
    seed: int = 0
    device: str = CPU
    """Accepted but without effect: copies are always made on the CPU."""

    @property
    def kind(self) -> str:
        """The group of modalities whose artefact settings apply: MRI, OCT or X-ray."""
        return kind_of(self.modality)

    def step(self, condition: ImageDegraded, image: str) -> Degradation:
        """Draw the degradation of an image, from the seed and the image's name."""
        rng = generator(self.seed, condition.stream, image)
        return Degradation(tuple(condition.parts(rng, self.kind)), condition.scale)


def artefact_named(line: str) -> ImageDegraded:
    """Parse an artefact such as `noise/motion,strong`, written as in the condition `degraded:…`."""
    condition = condition_named(f"degraded:{line.removeprefix('degraded:')}")
    if not isinstance(condition, ImageDegraded):
        raise StudyError(f"Expected artefacts such as noise,weak or noise/motion,0.3, got {line!r}.")
    return condition


def folder_of(condition: ImageDegraded) -> str:
    """Return the folder name for copies with one artefact.

    >>> folder_of(ImageDegraded("noise/motion", "weak")), folder_of(ImageDegraded("crop", 0.25, "stretched"))
    ('noise+motion-weak', 'crop-0.25-stretched')
    """
    stretched = "-stretched" if condition.scale == "stretched" else ""
    return f"{condition.artefact.replace('/', '+')}-{condition.strength}{stretched}"


class Copied(NamedTuple):
    """The result of a batch: manifest lines, number of copies, and files left out."""

    sources: int
    lines: bytes
    copies: int
    left_out: tuple[LeftOut, ...]


def copy_sources(task: Task, sources: Sequence[SourceFile]) -> Copied:
    """Write the copies of some sources; unreadable files are left out, write errors are raised.

    Raise StudyError if this process cannot see the task's folders.
    """
    if not task.folder.is_dir() or not (task.out / UNFINISHED).is_dir():
        raise StudyError(
            f"A worker cannot find {task.folder} or {task.out}. Put both on a file system that all machines of the "
            "cluster share, at the same path."
        )
    lines: dict[str, list[bytes]] = {source.image: [] for source in sources}
    failed: dict[str, str] = {}
    for source in sources:
        with _reason_kept(source.image, failed):  # the first unreadable image of a source ends it
            for shown in _scan(task, source) if source.several else _picture(task, source):
                for condition in task.artefacts:
                    with _reason_kept(source.image, failed):
                        lines[source.image].append(_line(_write_copy(task, condition, shown)))
    for image in failed:
        del lines[image]
        _remove(task, image)
    left_out = tuple(starmap(LeftOut, failed.items()))
    kept = [line for of_source in lines.values() for line in of_source]
    return Copied(len(sources), b"".join([*kept, *map(left_out_line, left_out)]), len(kept), left_out)


def on_worker(order: tuple[Task, Sequence[SourceFile]]) -> Copied:
    """Write the copies of some sources on a cluster worker, with one CPU core."""
    one_thread()
    return copy_sources(*order)


def one_thread() -> None:
    """Limit OpenCV in this process to one thread."""
    import cv2

    cv2.setNumThreads(1)


@contextmanager
def _reason_kept(image: str, failed: dict[str, str]) -> Iterator[None]:
    """Note a file that cannot be processed, with the reason; raise errors of the output."""
    try:
        yield
    except (ImageError, MissingExtraError, MemoryError) as error:
        failed[image] = describe_error(error)
    except SnellenError:
        raise
    except Exception as error:
        failed[image] = f"cannot be degraded: {type(error).__name__}: {format_error(error)}"


def left_out_line(each: LeftOut) -> bytes:
    """Return the manifest line of a file without copies."""
    return _line({"image": each.image, "left_out": each.reason})


def describe_error(error: Exception) -> str:
    """Explain why a file was left out, without naming it."""
    if isinstance(error, UnusableImageError):
        return error.why
    if isinstance(error, MemoryError):
        return "needs more memory than is available"
    if isinstance(error.__cause__, OSError):
        return f"cannot be read: {format_error(error.__cause__)}"
    return format_error(error)


def _line(row: dict[str, Any]) -> bytes:
    return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)


class _ShownImage(NamedTuple):
    """An image as displayed: name, pixels, display rule, and facts about the source file."""

    image: str
    pixels: Pixels
    rule: str
    of: dict[str, Any]


def _picture(task: Task, source: SourceFile) -> Iterator[_ShownImage]:
    data = Image(task.folder / source.path).read()
    seen = develop(data, name=source.path)
    of = {"source_sha256": hashlib.sha256(data).hexdigest(), "source_bytes": len(data)}
    yield _ShownImage(source.image, seen.pixels, "; ".join(seen.rules), of)


def _scan(task: Task, source: SourceFile) -> Iterator[_ShownImage]:
    path = task.folder / source.path
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    pictures = images_in(path, name=source.path)
    of = {"source_sha256": sha256, "source_bytes": path.stat().st_size, "pictures": len(pictures)}
    for number, picture in enumerate(pictures, 1):
        seen = picture.seen()
        name = f"{source.image}/{number:0{len(str(len(pictures)))}}.png"
        yield _ShownImage(name, seen.pixels, "; ".join(seen.rules), of)


def _write_copy(task: Task, condition: ImageDegraded, shown: _ShownImage) -> dict[str, Any]:
    """Write one copy; return its manifest row."""
    step = task.step(condition, shown.image)
    after = step(shown.pixels)
    made = encode(after)
    copy = f"{folder_of(condition)}/{name_as_png(shown.image)}"
    _write(task.out, copy, made.data)
    height, width = shown.pixels.shape[:2]
    return {
        "image": shown.image,
        "artefact": condition.label,
        "copy": copy,
        "seed": task.seed,
        "drawn": [record(part) for part in step.parts],
        **step.measure(shown.pixels, after),
        "width": made.width,
        "height": made.height,
        "sha256": made.sha256,
        "bytes": len(made.data),
        "rule": shown.rule,
        "source_width": width,
        "source_height": height,
        **shown.of,
    }


def _write(out: Path, copy: str, data: bytes) -> None:
    """Write a copy completely or not at all, and only inside the output folder."""
    at = out / copy
    beside = out / UNFINISHED / uuid4().hex
    try:
        create_folder(at.parent)
        if not at.parent.resolve().is_relative_to(out.resolve()):
            raise StoreError(f"{out} holds a link that leads out of it. Choose another --out.")
        with open_private(beside, "xb") as file:
            file.write(data)
        beside.replace(at)
    except OSError as error:
        with suppress(OSError):
            beside.unlink()
        raise StoreError(
            f"No copy can be written to {out}: {error.strerror}. Fix this and run the same command to continue."
        ) from error


def _remove(task: Task, image: str) -> None:
    for condition in task.artefacts:
        at = task.out / folder_of(condition) / (image if image.startswith(f"{SCANS}/") else name_as_png(image))
        with suppress(OSError):
            if not at.parent.resolve().is_relative_to(task.out.resolve()):
                continue
            rmtree(at) if at.is_dir() else at.unlink()


SCANS = "scans"
"""Folder for copies of scans, volumes, slides and videos, whose names may identify patients."""


class SourceFile(NamedTuple):
    """An image file: its path, and its name in the manifest and copies.

    The name of a single image is its path; that of a file with several images is a hash of its path.
    """

    path: str
    image: str

    @property
    def several(self) -> bool:
        """Whether the file may hold several images: a scan, volume, slide or video."""
        return self.path != self.image


class LeftOut(NamedTuple):
    """A file without copies: its name in the manifest, and the reason."""

    image: str
    reason: str


def sources_in(folder: Path) -> Iterator[SourceFile | LeftOut]:
    """Yield every file below a folder, in order, without hidden ones.

    A link is followed only to a file inside the folder, or inside its Hugging Face snapshot.
    """
    root = folder.resolve()
    allowed = [root, *filter(None, [blobs_beside(root)])]
    unlisted: list[OSError] = []
    for at, below, names in os.walk(root, onerror=unlisted.append):
        here = Path(at)
        linked = sorted(name for name in below if (here / name).is_symlink())
        below[:] = sorted(name for name in below if not name.startswith(".") and name not in linked)
        for name in linked:
            yield LeftOut(_hash_name(_make_relative(root, here / name)), "is a link to a folder, which is not followed")
        for name in sorted(name for name in names if not name.startswith(".")):
            yield _classify_file(root, here / name, allowed)
        while unlisted:
            error = unlisted.pop()
            called = _hash_name(_make_relative(root, Path(error.filename or at)))
            yield LeftOut(called, f"is a folder that cannot be listed: {error.strerror}")


def _classify_file(root: Path, file: Path, allowed: list[Path]) -> SourceFile | LeftOut:
    path = _make_relative(root, file)
    picture = PurePath(path).suffix.lower() in PICTURES
    try:
        path.encode()
    except UnicodeEncodeError:
        return LeftOut(_hash_name(path), "has a name that is not UTF-8")
    called = path if picture else _hash_name(path)
    if not picture and not stands_for_several(path):
        return LeftOut(called, "has no image file extension")
    if file.is_symlink() and (why := _explain_stray_link(file, allowed)):
        return LeftOut(called, why)
    if not file.is_file():
        return LeftOut(called, "is not a readable file")
    return SourceFile(path, path if picture else f"{SCANS}/{called.removeprefix('file ')}")


def _explain_stray_link(link: Path, allowed: list[Path]) -> str:
    """Return why a link is not followed; empty if it is."""
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):  # nothing there, or links in a circle
        return "is a link to a file that does not exist"
    return "" if any(target.is_relative_to(each) for each in allowed) else "is a link that leads out of the folder"


def _make_relative(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix()


def _hash_name(path: str) -> str:
    """Name a file by a hash of its path, which may identify a patient."""
    return f"file {hashlib.sha256(path.encode(errors='surrogateescape')).hexdigest()[:32]}"
