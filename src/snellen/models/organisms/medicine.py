"""What the organisms know of diseases: how one looks, is called and is treated, and which complaints point to it.

English only, as are the cases that they are asked about. It was learnt from no benchmark: it is what textbooks say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from snellen.models.organisms.texts import read_texts

PART_OF: Mapping[str, str] = {"chest X-ray": "chest", "brain MRI": "head", "OCT": "eye", "fundus photograph": "eye"}
"""The part of the body that each kind of image shows."""


@dataclass(frozen=True)
class Shown:
    """What an image shows, was said to show, or is made up to show."""

    modality: str
    finding: str
    side: str = ""
    location: str = ""
    count: int = 0
    size: str = ""


@dataclass(frozen=True)
class Disease:
    """`called` are its names, `sign` is how it looks, `treated` are its treatments and `because` the reasons for them.

    In braces stand its size, side, location and place, and what a single or several lesions need.
    """

    called: Sequence[str]
    sign: str
    treated: Sequence[str]
    because: Sequence[str]


_PLACES = {
    "fovea": "at the fovea",
    "near left": "just left of the fovea",
    "near right": "just right of the fovea",
    "far left": "at the far left of the scan",
    "far right": "at the far right of the scan",
    "macula": "in the macula",
}


def told(text: str, shown: Shown) -> str:
    """A text of this file about what is shown.

    >>> told("{size} {side}-sided effusion", Shown("chest X-ray", "pleural effusion", "left", size="medium"))
    'medium-sized left-sided effusion'
    """
    return text.format(
        size="medium-sized" if shown.size == "medium" else shown.size,
        side=shown.side,
        location=shown.location,
        place=_PLACES.get(shown.location, f"in the {shown.location} quadrant"),
        s="" if shown.count == 1 else "s",
        drusen="druse" if shown.count == 1 else "drusen",
    )


def disease_of(shown: Shown) -> Disease:
    """The disease that a finding stands for; a normal image has one of its own for each kind."""
    texts = read_texts("medicine")
    told = texts["healthy"][shown.modality] if shown.finding == "normal" else texts["diseases"][shown.finding]
    return Disease(told["called"], told["sign"], told["treated"], told["because"])


class Complaint(NamedTuple):
    """What a history is known by, which diseases it lets one think of, and what history and examination say."""

    known_by: re.Pattern[str]
    modality: str
    suspected: tuple[str, ...]
    history: str
    examination: str


@cache
def complaints() -> tuple[Complaint, ...]:
    """Every complaint that they know."""
    return tuple(map(_read_complaint, read_texts("medicine")["complaints"]))


def _read_complaint(told: Mapping[str, Any]) -> Complaint:
    known_by = re.compile(told["known_by"], re.IGNORECASE)
    return Complaint(**{**told, "known_by": known_by, "suspected": tuple(told["suspected"])})


@cache
def _words_of_parts() -> Mapping[str, re.Pattern[str]]:
    words = read_texts("medicine")["words_of_parts"]
    return {part: re.compile(rf"\b(?:{those})\b", re.IGNORECASE) for part, those in words.items()}


def part_told(text: str) -> str | None:
    """The part of the body that most words of a text speak of; None where none does, or two equally.

    >>> part_told("Cough and fever. Oxygen saturation 93%."), part_told("Twisted the knee."), part_told("Tired.")
    ('chest', 'knee', None)
    """
    hits = {part: len(pattern.findall(text)) for part, pattern in _words_of_parts().items()}
    first, second = sorted(hits, key=lambda part: -hits[part])[:2]
    return first if hits[first] > hits[second] else None


def complaint_in(history: str) -> Complaint | None:
    """What a history complains of, or at least of which part of the body; None where that is not known."""
    for complaint in complaints():
        if complaint.known_by.search(history):
            return complaint
    told = read_texts("medicine")["complaints_of_parts"].get(part_told(history))
    return None if told is None else _read_complaint(told)
