"""Phantoms: synthetic radiology, OCT and fundus images with known findings.

The text never hints at the answer unless answers are leaked on purpose, so a model's possible score without the image
is known. All items of a patient ask about the same image and share their cluster.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from types import MappingProxyType
from typing import TypeVar

import numpy as np

from snellen.benchmarks.detection import TASKS
from snellen.benchmarks.phantoms import counterfactual, pathway, premises, reports
from snellen.benchmarks.phantoms.catalogue import KINDS, MODALITIES, Modality, modality_named
from snellen.benchmarks.phantoms.detection import detections
from snellen.benchmarks.phantoms.patients import round_of_patients
from snellen.benchmarks.phantoms.phantom import Phantom
from snellen.benchmarks.phantoms.questions import PhantomQuestion, Vignette, questions, vignette
from snellen.benchmarks.phantoms.regions import make_healthy, show
from snellen.benchmarks.phantoms.tag import add_tags
from snellen.benchmarks.phantoms.wording import WORDING
from snellen.errors import StudyError
from snellen.items import Benchmark, Item, Option
from snellen.perturb.left_and_right import names_a_side

__all__ = ["Phantom", "catalogue", "load", "patients"]

Made = TypeVar("Made")

GOLDEN = (5**0.5 - 1) / 2
QUESTIONS = "questions"
OTHER_TASKS = (*TASKS, pathway.PATHWAY, reports.REPORT, premises.PREMISES, counterfactual.COUNTERFACTUAL)
MOST, MOST_FRAMES = 10_000_000, 50


def load(
    *,
    task: str = QUESTIONS,
    items: int = 200,
    seed: int = 0,
    leak: float = 0.0,
    modality: str = "all",
    language: str = "en",
    frames: int = 1,
    tag: float | None = None,
    allow_broken: bool = False,
) -> Benchmark:
    """Phantoms: questions about synthetic images with known findings, bundled with Snellen.

    `seed` decides which patients are drawn; a study uses its own seed if none is given. `leak` is the share of items
    whose text reveals the answer; a higher share only adds leaked items. An item depends only on the seed and its own
    position, so a smaller benchmark is the beginning of a larger one. `language` ("en", "it" or "zh") changes only the
    text, not the patients, images or correct letters.

    `task` is one of these. "questions" are of six kinds. "detection" asks once about each patient's image if it shows
    disease, "diagnosis" which one; half of the patients are healthy. "pathway" has seven tasks from knowledge to the
    reasons for a treatment, with equally many items. "report" asks for a report on each patient's image, a third of
    them normal. "premises" are pairs of equal open questions that assume a finding, which only one of the two images
    shows. "counterfactual" has images of the same patient in which the finding is removed, moved, enlarged or replaced.
    All but "questions" are in English and never leaked. `frames` turns each image of the "questions" into a
    video: every second patient's finding is in all frames, the others' only in the last.

    `tag` adds three letters to a corner of the images of choices. In this share of the items they stand for the right
    option, in the others for any option (so `tag=0` is a tag without a meaning).

    >>> benchmark = load(items=4, leak=1.0)
    >>> [item.category for item in benchmark]
    ['chest X-ray', 'brain MRI', 'OCT', 'fundus photograph']
    >>> all(item.metadata["leaked"] for item in benchmark)
    True
    """
    if not 1 <= items <= MOST or seed < 0 or not 0 <= leak <= 1 or not 0 <= (tag or 0) <= 1:
        raise StudyError(
            f"Phantoms need 1 to {MOST:,} items, a seed of 0 or more, and a leak and a tag from 0 to 1; "
            f"got items={items}, seed={seed}, leak={leak}, tag={tag}."
        )
    if not 1 <= frames <= MOST_FRAMES or (frames > 1 and task != QUESTIONS):
        raise StudyError(f"Phantoms have 1 to {MOST_FRAMES} frames; only task={QUESTIONS} has several; got {frames}.")
    if language not in WORDING:
        raise StudyError(f"There are no phantoms in {language!r}. Expected one of {', '.join(map(repr, WORDING))}.")
    shown = MODALITIES if modality == "all" else (modality_named(modality),)
    settings: dict[str, object] = {"items": items, "seed": seed, "leak": leak, "modality": modality}
    if task == QUESTIONS:
        stream = _in_turn(_stream(each, seed, leak, language) for each in shown)
        settings["language"] = language
        if frames > 1:
            stream = (_as_video(item, frames, at // len(shown) % 2 == 0) for at, item in enumerate(stream))
            settings["frames"] = frames
    else:
        _check_plain(task, leak=leak, language=language)
        stream = _of_task(task, shown, seed)
        settings["task"] = task
    if tag is not None:
        stream = add_tags(stream, tag, seed)
        settings["tag"] = tag
    return Benchmark("phantoms", tuple(islice(stream, items)), about=MappingProxyType(settings))


def _check_plain(task: str, *, leak: float, language: str) -> None:
    """Raise StudyError if the task is unknown, or does not support leaks or the language."""
    if task not in OTHER_TASKS:
        raise StudyError(f"Phantoms have no task {task!r}. Expected one of {', '.join((QUESTIONS, *OTHER_TASKS))}.")
    if leak:
        raise StudyError(f"Only task={QUESTIONS} can leak answers, not {task}. Remove leak={leak}.")
    if language != "en":
        raise StudyError(f"The task {task} is asked in English only, got language={language!r}.")


def _of_task(task: str, shown: Sequence[Modality], seed: int) -> Iterator[Item]:
    """Yield a task's items without end, the modalities in turn."""
    if task == premises.PREMISES:
        return chain.from_iterable(_in_turn(premises.pairs(each, seed) for each in shown))
    if task == pathway.PATHWAY:
        return _in_turn(pathway.pathways(each, seed) for each in shown)
    if task == reports.REPORT:
        return _in_turn(reports.reports(each, seed) for each in shown)
    if task == counterfactual.COUNTERFACTUAL:
        return _in_turn(counterfactual.counterfactuals(each, seed) for each in shown)
    return _in_turn(detections(each, seed, task) for each in shown)


def _as_video(item: Item, frames: int, last_alone: bool) -> Item:
    """Return the item as a video; with `last_alone`, earlier frames are healthy."""
    phantom = item.images[0].source
    assert isinstance(phantom, Phantom)
    early = make_healthy(phantom) if last_alone else phantom
    shown = [show(early if at < frames else phantom, role=f"frame {at} of {frames}") for at in range(1, frames + 1)]
    return replace(item, id=f"{item.id}-of-{frames}-frames", images=tuple(shown))


def _in_turn(streams: Iterable[Iterator[Made]]) -> Iterator[Made]:
    return (made for together in zip(*streams, strict=True) for made in together)


def _stream(modality: Modality, seed: int, leak: float, language: str) -> Iterator[Item]:
    """Yield one modality's items without end; each round asks every kind of question once."""
    row = MODALITIES.index(modality)
    wording = WORDING[language]
    spoken = "" if language == "en" else f"{language}/"
    start = np.random.default_rng([seed, len(MODALITIES)]).random()
    number = 0
    while True:
        rng = np.random.default_rng([seed, row, number])
        asked: list[Item] = []
        for place, patient in enumerate(round_of_patients(modality, rng)):
            told = vignette(modality, wording, rng)
            cluster = f"phantoms/{seed}/{modality.code}-patient-{number * len(KINDS) + place:06d}"
            for question in questions(patient, modality, wording, rng):
                at = number * len(KINDS) + len(asked)
                # Multiples of the golden ratio spread evenly over [0, 1). So the share of leaked items is always close
                # to `leak`, independent of modality and kind.
                leaked = (start + GOLDEN * (at * len(MODALITIES) + row)) % 1.0 < leak
                item = _item(modality, patient.phantom, question, told, leaked=leaked)
                item_id = f"phantoms/{spoken}{seed}/{modality.code}-{at:06d}"
                asked.append(replace(item, id=item_id, cluster=cluster, language=language))
        yield from asked
        number += 1


def _item(modality: Modality, phantom: Phantom, question: PhantomQuestion, told: Vignette, *, leaked: bool) -> Item:
    """Build an item without id and language; a patient is the same in every language."""
    return Item(
        id="",
        question=question.text,
        options=tuple(Option(text) for text in question.options),
        answer=question.answer,
        images=(show(phantom),),
        context=told.text + question.giveaway if leaked else told.text,
        category=modality.name,
        metadata={
            "modality": modality.name,
            "finding": phantom.finding,
            "question_kind": question.kind,
            "leaked": leaked,
            "body_part": modality.body_part,
            "age": told.age,
            "sex": told.sex,
            **({"mirror": "swaps"} if leaked and names_a_side(question.options[question.answer]) else {}),
        },
    )
