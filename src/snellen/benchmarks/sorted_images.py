"""Sorted images: images in classes, one of them normal, and the question that is asked about each.

The question is in the words of the artefacts paper: is there disease, or which. To sort the images, only names are
looked at; no file is opened. Links to folders are not followed, and files that links lead to must lie inside.
"""

from __future__ import annotations

import os
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import numpy as np

from snellen.benchmarks.detection import NORMAL, TASKS, VIEWS, DetectionQuestion, View, asked, bare, view_named
from snellen.benchmarks.gallery import Gallery
from snellen.errors import DataError, StudyError
from snellen.images import Image
from snellen.items import Benchmark, Collector, Item, Option

ENDINGS = frozenset((".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".jp2", ".ppm", ".pgm"))

_NO_PATIENTS = frozenset(("image", "images", "img", "imgs"))
"""Sub-folders of a class that hold all its images, not those of one patient."""
_MASKS = frozenset(("mask", "masks"))
_NUMBERED = re.compile(r"([^\W\d_]+)-(\d+)-\d+")
"""The names of the public OCT set: class, patient, image of the patient."""


class Picture(NamedTuple):
    """An image file by its path from the folder, the class it is of, whose it is, and what else is known of it."""

    path: str
    label: str
    patient: str
    told: Mapping[str, Any] = MappingProxyType({})


def picture_in(path: str) -> Picture:
    """The image at a path that begins with its class.

    Whose it is: by the class's sub-folder, by its name where that tells, else its path: nobody else's.

    >>> picture_in("glioma/ann/1.png").patient, picture_in("CNV/CNV-17-2.jpeg").patient, picture_in("cnv/2.png").patient
    ('glioma/ann', 'CNV/17', 'cnv/2.png')
    """
    label, *folders, name = path.split("/")
    if folders and folders[0].casefold() in _NO_PATIENTS:
        folders = folders[1:]
    if folders:
        return Picture(path, label, f"{label}/{folders[0]}")
    told = _NUMBERED.fullmatch(name.rpartition(".")[0])
    alike = told is not None and told[1].casefold() == label.casefold()
    return Picture(path, label, f"{label}/{told[2]}" if told and alike else path)


@dataclass(frozen=True)
class Sorted:
    """The images of each class in the order of their paths, what was passed over, and what leads out of the folder.

    `refused` has paths with the reason why nothing is read there.
    """

    classes: dict[str, list[Picture]] = field(default_factory=dict)
    ignored: Counter[str] = field(default_factory=Counter)
    refused: list[tuple[str, str]] = field(default_factory=list)


def look_through(root: Path) -> Sorted:
    """Everything in the folder, class by class; DataError if it cannot be read or a sub-folder holds no image."""
    found = Sorted()
    for entry in _entries(root, found):
        if entry.is_symlink() and (reason := _astray(entry, root)):
            found.refused.append((entry.name, reason))
        elif entry.is_dir():
            found.classes[entry.name] = list(_pictures(entry.name, root, found))
        else:
            found.ignored["outside a class"] += 1
    for label, pictures in found.classes.items():
        if not pictures and not any(path.startswith(f"{label}/") for path, _ in found.refused):
            raise DataError(
                f"The sub-folder {label!r} holds no image; expected files that end in {', '.join(sorted(ENDINGS))}. "
                "Remove it, or convert what it holds."
            )
    return found


_LINKED = "it is a link to a folder, which is not followed; put the folder itself there"


def _pictures(folder: str, root: Path, found: Sorted) -> Iterator[Picture]:
    """The images below a folder in the order of names."""
    for entry in _entries(root / folder, found):
        path = f"{folder}/{entry.name}"
        if entry.is_symlink() and (reason := _astray(entry, root)):
            found.refused.append((path, reason))
        elif entry.is_dir():
            if entry.name.casefold() in _MASKS:
                found.ignored["folders of masks"] += 1
            else:
                yield from _pictures(path, root, found)
        elif entry.name[entry.name.rfind(".") :].casefold() in ENDINGS:
            yield picture_in(path)
        else:
            found.ignored["no images"] += 1


def _entries(folder: Path, found: Sorted) -> list[os.DirEntry[str]]:
    """What lies in a folder in the order of names, so that no file system has its own."""
    try:
        with os.scandir(folder) as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
    except (OSError, ValueError) as error:
        raise DataError(f"{str(folder)!r} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    seen = [entry for entry in entries if not entry.name.startswith(".") and entry.name != "__MACOSX"]
    if len(seen) < len(entries):
        found.ignored["hidden"] += len(entries) - len(seen)
    return seen


def _astray(entry: os.DirEntry[str], root: Path) -> str:
    """Why a link is not followed, or nothing where it leads to a file inside."""
    try:
        if entry.is_dir():
            return _LINKED
        inside = entry.is_file() and Path(entry.path).resolve().is_relative_to(root)
    except (OSError, RuntimeError):  # links in a circle
        inside = False
    return "" if inside else "it is a link that leads to no file inside the folder"


_MEANS_NORMAL = frozenset(
    (
        *("normal", "normals", "normalcases", "healthy", "healthycases", "control", "controls", "unremarkable"),
        *("no", "none", "negative", "nofinding", "nofindings", "noabnormality", "nodisease", "nodr"),
        *("notumor", "notumors", "notumour", "notumours"),
    )
)
_NAMES_NO_DISEASE = frozenset(
    ("yes", "positive", "abnormal", "disease", "diseased", "diseases", "sick", "pathological")
)
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True)
class Sorting:
    """How classes become answers: the view, the question with its options, and the place of each class's option."""

    view: View
    task: str
    asked: DetectionQuestion
    answers: Mapping[str, int]

    def item(self, picture: Picture, image: Image, *, cluster: str) -> Item:
        """The question about an image; of a class that is none of the answers it has no right option."""
        told = {"body_part": self.view.body_part} if self.view.body_part else {}
        metadata = {"task": self.task, "normal": NORMAL, "modality": self.view.name, **told, "class": picture.label}
        metadata |= picture.told
        return Item(
            # not the path, which names the class: an id travels with a request
            id=sha256(picture.path.encode()).hexdigest()[:16],
            question=self.asked.question,
            options=tuple(map(Option, self.asked.options)),
            answer=self.answers.get(picture.label),
            images=(image,),
            category=self.view.name,
            cluster=cluster,
            metadata=MappingProxyType({**metadata, "file": picture.path}),
        )


def sorting(labels: Sequence[str], *, task: str, modality: str = "", normal: str = "", abnormal: str = "") -> Sorting:
    """The answers of these classes; DataError or StudyError where a name does not tell and nobody says it.

    >>> made = sorting(["healthy", "pituitary_tumor", "glioma"], task="diagnosis")
    >>> made.view.name, made.asked.options, dict(made.answers)
    ('MRI', ('glioma', 'pituitary', 'normal'), {'glioma': 0, 'pituitary_tumor': 1, 'healthy': 2})
    """
    if means_normal(abnormal):
        raise StudyError(f"Disease cannot be called {abnormal!r}: that means normal.")
    normals = _normals(labels, normal)
    diseased = [label for label in labels if label not in normals]
    if not diseased:
        raise DataError(f"All classes are normal ({', '.join(normals)}); expected one for at least one disease.")
    view = view_named(modality) if modality else _view_of(diseased)
    named = {label: view.diseases.get(bare(label), _readable(label)) for label in diseased}
    if not abnormal:
        abnormal = _abnormal(view, list(named.values()), task)
    if len(named) == 1 and bare(diseased[0]) in _NAMES_NO_DISEASE:
        named = {diseased[0]: abnormal}
    named = _in_order(named, view)
    question = asked(task, view=view, diseases=tuple(named.values()), abnormal=abnormal)
    places = dict.fromkeys(named, 0) if task == "detection" else {label: at for at, label in enumerate(named)}
    return Sorting(view, task, question, {**places, **dict.fromkeys(normals, len(question.options) - 1)})


def means_normal(name: str) -> bool:
    """Whether a class of that name shows no disease.

    >>> means_normal("No_Tumor"), means_normal("nodule")
    (True, False)
    """
    return bare(name) in _MEANS_NORMAL


def _normals(labels: Sequence[str], given: str) -> list[str]:
    """The classes that mean normal: the one that is given, or all whose names say so."""
    exact = [label for label in labels if label == given]
    alike = [label for label in labels if (bare(label) == bare(given) if given else means_normal(label))]
    if not (exact or alike):
        meant = f"is called {given!r}" if given else "has a name that means normal"
        raise DataError(
            f"None of the sub-folders {meant}: {', '.join(labels) or 'there are none'}. "
            "Give the folder whose sub-folders are the classes, and say which is normal: normal=NAME."
        )
    return exact or alike


def _view_of(diseased: Iterable[str]) -> View:
    """The one view whose diseases these are."""
    fitting = [view for view in VIEWS if all(bare(label) in view.diseases for label in diseased)]
    if len(fitting) != 1:
        raise StudyError(
            f"The classes ({', '.join(diseased)}) do not tell what kind of image they show. Say it: "
            f"modality={', modality='.join(view.name for view in VIEWS)}, or any other."
        )
    return fitting[0]


def _abnormal(view: View, diseases: Sequence[str], task: str) -> str:
    """What disease is called: by the name of the only one, where it is a name, else as the paper does."""
    if len(diseases) == 1 and bare(diseases[0]) not in _NAMES_NO_DISEASE:
        return diseases[0]
    if not view.abnormal and (task == "detection" or len(diseases) == 1):
        raise StudyError(f"What is disease in {view.picture} called ({', '.join(diseases)})? Say it: abnormal=WORDS.")
    return view.abnormal or "diseases"


def _in_order(named: Mapping[str, str], view: View) -> dict[str, str]:
    """The classes in the paper's order, then those it does not know."""
    order = list(view.diseases.values())
    ranks = {label: order.index(word) if word in order else len(order) for label, word in named.items()}
    if len({word.casefold() for word in (*named.values(), NORMAL)}) <= len(named):
        words = ", ".join(named.values())
        raise DataError(f"Two classes would be asked about in the same words: {words}. Put them in one folder.")
    return {label: named[label] for label in sorted(named, key=lambda label: (ranks[label], label))}


def _readable(label: str) -> str:
    return " ".join(_HUMP.sub(" ", label.replace("_", " ")).split())


T = TypeVar("T")

ALL = "all"


@dataclass(frozen=True, kw_only=True)
class FolderSettings:
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


def asked_about(
    found: Sorted, wanted: FolderSettings, gallery: Gallery, *, name: str, allow_broken: bool, **told: Any
) -> Benchmark:
    """A question about each image that is drawn of those found.

    As many are drawn of each answer (normal and diseased, or every class) as the rarest has, at most `per_class`; the
    diseases of a detection take turns. A larger draw begins with a smaller one, and answers alternate, so that the
    first few questions are balanced too. What is `told` of the benchmark stands in its `about`.
    """
    answers = sorting(
        list(found.classes),
        task=wanted.task,
        modality=wanted.modality,
        normal=wanted.normal,
        abnormal=wanted.abnormal,
    )
    collector = Collector(name)
    for path, reason in found.refused:
        collector.refuse(_printable(path), _printable(path), reason)
    drawn = drawn_of(wanted, found, answers)
    collect(drawn, collector, answers, gallery)
    return collector.benchmark(allow_broken=allow_broken, about={**told, **_about(wanted, answers, found, drawn)})


def folder_called(folder: Path, *names: str) -> Path:
    """The folder of a split: one of these names in it or one level deeper, or itself where its classes lie in it."""
    wanted = {name.casefold() for name in names}
    for place in ("*", "*/*"):
        if found := sorted(each for each in folder.glob(place) if each.name.casefold() in wanted and each.is_dir()):
            return found[0]
    if any(means_normal(each.name) for each in folder.glob("*") if each.is_dir()):
        return folder
    there = ", ".join(sorted(each.name for each in folder.glob("*"))[:12]) or "nothing"
    raise DataError(f"{folder}: expected a folder {' or '.join(map(repr, names))} with classes in it, found {there}.")


def whole_path(path: str | Path) -> Path:
    """The folder with its links resolved; DataError where no such path can be."""
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # links in a circle, a null byte
        raise DataError(f"{str(path)!r} is not a usable path: {error}.") from error


def drawn_of(wanted: FolderSettings, found: Sorted, answers: Sorting) -> list[Picture]:
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


def collect(drawn: Iterable[Picture], collector: Collector, answers: Sorting, gallery: Gallery) -> None:
    """Make a question of each image; what cannot be read, or lies under two answers, is refused by its path.

    The gallery reads and checks each file, and so finds copies.
    """
    first: dict[Image, Picture] = {}
    for picture in drawn:
        where = _printable(picture.path)
        try:
            if where != picture.path:
                raise DataError("its name holds bytes that are no text; rename it")
            image = gallery.find(picture.path)
            copied = first.setdefault(image, picture)
            if answers.answers.get(copied.label) != answers.answers.get(picture.label):
                raise DataError(f"it is the same picture as {copied.path}, which has another answer")
            # copies of one image are one patient's
            cluster = copied.path if picture.patient == picture.path else picture.patient
            collector.add(where, answers.item(picture, image, cluster=cluster))
        except DataError as error:
            collector.refuse(where, where, str(error))


def _printable(path: str) -> str:
    """The path of a file as text that can be stored and shown, whatever bytes its name holds."""
    return path.encode(errors="replace").decode()


def _about(wanted: FolderSettings, answers: Sorting, found: Sorted, drawn: Iterable[Picture]) -> dict[str, Any]:
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
