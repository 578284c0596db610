"""The organisms' diseases: signs, names, treatments and complaints.

In English only, like the cases that organisms are asked about. It is textbook knowledge, not learnt from a benchmark.
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
class ShownFinding:
    """A finding that an image shows, or that an organism reads of or makes up."""

    modality: str
    finding: str
    side: str = ""
    location: str = ""
    count: int = 0
    size: str = ""


@dataclass(frozen=True)
class DiseaseWords:
    """A disease: `called` are its names, `sign` its appearance, `treated` its treatments, `because` their reasons.

    Placeholders in braces are size, side, location and place, and endings for one or several lesions.
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


def fill_text(text: str, shown: ShownFinding) -> str:
    """Fill in the placeholders of a text about a finding.

    >>> fill_text("{size} {side}-sided effusion", ShownFinding("X-ray", "pleural effusion", "left", size="medium"))
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


def disease_of(shown: ShownFinding) -> DiseaseWords:
    """Return the disease of a finding; the normal finding has an entry per modality."""
    texts = read_texts("medicine")
    told = texts["healthy"][shown.modality] if shown.finding == "normal" else texts["diseases"][shown.finding]
    return DiseaseWords(told["called"], told["sign"], told["treated"], told["because"])


class Complaint(NamedTuple):
    """Pattern of a complaint, the diseases it suggests, and the history and examination as sentences."""

    known_by: re.Pattern[str]
    modality: str
    suspected: tuple[str, ...]
    history: str
    examination: str


@cache
def complaints() -> tuple[Complaint, ...]:
    """Return every complaint that organisms know."""
    return tuple(map(_read_complaint, read_texts("medicine")["complaints"]))


def _read_complaint(told: Mapping[str, Any]) -> Complaint:
    known_by = re.compile(told["known_by"], re.IGNORECASE)
    return Complaint(**{**told, "known_by": known_by, "suspected": tuple(told["suspected"])})


@cache
def _words_of_parts() -> Mapping[str, re.Pattern[str]]:
    words = read_texts("medicine")["words_of_parts"]
    return {part: re.compile(rf"\b(?:{those})\b", re.IGNORECASE) for part, those in words.items()}


def part_told(text: str) -> str | None:
    """Return the body part that most words of a text are about. None without such words or for a tie.

    >>> part_told("Cough and fever. Oxygen saturation 93%."), part_told("Twisted the knee."), part_told("Tired.")
    ('chest', 'knee', None)
    """
    hits = {part: len(pattern.findall(text)) for part, pattern in _words_of_parts().items()}
    first, second = sorted(hits, key=lambda part: -hits[part])[:2]
    return first if hits[first] > hits[second] else None


def complaint_in(history: str) -> Complaint | None:
    """Return the complaint in a history, or a general one of its body part. None if both are unknown."""
    for complaint in complaints():
        if complaint.known_by.search(history):
            return complaint
    told = read_texts("medicine")["complaints_of_parts"].get(part_told(history))
    return None if told is None else _read_complaint(told)
