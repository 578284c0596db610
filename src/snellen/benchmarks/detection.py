"""Detection: does an image show disease, or which? In the artefacts paper's words (Supplementary Data 5).

Its wording, slips of grammar included, is part of the protocol; the diseases and the kind of image are filled in.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import NamedTuple

NORMAL = "normal"
TASKS = ("detection", "diagnosis")
"""Is there disease or not; which of the diseases is it, if any."""

_QUESTION = (
    "How can we identify the features of {diseases} in {picture} of a person? Imagine you are an educator tasked with "
    "helping a student identify the features of {again} and whether or not the image shows signs of {signs} as "
    "described by those features."
)


@dataclass(frozen=True)
class View:
    """A kind of image: what it is called when first named and when named again, and what disease in it is called.

    `diseases` are the paper's words for the classes of its own data, by their names in `bare` form, in its own order.
    """

    name: str
    picture: str
    again: str
    abnormal: str = ""
    body_part: str = ""
    diseases: Mapping[str, str] = field(default_factory=dict, hash=False)
    called: tuple[str, ...] = ()


class DetectionQuestion(NamedTuple):
    """A question and the options it is asked with, the normal one last."""

    question: str
    options: tuple[str, ...]


def _view(*, diseases: Mapping[str, Sequence[str]], called: Sequence[str], **told: str) -> View:
    words = {name: word for word, names in diseases.items() for name in names}
    return View(**told, diseases=words, called=tuple(called))


_TEXT = files("snellen.benchmarks").joinpath("views.toml").read_text(encoding="utf-8")
VIEWS = tuple(_view(**told) for told in tomllib.loads(_TEXT)["view"])
"""The kinds of image that the paper asks about."""
MRI, OCT, X_RAY, FUNDUS = VIEWS


def asked(task: str, *, view: View, diseases: Sequence[str], abnormal: str) -> DetectionQuestion:
    """The question and its options: `abnormal` or normal for detection, every disease or normal for diagnosis.

    >>> asked("detection", view=FUNDUS, diseases=["drusen", "scars"], abnormal="eye diseases").options
    ('eye diseases', 'normal')
    >>> asked("diagnosis", view=MRI, diseases=["glioma"], abnormal="brain tumor").question[:60]
    'How can we identify the features of glioma in a brain MRI sc'
    """
    question = _QUESTION.format(
        diseases=_listed(diseases),
        picture=view.picture,
        again=view.again,
        signs=f"these {abnormal}" if len(diseases) > 1 else abnormal,
    )
    return DetectionQuestion(question, (abnormal, NORMAL) if task == "detection" else (*diseases, NORMAL))


def view_named(name: str) -> View:
    """The paper's view of that name, or one in the given words: an ultrasound image.

    >>> view_named("chest x-ray").name, view_named("knee MRI").picture
    ('X-ray', 'a knee MRI image')
    """
    known = next((view for view in VIEWS if bare(name) in view.called), None)
    article = "an" if name[:1].casefold() in "aeiou" else "a"
    return known or View(name, f"{article} {name} image", f"{article} {name} image")


def bare(name: str) -> str:
    """A name without case, spaces and signs, so that spellings of one name are one.

    >>> bare("No_Tumor"), bare("COVID-19")
    ('notumor', 'covid19')
    """
    return "".join(sign for sign in name.casefold() if sign.isalnum())


def _listed(diseases: Sequence[str]) -> str:
    *others, last = diseases
    return f"{', '.join(others)} and {last}" if others else last
