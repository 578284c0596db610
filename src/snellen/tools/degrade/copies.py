"""Copies: the degraded copies of some images, each written whole, with what the manifest says of it.

What is drawn depends on the seed, the artefact and the image's name alone, as for an item of that id under `degraded`.
So any process on any machine makes the same copy.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import starmap
from pathlib import Path
from shutil import rmtree
from typing import Any, NamedTuple
from uuid import uuid4

import orjson

from snellen.benchmarks.files_beside import name_as_png
from snellen.conditions import ImageDegraded, condition_named, generator
from snellen.conditions.degraded import kind_of, record
from snellen.errors import ImageError, MissingExtraError, SnellenError, StoreError, StudyError, UnusableImageError
from snellen.files import create_folder, open_private
from snellen.images import Image, Pixels, encode, images_in
from snellen.images.formats.stacks import said
from snellen.images.image import develop
from snellen.perturb.artefacts import Degradation
from snellen.tools.degrade.sources import SCANS, LeftOut, Source

CPU = "cpu"
UNFINISHED = ".unfinished"
"""Where copies lie until they are whole."""


@dataclass(frozen=True)
class Task:
    """What is to be done: which folder, into which, and with which artefacts."""

    folder: Path
    out: Path
    artefacts: tuple[ImageDegraded, ...]
    modality: str = ""
    seed: int = 0
    device: str = CPU
    """Accepted, and without effect: copies are made on processors."""

    @property
    def kind(self) -> str:
        """Whose settings the artefacts have: those of MRI, OCT or X-ray."""
        return kind_of(self.modality)

    def step(self, condition: ImageDegraded, image: str) -> Degradation:
        """What is done to an image: drawn by its name."""
        rng = generator(self.seed, condition.stream, image)
        return Degradation(tuple(condition.parts(rng, self.kind)), condition.scale)


def artefact_named(line: str) -> ImageDegraded:
    """The artefact that a line such as `noise/motion,strong` names, as the condition `degraded:…` reads it."""
    condition = condition_named(f"degraded:{line.removeprefix('degraded:')}")
    if not isinstance(condition, ImageDegraded):
        raise StudyError(f"{line!r} is more than artefacts of an image. Name them as noise,weak or noise/motion,0.3.")
    return condition


def folder_of(condition: ImageDegraded) -> str:
    """The folder of the copies under one artefact.

    >>> folder_of(ImageDegraded("noise/motion", "weak")), folder_of(ImageDegraded("crop", 0.25, "stretched"))
    ('noise+motion-weak', 'crop-0.25-stretched')
    """
    stretched = "-stretched" if condition.scale == "stretched" else ""
    return f"{condition.artefact.replace('/', '+')}-{condition.strength}{stretched}"


class Copied(NamedTuple):
    """What became of some sources: lines of the manifest, how many copies they tell of, and what was left out."""

    sources: int
    lines: bytes
    copies: int
    left_out: tuple[LeftOut, ...]


def copied(task: Task, sources: Sequence[Source]) -> Copied:
    """Write the copies of some sources; what cannot be read is left out, and what cannot be written stops it all."""
    check_shared(task)
    lines: dict[str, list[bytes]] = {source.image: [] for source in sources}
    failed: dict[str, str] = {}
    for each in _shown(task, sources, failed):
        for condition in task.artefacts:
            with _reason_kept(each.source, failed):
                lines[each.source].append(_line(_written(task, condition, each)))
    for image in failed:
        del lines[image]
        _remove(task, image)
    left_out = tuple(starmap(LeftOut, failed.items()))
    kept = [line for of_source in lines.values() for line in of_source]
    return Copied(len(sources), b"".join([*kept, *map(left_out_line, left_out)]), len(kept), left_out)


def on_worker(order: tuple[Task, Sequence[Source]]) -> Copied:
    """The same on a worker of a cluster, which has one core for it."""
    one_thread()
    return copied(*order)


def one_thread() -> None:
    """Let this process use one core."""
    import cv2

    cv2.setNumThreads(1)


@contextmanager
def _reason_kept(image: str, failed: dict[str, str]) -> Iterator[None]:
    """Whatever a file from elsewhere makes of a codec or an artefact costs this file alone; a full disk costs all."""
    try:
        yield
    except (ImageError, MissingExtraError, MemoryError) as error:
        failed[image] = why(error)
    except SnellenError:
        raise
    except Exception as error:
        failed[image] = f"cannot be degraded: {type(error).__name__}: {said(error)}"


def check_shared(task: Task) -> None:
    """StudyError where a worker does not see the folders of the task."""
    if not task.folder.is_dir() or not (task.out / UNFINISHED).is_dir():
        raise StudyError(
            f"{task.folder} or {task.out} is not there for every worker: both must lie on a file system that all "
            "machines of the cluster share, at the same path."
        )


def left_out_line(each: LeftOut) -> bytes:
    """The line of the manifest about a file without copies."""
    return _line({"image": each.image, "left_out": each.reason})


def why(error: Exception) -> str:
    """Why a file was left out, in words that do not name it."""
    if isinstance(error, UnusableImageError):
        return error.why
    if isinstance(error, MemoryError):
        return "needs more memory than there is"
    if isinstance(error.__cause__, OSError):
        return f"cannot be read: {said(error.__cause__)}"
    return said(error)


def _line(row: dict[str, Any]) -> bytes:
    return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)


class _Shown(NamedTuple):
    """A picture as a person sees it: by what its source and itself are known, how it was made, what its file is."""

    source: str
    image: str
    pixels: Pixels
    rule: str
    of: dict[str, Any]


def _shown(task: Task, sources: Sequence[Source], failed: dict[str, str]) -> Iterator[_Shown]:
    """The pictures of all sources, up to the first of a source that cannot be read."""
    for source in sources:
        with _reason_kept(source.image, failed):
            yield from _scan(task, source) if source.several else _picture(task, source)


def _picture(task: Task, source: Source) -> Iterator[_Shown]:
    data = Image(task.folder / source.path).read()
    seen = develop(data, name=source.path)
    of = {"source_sha256": hashlib.sha256(data).hexdigest(), "source_bytes": len(data)}
    yield _Shown(source.image, source.image, seen.pixels, "; ".join(seen.rules), of)


def _scan(task: Task, source: Source) -> Iterator[_Shown]:
    path = task.folder / source.path
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    pictures = images_in(path, name=source.path)
    of = {"source_sha256": sha256, "source_bytes": path.stat().st_size, "pictures": len(pictures)}
    for number, picture in enumerate(pictures, 1):
        seen = picture.seen()
        name = f"{source.image}/{number:0{len(str(len(pictures)))}}.png"
        yield _Shown(source.image, name, seen.pixels, "; ".join(seen.rules), of)


def _written(task: Task, condition: ImageDegraded, shown: _Shown) -> dict[str, Any]:
    """Write one copy; its row."""
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
    """A copy, there whole or not at all, and inside the folder for it."""
    at = out / copy
    beside = out / UNFINISHED / uuid4().hex
    try:
        _make(at.parent, out)
        with open_private(beside, "xb") as file:
            file.write(data)
        beside.replace(at)
    except OSError as error:
        with suppress(OSError):
            beside.unlink()
        raise StoreError(
            f"No copy can be written to {out}: {error.strerror}. Once that is mended, the same command goes on."
        ) from error


def _make(folder: Path, out: Path) -> None:
    """Make a folder; StoreError where a link leads elsewhere from there."""
    create_folder(folder)
    if not folder.resolve().is_relative_to(out.resolve()):
        raise StoreError(f"{out} holds a link that leads out of it. Choose another --out.")


def _remove(task: Task, image: str) -> None:
    """Take back the copies of a source that is damaged, or became so: the manifest tells of none."""
    for condition in task.artefacts:
        at = task.out / folder_of(condition) / (image if image.startswith(f"{SCANS}/") else name_as_png(image))
        with suppress(OSError):
            if not at.parent.resolve().is_relative_to(task.out.resolve()):
                continue
            rmtree(at) if at.is_dir() else at.unlink()
