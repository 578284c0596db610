"""Classes: a folder of images whose sub-folders are classes, one of them normal, as most public image sets are.

Each image becomes a question in the words of the artefacts paper: is there disease, or which.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from snellen.datasets.class_answers import Sorting, sorting
from snellen.datasets.class_folders import Picture, Sorted, look_through
from snellen.datasets.detection import TASKS
from snellen.datasets.gallery import Gallery
from snellen.errors import DataError, StudyError
from snellen.images import Image
from snellen.items import Benchmark, Collector
from snellen.plugins import settings_from

T = TypeVar("T")

ALL = "all"


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What is to be made of the folder.

    `modality`: MRI (of brains), OCT, X-ray (of chests) and fundus are asked about in the paper's words, any other in
    its own; it may be left out where the classes tell. `task`: detection or diagnosis. `per_class`: how many images of
    each answer, or "all". `normal`: the sub-folder that is normal, where its name does not say so. `abnormal`: what
    disease is called where nobody asks which.
    """

    modality: str = ""
    task: str = "detection"
    per_class: int | str = 100
    seed: int = 0
    normal: str = ""
    abnormal: str = ""

    def __post_init__(self) -> None:
        for name in ("modality", "normal", "abnormal"):  # a folder may be called 0
            object.__setattr__(self, name, str(getattr(self, name)).strip())
        if self.task not in TASKS:
            raise StudyError(f"Classes have no task {self.task!r}. Expected one of {', '.join(TASKS)}.")
        if self.per_class != ALL and not (isinstance(self.per_class, int) and self.per_class > 0):
            raise StudyError(f"Expected per_class to be 1 or more, or all; got {self.per_class!r}.")
        if not isinstance(self.seed, int) or self.seed < 0:
            raise StudyError(f"Expected a seed of 0 or more, got {self.seed!r}.")


@settings_from(Wanted)
def load(path: str | Path, *, allow_broken: bool = False, **settings: Any) -> Benchmark:
    """Images sorted into sub-folders by class: modality=MRI,task=detection,per_class=100,seed=0,normal=,abnormal=

    The settings are those of `Wanted`. As many images are drawn of each answer (normal and diseased, or every class)
    as the rarest has, at most `per_class`; the diseases of a detection take turns. A larger draw begins with a smaller
    one, and answers alternate, so that the first few questions are balanced too. A sub-folder of a class is a patient.
    Files that are hidden or no images are counted in `about`; images that are damaged, that are links out of the
    folder, or that lie under two answers are broken rows.
    """
    wanted, root = Wanted(**settings), _root(path)
    found = look_through(root)
    answers = sorting(
        list(found.classes),
        task=wanted.task,
        modality=wanted.modality,
        normal=wanted.normal,
        abnormal=wanted.abnormal,
    )
    collector = Collector(root.name)
    for name, reason in found.refused:
        collector.refuse(_printable(name), _printable(name), reason)
    drawn = _drawn(wanted, found, answers)
    _collect(drawn, collector, answers, Gallery(root))
    return collector.benchmark(allow_broken=allow_broken, about=_about(wanted, answers, found, drawn))


def _root(path: str | Path) -> Path:
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # links in a circle, a null byte
        raise DataError(f"{str(path)!r} is not a usable path: {error}.") from error


def _drawn(wanted: Wanted, found: Sorted, answers: Sorting) -> list[Picture]:
    """The images that are asked about; each class is shuffled by itself, whatever other classes there are."""
    sides: dict[int, list[list[Picture]]] = {}
    for label, answer in answers.answers.items():
        pictures = found.classes[label]
        rng = np.random.default_rng([wanted.seed, zlib.crc32(label.encode(errors="surrogateescape"))])
        sides.setdefault(answer, []).append([pictures[at] for at in rng.permutation(len(pictures))])
    merged = [_in_turn(side) for side in sides.values()]
    if wanted.per_class != ALL:
        most = min(int(wanted.per_class), *map(len, merged))
        merged = [side[:most] for side in merged]
    return _in_turn(merged)


def _in_turn(rows: Iterable[Sequence[T]]) -> list[T]:
    return [each for together in zip_longest(*rows) for each in together if each is not None]


def _collect(drawn: Iterable[Picture], collector: Collector, answers: Sorting, gallery: Gallery) -> None:
    first: dict[Image, Picture] = {}
    for picture in drawn:
        where = _printable(picture.path)
        try:
            if where != picture.path:
                raise DataError("its name holds bytes that are no text; rename it")
            image = gallery.find(picture.path)
            copied = first.setdefault(image, picture)
            if answers.answers[copied.label] != answers.answers[picture.label]:
                raise DataError(f"it is the same picture as {copied.path}, which has another answer")
            # copies of one image are one patient's
            cluster = copied.path if picture.patient == picture.path else picture.patient
            collector.add(where, answers.item(picture, image, cluster=cluster))
        except DataError as error:
            collector.refuse(where, where, str(error))


def _printable(path: str) -> str:
    """The path of a file as text that can be stored and shown, whatever bytes its name holds."""
    return path.encode(errors="replace").decode()


def _about(wanted: Wanted, answers: Sorting, found: Sorted, drawn: Iterable[Picture]) -> dict[str, Any]:
    taken = Counter(picture.label for picture in drawn)
    counts = (f"{taken[label]} of {len(pictures)} {_printable(label)}" for label, pictures in found.classes.items())
    return {
        "task": wanted.task,
        "modality": answers.view.name,
        "seed": wanted.seed,
        "per_class": wanted.per_class,
        "images": ", ".join(counts),
        **{f"ignored, {what}": count for what, count in sorted(found.ignored.items())},
    }
