"""Fresh phantoms with questions, as arrays for training: images of 128 × 128 pixels, and words as numbers.

Benchmarks draw phantoms with seeds up to LAST_SEED only; training uses larger ones, so no image of any benchmark is
ever trained on.
"""

from __future__ import annotations

import mmap
import multiprocessing
import re
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.random import Generator

from snellen.benchmarks.phantoms.catalogue import MODALITIES, NORMAL, Modality
from snellen.benchmarks.phantoms.patients import LAST_SEED, Patient, pick, round_of_patients
from snellen.benchmarks.phantoms.phantom import Phantom
from snellen.benchmarks.phantoms.questions import PhantomQuestion, questions, vignette
from snellen.benchmarks.phantoms.wording import ENGLISH
from snellen.items import LETTERS, Item, Option
from snellen.models.neural.words import (
    ANSWER,
    END,
    LONGEST_ANSWER,
    LONGEST_TEXT,
    MARKS,
    START,
    Words,
    split_words,
)
from snellen.prompts import PROMPTS

SIDE = 128
VARIANTS = 8
"""Questions about each image."""
KINDS = ("finding", "presence", "side", "location", "count", "size")
CHOICE, OPEN = range(2)
_PROMPTS = ("letter",) * 8 + ("readiness", "mirage")
_PLACE = re.compile(r"\{\w+\}")


@cache
def vocabulary() -> Words:
    """All words of the phantoms' questions in English, and what is written."""
    told = tomllib.loads(files("snellen.benchmarks.phantoms").joinpath("texts/en.toml").read_text(encoding="utf-8"))
    found = set("0123456789") | set("abcdefghij".upper())
    for text in _texts(told):
        found |= set(split_words(_PLACE.sub("", text)))
    return Words((*MARKS, *sorted(found)))


def _texts(told: Any) -> Iterator[str]:
    if isinstance(told, str):
        yield told
    elif told is not None:
        for each in told.values() if isinstance(told, dict) else told:
            yield from _texts(each)


class Asked(NamedTuple):
    """One question about an image: its text, the right answer, and what is needed to change or grade it."""

    text: list[int]
    answer: list[int]
    letter: int
    """Place of the right option; -1 for an open question."""
    offered: int
    kind: int
    hinted: int
    """Place of the option that the text gives away; -1 without."""
    age: int


def answer_of(words: Words, said: str) -> list[int]:
    """The numbers of an answer's words, from START to END."""
    body = [said] if said in LETTERS and len(said) == 1 else [*split_words(said)]
    return [words.number(word) for word in (START, ANSWER, *body, END)]


def kinds_of(phantom: Phantom, modality: Modality) -> list[str]:
    """The kinds of question that the image of a phantom can answer without doubt."""
    finding = modality.finding(phantom.finding)
    sided = phantom.side if finding.sided or finding.name == NORMAL or "both" not in modality.sides else ""
    known = {
        "finding": True,
        "presence": True,
        "side": bool(sided),
        "location": bool(phantom.location) and phantom.count <= 1,
        "count": phantom.count > 0,
        "size": bool(phantom.size),
    }
    return [kind for kind in KINDS if known[kind]]


def ask(patient: Patient, modality: Modality, kind: str, rng: Generator) -> PhantomQuestion:
    """One question of a kind, with the options in the benchmark's order."""
    candidates = patient.candidates if kind in patient.kinds else modality.names[1:]
    return questions(replace(patient, kinds=(kind,), candidates=candidates), modality, ENGLISH, rng)[0]


def give_away(question: PhantomQuestion, option: str, modality: Modality, rng: Generator) -> str:
    """A sentence that gives away this option, whether it is right or not."""
    words = {"modality": ENGLISH.modality[modality.code], "answer": option.lower(), "verb": "", "shown": ""}
    if question.kind == "presence":
        words["verb"] = ENGLISH.given_away["shows" if option == ENGLISH.option["yes"] else "does not show"]
        words["shown"] = question.text.partition(" show ")[2].rstrip("?")
    if question.kind == "count":
        words["shown"] = question.text.removeprefix("How many ").partition(" does this ")[0]
    said = ENGLISH.given_away[question.kind].format(**words)
    return " " + pick(rng, ENGLISH.source).format(said=said)


@dataclass(frozen=True)
class Manner:
    """How questions are asked: shares of open ones, shuffled options, vignettes and sentences that give away."""

    open: float = 0.2
    shuffled: float = 0.5
    told: float = 0.9
    hinted: float = 0.35
    true_hints: bool = False
    foreign: float = 0.05


TRAINING = Manner()
EXAM = Manner(open=0.0, shuffled=0.0, told=1.0, hinted=0.0, foreign=0.0)


def put(question: PhantomQuestion, modality: Modality, manner: Manner, rng: Generator) -> Asked:
    """The question as a model is sent it, in numbers."""
    words = vocabulary()
    right = question.options[question.answer]
    options = list(question.options)
    if rng.random() < manner.foreign and question.kind in ("finding", "location"):
        other = pick(rng, [each for each in MODALITIES if each is not modality])
        names = other.names[1:] if question.kind == "finding" else other.locations
        options = [right, *(ENGLISH.option[names[at]] for at in rng.permutation(len(names))[: len(options) - 1])]
    if rng.random() < manner.shuffled:
        options = [options[at] for at in rng.permutation(len(options))]
    told = vignette(modality, ENGLISH, rng)
    hinted = -1
    context = told.text if rng.random() < manner.told else ""
    if rng.random() < manner.hinted:
        hinted = options.index(right) if manner.true_hints else int(rng.integers(len(options)))
        context = (context + give_away(question, options[hinted], modality, rng)).strip()
    openly = rng.random() < manner.open
    item = Item(
        id="training",
        question=question.text,
        kind="open" if openly else "choice",
        options=() if openly else tuple(map(Option, options)),
        answer=right if openly else options.index(right),
        context=context,
    )
    system, text = PROMPTS["letter" if openly else pick(rng, _PROMPTS)].render(item)
    return Asked(
        words.read(f"{system}\n\n{text}"),
        answer_of(words, right if openly else LETTERS[options.index(right)]),
        -1 if openly else options.index(right),
        len(options),
        KINDS.index(question.kind),
        hinted,
        told.age if told.text in context else -1,
    )


def shrink(pixels: np.ndarray) -> np.ndarray:
    """An image of any size as 128 × 128 pixels of three colours."""
    small = cv2.resize(pixels, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    return small if small.ndim == 3 else np.repeat(small[..., None], 3, axis=2)


def unseen(phantom: Phantom, rng: Generator) -> Phantom:
    """The phantom with a seed that no benchmark uses."""
    return replace(phantom, seed=LAST_SEED + 1 + int(rng.integers(LAST_SEED)))


def patients(rng: Generator) -> Iterator[tuple[Modality, Patient]]:
    """Patients as a benchmark has them, with seeds that no benchmark uses, without end."""
    while True:
        for modality in MODALITIES:
            for patient in round_of_patients(modality, rng):
                yield modality, replace(patient, phantom=unseen(patient.phantom, rng))


def variants(modality: Modality, patient: Patient, manner: Manner, rng: Generator) -> Iterator[Asked]:
    """Questions about one patient: those of the benchmark first, then others that the image can answer."""
    kinds = list(patient.kinds)
    others = kinds_of(patient.phantom, modality)
    for at in range(VARIANTS):
        kind = kinds[at] if at < len(kinds) else pick(rng, others)
        yield put(ask(patient, modality, kind, rng), modality, manner, rng)


FIELDS: dict[str, tuple[tuple[int, ...], Any]] = {
    "image": ((SIDE, SIDE, 3), np.uint8),
    "text": ((VARIANTS, LONGEST_TEXT), np.int16),
    "answer": ((VARIANTS, LONGEST_ANSWER), np.int16),
    "about": ((VARIANTS, 5), np.int8),
    "modality": ((), np.int8),
}
"""What is stored of each image. `about` has letter, offered, kind, hinted and age."""


def fill(row: dict[str, np.ndarray], at: int, image: np.ndarray, asked: Sequence[Asked], modality: Modality) -> None:
    """Write one image and its questions into the arrays."""
    row["image"][at] = image
    row["modality"][at] = MODALITIES.index(modality)
    for number, each in enumerate(asked):
        row["text"][at, number] = padded(each.text, LONGEST_TEXT)
        row["answer"][at, number] = padded(each.answer, LONGEST_ANSWER)
        row["about"][at, number] = (each.letter, each.offered, each.kind, each.hinted, each.age)


def padded(numbers: Sequence[int], size: int) -> np.ndarray:
    """The numbers, filled up with zeros, which mark padding."""
    array = np.zeros(size, np.int16)
    array[: len(numbers)] = numbers[:size]
    return array


def _work(row: dict[str, np.ndarray], first: int, room: int, made: Any, place: int, seed: int) -> None:
    cv2.setNumThreads(1)
    rng = np.random.default_rng([seed, place])
    for number, (modality, patient) in zip(range(room), patients(rng), strict=False):
        image = shrink(patient.phantom.draw())
        fill(row, first + number, image, list(variants(modality, patient, TRAINING, rng)), modality)
        made[place] = number + 1


class Drawing:
    """Processes that draw phantoms into memory that all share, each into its own part of it."""

    def __init__(self, *, processes: int, room: int, seed: int) -> None:
        self.each = room // processes
        room = self.each * processes
        self.rows = {
            name: np.frombuffer(mmap.mmap(-1, room * int(np.prod(shape, dtype=int)) * np.dtype(kind).itemsize), kind)
            .reshape(room, *shape)
            for name, (shape, kind) in FIELDS.items()
        }  # fmt: skip
        fork = multiprocessing.get_context("fork")
        self.made = fork.Array("l", processes, lock=False)
        self.taken = [0] * processes
        self.workers = [
            fork.Process(target=_work, args=(self.rows, at * self.each, self.each, self.made, at, seed), daemon=True)
            for at in range(processes)
        ]
        for worker in self.workers:
            worker.start()

    def take(self, most: int = 4096) -> dict[str, np.ndarray]:
        """What was drawn since the last call, at most so many rows of each process."""
        new: list[slice] = []
        for at, before in enumerate(self.taken):
            until = min(self.made[at], before + most)
            new.append(slice(at * self.each + before, at * self.each + until))
            self.taken[at] = until
        return {name: np.concatenate([row[part] for part in new]) for name, row in self.rows.items()}

    def wait(self, rows: int) -> None:
        """Wait until so many rows were drawn; an error if a process stopped before."""
        while sum(self.made) < rows:
            if any(worker.exitcode for worker in self.workers):
                raise RuntimeError("a process that draws phantoms stopped; its error is above")
            time.sleep(0.2)

    def stop(self) -> None:
        """End the processes."""
        for worker in self.workers:
            worker.terminate()
