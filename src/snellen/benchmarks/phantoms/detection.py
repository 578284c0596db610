"""Phantoms for detection: one question per patient, half of the patients healthy, in the artefacts paper's words.

The same patients are asked about in both tasks: is there disease (detection), and which (diagnosis).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count

import numpy as np
from numpy.random import Generator

from snellen.benchmarks.detection import NORMAL, DetectionQuestion, View, asked
from snellen.benchmarks.phantoms.catalogue import MODALITIES, Modality
from snellen.benchmarks.phantoms.catalogue import NORMAL as HEALTHY
from snellen.benchmarks.phantoms.patients import with_finding
from snellen.benchmarks.phantoms.phantom import Phantom
from snellen.benchmarks.phantoms.wording import ENGLISH
from snellen.images import Image
from snellen.items import Item, Option

VIEWS: Mapping[str, View] = {
    "cxr": View("chest X-ray", "a chest X-ray image", "a chest X-ray image", "chest diseases"),
    "mri": View("brain MRI", "a brain MRI scan slice", "a brain MRI scan slice", "brain diseases"),
    "oct": View("OCT", "a retinal OCT image", "an OCT image", "retinal diseases"),
    "fundus": View("fundus photograph", "a fundus photograph", "a fundus photograph", "eye diseases"),
}
"""The paper's views in the phantoms' words; disease is called by wider ones, as hydrocephalus is no tumour."""
_STREAM = 4
"""Parts the draws from those of the questions task: its patients have other images."""


def detections(modality: Modality, seed: int, task: str) -> Iterator[Item]:
    """The endless sequence of one modality's patients: pairs of a healthy and a diseased one, diseases in turn."""
    row = MODALITIES.index(modality)
    question = _asked(modality, task)
    for number in count():
        pair = number // 2
        # The modalities of one place alternate, so that any beginning of the benchmark is balanced.
        first = int(_rng(seed, len(MODALITIES), pair).integers(2))
        healthy = (first + row + number) % 2 == 0
        finding = HEALTHY if healthy else modality.findings[pair % len(modality.findings)].name
        phantom = with_finding(modality, finding, _rng(seed, row, number))
        yield _item(f"{seed}/{modality.code}", number, modality, phantom, question, task)


def _rng(seed: int, row: int, number: int) -> Generator:
    return np.random.default_rng([seed, row, number, _STREAM])


def _asked(modality: Modality, task: str) -> DetectionQuestion:
    view = VIEWS[modality.code]
    diseases = [ENGLISH.option[finding.name].lower() for finding in modality.findings]
    return asked(task, view=view, diseases=diseases, abnormal=view.abnormal)


def _answer(modality: Modality, phantom: Phantom, task: str) -> int:
    """The place of the right option: normal stands last, and before it all diseases or the one word for them."""
    if task == "detection":
        return int(phantom.finding == HEALTHY)
    return (*modality.names[1:], HEALTHY).index(phantom.finding)


def _item(
    series: str, number: int, modality: Modality, phantom: Phantom, question: DetectionQuestion, task: str
) -> Item:
    return Item(
        id=f"phantoms/{task}/{series}-{number:06d}",
        question=question.question,
        options=tuple(map(Option, question.options)),
        answer=_answer(modality, phantom, task),
        images=(Image(phantom),),
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
