"""Phantoms for detection: one question per patient, half of them healthy.

Both tasks use the same patients: is there disease (detection), and which one (diagnosis).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count

import numpy as np
from numpy.random import Generator

from snellen.benchmarks.detection import NORMAL, DetectionQuestion, ModalityWording, build_question
from snellen.benchmarks.phantoms.catalogue import MODALITIES, Modality
from snellen.benchmarks.phantoms.catalogue import NORMAL as HEALTHY
from snellen.benchmarks.phantoms.patients import with_finding
from snellen.benchmarks.phantoms.phantom import Phantom
from snellen.benchmarks.phantoms.regions import show
from snellen.benchmarks.phantoms.wording import ENGLISH
from snellen.items import Item, Option

VIEWS: Mapping[str, ModalityWording] = {
    "cxr": ModalityWording("chest X-ray", "a chest X-ray image", "a chest X-ray image", "chest diseases"),
    "mri": ModalityWording("brain MRI", "a brain MRI scan slice", "a brain MRI scan slice", "brain diseases"),
    "oct": ModalityWording("OCT", "a retinal OCT image", "an OCT image", "retinal diseases"),
    "fundus": ModalityWording("fundus photograph", "a fundus photograph", "a fundus photograph", "eye diseases"),
}
"""Wording for the phantoms. Its words for disease are wider than the paper's, as hydrocephalus is not a tumour."""
_STREAM = 4
"""Number that separates these random draws from those of the task "questions", so that images differ."""


def detections(modality: Modality, seed: int, task: str) -> Iterator[Item]:
    """Yield pairs of a healthy and a diseased patient without end, diseases in turn."""
    row = MODALITIES.index(modality)
    view = VIEWS[modality.code]
    diseases = [ENGLISH.option[finding.name].lower() for finding in modality.findings]
    question = build_question(task, view=view, diseases=diseases, abnormal=view.abnormal)
    for number in count():
        pair = number // 2
        # The modalities of one position alternate, so that any beginning of the benchmark is balanced.
        first = int(_rng(seed, len(MODALITIES), pair).integers(2))
        healthy = (first + row + number) % 2 == 0
        finding = HEALTHY if healthy else modality.findings[pair % len(modality.findings)].name
        phantom = with_finding(modality, finding, _rng(seed, row, number))
        yield _item(f"{seed}/{modality.code}", number, modality, phantom, question, task)


def _rng(seed: int, row: int, number: int) -> Generator:
    return np.random.default_rng([seed, row, number, _STREAM])


def _item(
    series: str, number: int, modality: Modality, phantom: Phantom, question: DetectionQuestion, task: str
) -> Item:
    classes = (*modality.names[1:], HEALTHY)
    return Item(
        id=f"phantoms/{task}/{series}-{number:06d}",
        question=question.question,
        options=tuple(map(Option, question.options)),
        answer=int(phantom.finding == HEALTHY) if task == "detection" else classes.index(phantom.finding),
        images=(show(phantom),),
        category=modality.name,
        cluster=f"phantoms/detection/{series}-patient-{number:06d}",
        metadata={
            "task": task,
            "normal": NORMAL,
            "modality": modality.name,
            "body_part": modality.body_part,
            "class": phantom.finding,
            "finding": phantom.finding,
        },
    )
