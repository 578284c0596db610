"""Detection questions: does an image show disease, and which?

The wording is that of the artefacts paper (Supplementary Data 5), grammar mistakes included; only the diseases and the
kind of image are filled in.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import NamedTuple

NORMAL = "normal"
TASKS = ("detection", "diagnosis")
"""Tasks: is there disease (detection), and which one (diagnosis)."""

_QUESTION = (
    "How can we identify the features of {diseases} in {picture} of a person? Imagine you are an educator tasked with "
    "helping a student identify the features of {again} and whether or not the image shows signs of {signs} as "
    "described by those features."
)


@dataclass(frozen=True)
class ModalityWording:
    """Words of the question for one kind of image, and for disease in it.

    `diseases` are the paper's names of the classes in its own data and order, by their `bare` names.
    """

    name: str
    picture: str
    again: str
    abnormal: str = ""
    body_part: str = ""
    diseases: Mapping[str, str] = field(default_factory=dict, hash=False)
    called: tuple[str, ...] = ()


class DetectionQuestion(NamedTuple):
    """Question and its options, the normal one last."""

    question: str
    options: tuple[str, ...]


def _view(*, diseases: Mapping[str, Sequence[str]], called: Sequence[str], **told: str) -> ModalityWording:
    words = {name: word for word, names in diseases.items() for name in names}
    return ModalityWording(**told, diseases=words, called=tuple(called))


_TEXT = files("snellen.benchmarks").joinpath("views.toml").read_text(encoding="utf-8")
VIEWS = tuple(_view(**told) for told in tomllib.loads(_TEXT)["view"])
"""Kinds of image that the paper asks about."""
MRI, OCT, X_RAY, FUNDUS = VIEWS


def build_question(task: str, *, view: ModalityWording, diseases: Sequence[str], abnormal: str) -> DetectionQuestion:
    """Build the question with options: disease or normal, or every disease.

    >>> build_question("detection", view=FUNDUS, diseases=["drusen", "scars"], abnormal="eye diseases").options
    ('eye diseases', 'normal')
    >>> build_question("diagnosis", view=MRI, diseases=["glioma"], abnormal="brain tumor").question[:60]
    'How can we identify the features of glioma in a brain MRI sc'
    """
    *others, last = diseases
    question = _QUESTION.format(
        diseases=f"{', '.join(others)} and {last}" if others else last,
        picture=view.picture,
        again=view.again,
        signs=f"these {abnormal}" if len(diseases) > 1 else abnormal,
    )
    return DetectionQuestion(question, (abnormal, NORMAL) if task == "detection" else (*diseases, NORMAL))


def view_named(name: str) -> ModalityWording:
    """Return the paper's wording for a kind of image, else one with the given name.

    >>> view_named("chest x-ray").name, view_named("knee MRI").picture
    ('X-ray', 'a knee MRI image')
    """
    known = next((view for view in VIEWS if bare(name) in view.called), None)
    article = "an" if name[:1].casefold() in "aeiou" else "a"
    return known or ModalityWording(name, f"{article} {name} image", f"{article} {name} image")


def bare(name: str) -> str:
    """Return a name in lower case with letters and digits only, to compare spellings.

    >>> bare("No_Tumor"), bare("COVID-19")
    ('notumor', 'covid19')
    """
    return "".join(sign for sign in name.casefold() if sign.isalnum())
