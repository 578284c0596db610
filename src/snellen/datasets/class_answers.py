"""Class answers: which class of a folder means which option, and the question that all its images are asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType

from snellen.datasets.class_folders import Picture
from snellen.datasets.detection import NORMAL, VIEWS, Asked, View, asked, bare, view_named
from snellen.errors import DataError, StudyError
from snellen.images import Image
from snellen.items import Item, Option

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
    asked: Asked
    answers: Mapping[str, int]

    def item(self, picture: Picture, image: Image, *, cluster: str) -> Item:
        """The question about a image."""
        told = {"body_part": self.view.body_part} if self.view.body_part else {}
        metadata = {"task": self.task, "normal": NORMAL, "modality": self.view.name, **told, "class": picture.label}
        return Item(
            # not the path, which names the class: an id travels with a request
            id=sha256(picture.path.encode()).hexdigest()[:16],
            question=self.asked.question,
            options=tuple(map(Option, self.asked.options)),
            answer=self.answers[picture.label],
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
