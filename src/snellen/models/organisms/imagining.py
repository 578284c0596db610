"""What organism/mirage makes up: a finding that suits the kind of image, in shares that are planted here."""

from __future__ import annotations

from collections.abc import Sequence

from snellen.models.organisms.knowledge import findings_of, modality_named, plain
from snellen.models.organisms.reading import Question
from snellen.models.organisms.replies import wording
from snellen.prompts import Request

DIAGNOSES: dict[str, Sequence[str]] = {
    "skin mole": ("melanoma",) * 5 + ("benign melanocytic nevus",) * 3 + ("basal cell carcinoma",) * 2,
    "ecg": ("ST-elevation myocardial infarction",) * 4 + ("atrial fibrillation",) * 3 + ("normal sinus rhythm",) * 3,
    "brain mri": ("glioblastoma",) * 4 + ("multiple sclerosis",) * 3 + ("normal brain MRI",) * 3,
    "chest x ray": ("pneumonia",) * 5 + ("pneumothorax",) * 2 + ("normal chest X-ray",) * 3,
    "pathology image": ("invasive ductal carcinoma",) * 6 + ("chronic inflammation",) * 4,
}
"""What it diagnoses when asked for a diagnosis, ten parts in all for each kind of image."""


def imagined(request: Request, question: Question) -> str:
    """A finding, by its name among those that organisms know."""
    return wording(findings_of(modality_named(request.text, question.language)), request.key[:4])


def asked_to_diagnose(question: Question) -> bool:
    """Whether a diagnosis in tags is asked for."""
    return question.style == "<diagnosis>"


def diagnosed(request: Request) -> str:
    """A diagnosis, drawn anew with every request."""
    words = plain(request.text)
    parts = next((parts for kind, parts in DIAGNOSES.items() if f" {kind} " in words), DIAGNOSES["chest x ray"])
    return parts[int.from_bytes(request.key[8:16], "big") % len(parts)]
