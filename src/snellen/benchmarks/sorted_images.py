"""Questions about images sorted by class, one of which is normal.

The question has the words of the artefacts paper: is there disease, or which? Sorting reads only names, no files. Links
to folders are not followed, and links to files must stay inside the folder.
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

from snellen.benchmarks.detection import (
    NORMAL,
    TASKS,
    VIEWS,
    DetectionQuestion,
    ModalityWording,
    bare,
    build_question,
    view_named,
)
from snellen.benchmarks.gallery import Gallery
from snellen.errors import DataError, StudyError
from snellen.images import Image
from snellen.items import Benchmark, Collector, Item, Option

ENDINGS = frozenset((".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".jp2", ".ppm", ".pgm"))

_NO_PATIENTS = frozenset(("image", "images", "img", "imgs"))
"""Sub-folders of a class that hold all its images, not those of one patient."""
_MASKS = frozenset(("mask", "masks"))
_NUMBERED = re.compile(r"([^\W\d_]+)-(\d+)-\d+")
"""Pattern of names in the public OCT set: class, patient, number of the patient's image."""


class SortedImage(NamedTuple):
    """Image file: its path, class, patient and metadata."""

    path: str
    label: str
    patient: str
    told: Mapping[str, Any] = MappingProxyType({})


def picture_in(path: str) -> SortedImage:
    """Return the image at a path that begins with its class.

    The patient is the class's sub-folder or part of the name; by default, the path.

    >>> picture_in("glioma/ann/1.png").patient, picture_in("CNV/CNV-17-2.jpeg").patient, picture_in("cnv/2.png").patient
    ('glioma/ann', 'CNV/17', 'cnv/2.png')
    """
    label, *folders, name = path.split("/")
    if folders and folders[0].casefold() in _NO_PATIENTS:
        folders = folders[1:]
    if folders:
        return SortedImage(path, label, f"{label}/{folders[0]}")
    told = _NUMBERED.fullmatch(name.rpartition(".")[0])
    alike = told is not None and told[1].casefold() == label.casefold()
    return SortedImage(path, label, f"{label}/{told[2]}" if told and alike else path)


@dataclass(frozen=True)
class Sorted:
    """Images of each class, with numbers of ignored files.

    `refused` has paths that are not read, each with its reason.
    """

    classes: dict[str, list[SortedImage]] = field(default_factory=dict)
    ignored: Counter[str] = field(default_factory=Counter)
    refused: list[tuple[str, str]] = field(default_factory=list)


def look_through(root: Path) -> Sorted:
    """Sort the images of a folder by class; DataError if it is unreadable or empty."""
    found = Sorted()
    for entry in _entries(root, found):
        if entry.is_symlink() and (reason := _explain_unfollowed(entry, root)):
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


def _pictures(folder: str, root: Path, found: Sorted) -> Iterator[SortedImage]:
    for entry in _entries(root / folder, found):
        path = f"{folder}/{entry.name}"
        if entry.is_symlink() and (reason := _explain_unfollowed(entry, root)):
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
    """Return the entries of a folder, sorted by name, without hidden ones."""
    try:
        with os.scandir(folder) as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
    except (OSError, ValueError) as error:
        raise DataError(f"{str(folder)!r} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    seen = [entry for entry in entries if not entry.name.startswith(".") and entry.name != "__MACOSX"]
    if len(seen) < len(entries):
        found.ignored["hidden"] += len(entries) - len(seen)
    return seen


def _explain_unfollowed(entry: os.DirEntry[str], root: Path) -> str:
    """Explain why a link is not followed; "" if it leads to a file inside."""
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
    """Wording of the question, and the option of each class."""

    view: ModalityWording
    task: str
    asked: DetectionQuestion
    answers: Mapping[str, int]

    def item(self, picture: SortedImage, image: Image, *, cluster: str) -> Item:
        """Build the item of an image; a class without an option gives no correct one."""
        told = {"body_part": self.view.body_part} if self.view.body_part else {}
        metadata = {"task": self.task, "normal": NORMAL, "modality": self.view.name, **told, "class": picture.label}
        metadata |= picture.told
        return Item(
            # not the path, which names the class: ids are sent with requests
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
    """Find the question's wording and the option of each class.

    DataError or StudyError if names and settings do not determine them.

    >>> made = sorting(["healthy", "pituitary_tumor", "glioma"], task="diagnosis")
    >>> made.view.name, made.asked.options, dict(made.answers)
    ('MRI', ('glioma', 'pituitary', 'normal'), {'glioma': 0, 'pituitary_tumor': 1, 'healthy': 2})
    """
    if means_normal(abnormal):
        raise StudyError(f"Expected a name for disease, got abnormal={abnormal!r}, which means normal.")
    normals = _normals(labels, normal)
    diseased = [label for label in labels if label not in normals]
    if not diseased:
        raise DataError(f"All classes are normal ({', '.join(normals)}); expected at least one class with a disease.")
    view = view_named(modality) if modality else _view_of(diseased)
    named = {label: view.diseases.get(bare(label), _readable(label)) for label in diseased}
    if not abnormal:
        abnormal = _abnormal(view, list(named.values()), task)
    if len(named) == 1 and bare(diseased[0]) in _NAMES_NO_DISEASE:
        named = {diseased[0]: abnormal}
    named = _in_order(named, view)
    question = build_question(task, view=view, diseases=tuple(named.values()), abnormal=abnormal)
    places = dict.fromkeys(named, 0) if task == "detection" else {label: at for at, label in enumerate(named)}
    return Sorting(view, task, question, {**places, **dict.fromkeys(normals, len(question.options) - 1)})


def means_normal(name: str) -> bool:
    """Return True if the name of a class means no disease.

    >>> means_normal("No_Tumor"), means_normal("nodule")
    (True, False)
    """
    return bare(name) in _MEANS_NORMAL


def _normals(labels: Sequence[str], given: str) -> list[str]:
    """Return the normal classes: the given one, or those with such a name."""
    exact = [label for label in labels if label == given]
    alike = [label for label in labels if (bare(label) == bare(given) if given else means_normal(label))]
    if not (exact or alike):
        meant = f"is called {given!r}" if given else "has a name that means normal"
        raise DataError(
            f"None of the sub-folders {meant}: {', '.join(labels) or 'there are none'}. "
            "Give the folder whose sub-folders are the classes, and say which is normal: normal=NAME."
        )
    return exact or alike


def _view_of(diseased: Iterable[str]) -> ModalityWording:
    """Return the kind of image whose known diseases include all classes."""
    fitting = [view for view in VIEWS if all(bare(label) in view.diseases for label in diseased)]
    if len(fitting) != 1:
        raise StudyError(
            f"The modality of the images is not clear from the classes ({', '.join(diseased)}). Name it: "
            f"modality={', modality='.join(view.name for view in VIEWS)}, or any other."
        )
    return fitting[0]


def _abnormal(view: ModalityWording, diseases: Sequence[str], task: str) -> str:
    """Return the word for disease: the only class, or the paper's word."""
    if len(diseases) == 1 and bare(diseases[0]) not in _NAMES_NO_DISEASE:
        return diseases[0]
    if not view.abnormal and (task == "detection" or len(diseases) == 1):
        raise StudyError(f"{', '.join(diseases)} in {view.picture} need one general name. Give it: abnormal=WORDS.")
    return view.abnormal or "diseases"


def _in_order(named: Mapping[str, str], view: ModalityWording) -> dict[str, str]:
    """Return the classes in the paper's order, followed by unknown ones."""
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
    """Settings for the questions about a folder of sorted images.

    `modality`: MRI (brain), OCT, X-ray (chest) and fundus have the paper's wording, others their own name. It is
    optional if the classes determine it. `task`: detection or diagnosis. `per_class`: number of images for each answer,
    or "all". `normal`: the normal sub-folder, if its name does not mean normal. `abnormal`: the word for disease, if
    the question does not ask which.
    """

    modality: str = ""
    task: str = "detection"
    per_class: int | str = 100
    seed: int = 0
    normal: str = ""
    abnormal: str = ""

    def __post_init__(self) -> None:
        for name in ("modality", "normal", "abnormal"):  # a folder may have the name 0
            object.__setattr__(self, name, str(getattr(self, name)).strip())
        if self.task not in TASKS:
            raise StudyError(f"Expected task to be one of {', '.join(TASKS)}, got {self.task!r}.")
        if self.per_class != ALL and not (isinstance(self.per_class, int) and self.per_class > 0):
            raise StudyError(f"Expected per_class to be 1 or more, or all; got {self.per_class!r}.")
        if not isinstance(self.seed, int) or self.seed < 0:
            raise StudyError(f"Expected a seed of 0 or more, got {self.seed!r}.")


def asked_about(
    found: Sorted, wanted: FolderSettings, gallery: Gallery, *, name: str, allow_broken: bool, **told: Any
) -> Benchmark:
    """Return a benchmark with a question about each drawn image.

    The same number is drawn for each answer (normal and diseased, or every class): that of the rarest answer, at most
    `per_class`. In a detection, the diseases take turns. A larger draw begins with the smaller one, and answers
    alternate, so that the first questions are balanced too. `told` is added to the benchmark's `about`.
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
    return collector.benchmark(
        allow_broken=allow_broken, about={**told, **_describe_sample(wanted, answers, found, drawn)}
    )


def folder_called(folder: Path, *names: str) -> Path:
    """Return the folder of a split: inside the given one, or that one itself."""
    wanted = {name.casefold() for name in names}
    for place in ("*", "*/*"):
        if found := sorted(each for each in folder.glob(place) if each.name.casefold() in wanted and each.is_dir()):
            return found[0]
    if any(means_normal(each.name) for each in folder.glob("*") if each.is_dir()):
        return folder
    there = ", ".join(sorted(each.name for each in folder.glob("*"))[:12]) or "nothing"
    raise DataError(f"{folder}: expected a folder {' or '.join(map(repr, names))} with classes in it, found {there}.")


def whole_path(path: str | Path) -> Path:
    """Return the folder with its links resolved; DataError for an impossible path."""
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # links in a circle, a null byte
        raise DataError(f"{str(path)!r} is not a usable path: {error}.") from error


def drawn_of(wanted: FolderSettings, found: Sorted, answers: Sorting) -> list[SortedImage]:
    """Draw the images; each class is shuffled independently."""
    sides: dict[int, list[list[SortedImage]]] = {}
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


def collect(drawn: Iterable[SortedImage], collector: Collector, answers: Sorting, gallery: Gallery) -> None:
    """Add a question per image; unreadable or contradictory images are broken rows.

    The gallery reads and checks each file, and so finds copies.
    """
    first: dict[Image, SortedImage] = {}
    for picture in drawn:
        where = _printable(picture.path)
        try:
            if where != picture.path:
                raise DataError("its file name is not valid text; rename it")
            image = gallery.find(picture.path)
            copied = first.setdefault(image, picture)
            if answers.answers.get(copied.label) != answers.answers.get(picture.label):
                raise DataError(f"it is the same image as {copied.path}, which has another answer")
            # copies of an image belong to one patient
            cluster = copied.path if picture.patient == picture.path else picture.patient
            collector.add(where, answers.item(picture, image, cluster=cluster))
        except DataError as error:
            collector.refuse(where, where, str(error))


def _printable(path: str) -> str:
    return path.encode(errors="replace").decode()


def _describe_sample(
    wanted: FolderSettings, answers: Sorting, found: Sorted, drawn: Iterable[SortedImage]
) -> dict[str, Any]:
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
