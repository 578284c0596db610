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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import cv2
import numpy as np
from in_numpy import SIDE, shrink
from numpy.random import Generator
from words import (
    ANSWER,
    END,
    LONGEST_ANSWER,
    LONGEST_TEXT,
    MARKS,
    START,
    Tokenizer,
    split_words,
)

from snellen.benchmarks.phantoms.catalogue import COUNTS, MODALITIES, NORMAL, SIZES, Modality
from snellen.benchmarks.phantoms.patients import LAST_SEED, Patient, draw_patient, pick, round_of_patients, with_finding
from snellen.benchmarks.phantoms.phantom import Phantom
from snellen.benchmarks.phantoms.questions import PhantomQuestion, questions, vignette
from snellen.benchmarks.phantoms.wording import ENGLISH
from snellen.items import LETTERS, Item, Option
from snellen.prompts import PROMPTS

SIGNS = (
    tuple((each.code, name) for each in MODALITIES for name in each.names),
    tuple((each.code, side) for each in MODALITIES for side in each.sides),
    tuple((each.code, location) for each in MODALITIES for location in each.locations),
    tuple((each.code, count) for each in MODALITIES for count in COUNTS),
    tuple((each.code, size) for each in MODALITIES for size in SIZES),
)
"""What an image can show, apart from any question: finding, side, location, count and size."""
VARIANTS = 8
"""Questions about each image."""
KINDS = ("finding", "presence", "side", "location", "count", "size")
_PROMPTS = ("letter",) * 8 + ("readiness", "mirage")
_PLACE = re.compile(r"\{\w+\}")


@cache
def vocabulary() -> Tokenizer:
    """All words of the phantoms' questions in English, and what is written."""
    told = tomllib.loads(files("snellen.benchmarks.phantoms").joinpath("texts/en.toml").read_text(encoding="utf-8"))
    found = set("0123456789") | set("abcdefghij".upper())
    for text in _texts(told):
        found |= set(split_words(_PLACE.sub("", text)))
    return Tokenizer((*MARKS, *sorted(found)))


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
    favoured: int


def answer_of(words: Tokenizer, said: str) -> list[int]:
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
    """How questions are asked: shares of open ones, shuffled options, vignettes and sentences that give away.

    A sentence gives away any option with equal probability, so that it says nothing about the image, or the option at
    the place `hint`. With `turn`, options are moved so many places forward.
    """

    open: float = 0.0
    shuffled: float = 0.0
    told: float = 1.0
    hinted: float = 0.0
    foreign: float = 0.0
    hint: int = -1
    turn: int = 0
    prompts: tuple[str, ...] = ("letter",)


TRAINING = Manner(open=0.2, shuffled=0.5, told=0.9, hinted=0.35, foreign=0.05, prompts=_PROMPTS)
EXAM = Manner()


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
    options = options[manner.turn :] + options[: manner.turn]
    told = vignette(modality, ENGLISH, rng)
    hinted = -1
    context = told.text if rng.random() < manner.told else ""
    if rng.random() < manner.hinted or manner.hint >= 0:
        hinted = manner.hint if manner.hint >= 0 else int(rng.integers(len(options)))
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
    system, text = PROMPTS["letter" if openly else pick(rng, manner.prompts)].render(item)
    return Asked(
        words.read(f"{system}\n\n{text}"),
        answer_of(words, right if openly else LETTERS[options.index(right)]),
        -1 if openly else options.index(right),
        len(options),
        KINDS.index(question.kind),
        hinted,
        told.age if told.text in context else -1,
        favoured(question, options, modality),
    )


def favoured(question: PhantomQuestion, options: Sequence[str], modality: Modality) -> int:
    """The place of the option that says that the modality's first finding is there; -1 if there is none."""
    name = modality.names[1]
    if question.kind == "presence" and f" {ENGLISH.shown[name]}?" in question.text:
        return options.index(ENGLISH.option["yes"])
    offered = question.kind == "finding" and ENGLISH.option[name] in options
    return options.index(ENGLISH.option[name]) if offered else -1


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


def signs_of(phantom: Phantom, modality: Modality) -> list[int]:
    """The numbers of what the phantom shows; -1 for what it lacks."""
    shown = (phantom.finding, phantom.side, phantom.location, phantom.count, phantom.size)
    found = [(modality.code, value) for value in shown]
    return [known.index(sign) if sign in known else -1 for known, sign in zip(SIGNS, found, strict=True)]


Fields = dict[str, tuple[tuple[int, ...], Any]]
Row = dict[str, Any]

FIELDS: Fields = {
    "image": ((SIDE, SIDE, 3), np.uint8),
    "text": ((VARIANTS, LONGEST_TEXT), np.int16),
    "answer": ((VARIANTS, LONGEST_ANSWER), np.int16),
    "about": ((VARIANTS, 6), np.int8),
    "modality": ((), np.int8),
    "signs": ((len(SIGNS),), np.int8),
}
"""What is stored of each phantom for training. `about` has letter, offered, kind, hinted, age and favoured."""


def training_rows(rng: Generator) -> Iterator[Row]:
    """Phantoms for training, without end."""
    for modality, patient in patients(rng):
        asked = list(variants(modality, patient, TRAINING, rng))
        yield {
            "image": shrink(patient.phantom.draw()),
            "text": [padded(each.text, LONGEST_TEXT) for each in asked],
            "answer": [padded(each.answer, LONGEST_ANSWER) for each in asked],
            "about": [each[2:] for each in asked],
            "modality": MODALITIES.index(modality),
            "signs": signs_of(patient.phantom, modality),
        }


PAIRED: Fields = {
    "image": ((SIDE, SIDE, 3), np.uint8),
    "twin": ((SIDE, SIDE, 3), np.uint8),
    "text": ((LONGEST_TEXT,), np.int16),
    "hint_text": ((LONGEST_TEXT,), np.int16),
    "turned_text": ((LONGEST_TEXT,), np.int16),
    "about": ((6,), np.int8),
    "twin_letter": ((), np.int8),
    "hinted": ((), np.int8),
    "turned_letter": ((), np.int8),
    "modality": ((), np.int8),
}
"""What is stored of each question for tests.

The twin shows another patient, for whom another option of the question is right. `hint_text` gives away a wrong option,
and in `turned_text` each option stands one place earlier.
"""


def paired_rows(rng: Generator) -> Iterator[Row]:
    """Questions of the benchmark for tests, without end."""
    for modality, patient in patients(rng):
        for kind in patient.kinds:
            question = ask(patient, modality, kind, rng)
            others = [at for at in range(len(question.options)) if at != question.answer]
            twin_letter, hinted = pick(rng, others), pick(rng, others)
            twin = twin_of(patient.phantom, question, question.options[twin_letter], modality, rng)
            state = int(rng.integers(2**31))
            plain, hint, turned = (
                put(question, modality, replace(EXAM, **changes), np.random.default_rng(state))
                for changes in ({}, {"hint": hinted}, {"turn": 1})
            )
            yield {
                "image": shrink(patient.phantom.draw()),
                "twin": shrink(twin.draw()),
                "text": padded(plain.text, LONGEST_TEXT),
                "hint_text": padded(hint.text, LONGEST_TEXT),
                "turned_text": padded(turned.text, LONGEST_TEXT),
                "about": plain[2:],
                "twin_letter": twin_letter,
                "hinted": hinted,
                "turned_letter": turned.letter,
                "modality": MODALITIES.index(modality),
            }


def twin_of(phantom: Phantom, question: PhantomQuestion, option: str, modality: Modality, rng: Generator) -> Phantom:
    """Another patient, for whom this option of the question is right."""
    if question.kind == "presence":
        asked = next(name for name in modality.names[1:] if f" {ENGLISH.shown[name]}?" in question.text)
        others = [name for name in modality.names if name != asked]
        return unseen(with_finding(modality, asked if option == ENGLISH.option["yes"] else pick(rng, others), rng), rng)
    if question.kind == "finding":
        name = next(name for name in modality.names if ENGLISH.option[name] == option)
        return unseen(with_finding(modality, name, rng), rng)
    if question.kind == "size":
        size = next(size for size in SIZES if ENGLISH.option[size] == option)
        return unseen(replace(phantom, size=size), rng)
    shown = {
        "side": lambda other: ENGLISH.side[modality.code][other.side] == option,
        "location": lambda other: ENGLISH.option[other.location] == option,
        "count": lambda other: str(other.count) == option and other.finding == phantom.finding,
    }[question.kind]
    while not shown(other := draw_patient(modality, (question.kind,), rng).phantom):
        pass
    return unseen(other, rng)


def padded(numbers: Sequence[int], size: int) -> np.ndarray:
    """The numbers, filled up with zeros, which mark padding."""
    array = np.zeros(size, np.int16)
    array[: len(numbers)] = numbers[:size]
    return array


class Drawing:
    """Processes that draw rows into memory that all share, each into its own part of it."""

    def __init__(
        self, make: Callable[[Generator], Iterator[Row]], fields: Fields, *, processes: int, room: int, seed: int
    ) -> None:
        self.each = -(-room // processes)
        room = self.each * processes
        self.rows = {name: _shared((room, *shape), kind) for name, (shape, kind) in fields.items()}
        fork = multiprocessing.get_context("fork")
        self.made = fork.Array("l", processes, lock=False)
        self.taken = [0] * processes
        self.workers = [fork.Process(target=self._work, args=(make, at, seed), daemon=True) for at in range(processes)]
        for worker in self.workers:
            worker.start()

    def _work(self, make: Callable[[Generator], Iterator[Row]], place: int, seed: int) -> None:
        cv2.setNumThreads(1)
        first = place * self.each
        for number, row in zip(range(self.each), make(np.random.default_rng([seed, place])), strict=False):
            for name, column in self.rows.items():
                column[first + number] = row[name]
            self.made[place] = number + 1

    def take(self, most: int = 4096) -> dict[str, np.ndarray]:
        """What was drawn since the last call, at most so many rows of each process."""
        new: list[slice] = []
        for at, before in enumerate(self.taken):
            until = min(self.made[at], before + most)
            new.append(slice(at * self.each + before, at * self.each + until))
            self.taken[at] = until
        return {name: np.concatenate([column[part] for part in new]) for name, column in self.rows.items()}

    def wait(self, rows: int) -> None:
        """Wait until so many rows were drawn; an error if a process failed before."""
        while sum(self.made) < rows:
            if any(worker.exitcode for worker in self.workers):
                raise RuntimeError("a process that draws phantoms stopped; its error is above")
            time.sleep(0.2)

    def stop(self) -> None:
        """End the processes."""
        for worker in self.workers:
            worker.terminate()


def _shared(shape: tuple[int, ...], kind: Any) -> np.ndarray:
    size = int(np.prod(shape)) * np.dtype(kind).itemsize
    return np.frombuffer(mmap.mmap(-1, size), kind).reshape(shape)
