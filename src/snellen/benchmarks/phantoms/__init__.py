"""Phantoms: drawn chest X-rays, brain MRI, OCT scans and fundus photographs whose every answer is known.

Nothing in the text hints at the answer unless it is leaked on purpose: what a model without eyes can score is known.
All items of a patient ask about the same image and share their cluster.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from types import MappingProxyType
from typing import TypeVar

import numpy as np

from snellen.benchmarks.detection import TASKS
from snellen.benchmarks.phantoms import pathway, premises, reports
from snellen.benchmarks.phantoms.catalogue import KINDS, MODALITIES, NORMAL, Modality, modality_named
from snellen.benchmarks.phantoms.detection import detections
from snellen.benchmarks.phantoms.patients import round_of_patients
from snellen.benchmarks.phantoms.phantom import Phantom
from snellen.benchmarks.phantoms.questions import Question, Vignette, questions, vignette
from snellen.benchmarks.phantoms.wording import WORDING
from snellen.errors import StudyError
from snellen.images import Image
from snellen.items import Benchmark, Item, Option
from snellen.perturb.left_and_right import names_a_side

__all__ = ["Phantom", "catalogue", "load", "patients"]

Made = TypeVar("Made")

GOLDEN = (5**0.5 - 1) / 2
QUESTIONS = "questions"
OTHER_TASKS = (*TASKS, pathway.PATHWAY, reports.REPORT, premises.PREMISES)
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
    allow_broken: bool = False,
) -> Benchmark:
    """Questions about drawn images; the images themselves are drawn only when they are looked at.

    `seed` decides which patients are drawn; a study gives its own where none is named. `leak` is the share of items
    whose text gives the answer away; raising it only adds leaked items. An item depends on the seed and its own place
    alone, so a smaller benchmark is the beginning of a larger one. `language` ("en", "it" or "zh") changes the words
    and nothing else: not the patients, their images, or the letters of the right answers.
    `task`: "questions" are of six kinds; "detection" asks each patient's image once whether it shows disease,
    "diagnosis" which, half of the patients being healthy; "pathway" has seven tasks from knowledge to the reasons for
    a treatment, as many items of each; "report" asks for the report of each patient's image, a third of them normal;
    "premises" are pairs of open questions in the same words that take a finding for granted, which only one of the two
    images shows. These five are in English, with nothing leaked. `frames` makes each image of the questions a video of
    so many frames: every second patient's finding is in all of them, the others' in the last alone.

    >>> benchmark = load(items=4, leak=1.0)
    >>> [item.category for item in benchmark]
    ['chest X-ray', 'brain MRI', 'OCT', 'fundus photograph']
    >>> all(item.metadata["leaked"] for item in benchmark)
    True
    """
    if not 1 <= items <= MOST or seed < 0 or not 0 <= leak <= 1:
        raise StudyError(
            f"Phantoms need 1 to {MOST:,} items, a seed of 0 or more and a leak from 0 to 1; "
            f"got items={items}, seed={seed}, leak={leak}."
        )
    if not 1 <= frames <= MOST_FRAMES or (frames > 1 and task != QUESTIONS):
        raise StudyError(f"Phantoms have 1 to {MOST_FRAMES} frames, and {QUESTIONS} alone more than one; got {frames}.")
    if language not in WORDING:
        raise StudyError(f"No phantoms speak {language!r}. Expected one of {', '.join(map(repr, WORDING))}.")
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
    return Benchmark("phantoms", tuple(islice(stream, items)), about=MappingProxyType(settings))


def _check_plain(task: str, *, leak: float, language: str) -> None:
    """Raise where there is no such task, or it cannot be had in these settings: nothing leaked, in English."""
    if task not in OTHER_TASKS:
        raise StudyError(f"Phantoms have no task {task!r}. Expected one of {', '.join((QUESTIONS, *OTHER_TASKS))}.")
    if leak:
        raise StudyError(f"The text of {task} gives nothing away; got leak={leak}. Leave it out, or task={QUESTIONS}.")
    if language != "en":
        raise StudyError(f"The task {task} is asked in English only, got language={language!r}.")


def _of_task(task: str, shown: Sequence[Modality], seed: int) -> Iterator[Item]:
    """The endless sequence of a task's items, the modalities in turn."""
    if task == premises.PREMISES:
        return chain.from_iterable(_in_turn(premises.pairs(each, seed) for each in shown))
    if task == pathway.PATHWAY:
        return _in_turn(pathway.pathways(each, seed) for each in shown)
    if task == reports.REPORT:
        return _in_turn(reports.reports(each, seed) for each in shown)
    return _in_turn(detections(each, seed, task) for each in shown)


def _as_video(item: Item, frames: int, last_alone: bool) -> Item:
    """The item with its image as a video; with `last_alone`, the earlier frames show the same patient healthy."""
    phantom = item.images[0].source
    assert isinstance(phantom, Phantom)
    eye = phantom.side if "both" not in modality_named(phantom.modality).sides else "neither"
    healthy = replace(phantom, finding=NORMAL, side=eye, location="", count=0, size="")
    early = healthy if last_alone else phantom
    shown = [Image(early if at < frames else phantom, role=f"frame {at} of {frames}") for at in range(1, frames + 1)]
    return replace(item, id=f"{item.id}-of-{frames}-frames", images=tuple(shown))


def _in_turn(streams: Iterable[Iterator[Made]]) -> Iterator[Made]:
    """One of each modality after the other."""
    return (made for together in zip(*streams, strict=True) for made in together)


def _stream(modality: Modality, seed: int, leak: float, language: str) -> Iterator[Item]:
    """The endless sequence of one modality's items, round after round of one item of each kind."""
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
                # Multiples of the golden ratio spread evenly over [0, 1) however many are taken, so the share of
                # leaked items keeps to the dial, without any tie to modality or kind.
                leaked = (start + GOLDEN * (at * len(MODALITIES) + row)) % 1.0 < leak
                item = _item(modality, patient.phantom, question, told, leaked=leaked)
                item_id = f"phantoms/{spoken}{seed}/{modality.code}-{at:06d}"
                asked.append(replace(item, id=item_id, cluster=cluster, language=language))
        yield from asked
        number += 1


def _item(modality: Modality, phantom: Phantom, question: Question, told: Vignette, *, leaked: bool) -> Item:
    """What is asked, by whomever; its id and its language are given to it. A patient is the same in every language."""
    return Item(
        id="",
        question=question.text,
        options=tuple(Option(text) for text in question.options),
        answer=question.answer,
        images=(Image(phantom),),
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
            **({"mirror": "swaps"} if leaked and _names_a_side(question) else {}),
        },
    )


def _names_a_side(question: Question) -> bool:
    """Whether the right answer names a side: if the text gives it away, the image alone decides in a mirror."""
    return names_a_side(question.options[question.answer])
