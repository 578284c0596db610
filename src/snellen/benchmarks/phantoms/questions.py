"""What is asked about a patient: the question, its options in their canonical order, the vignette, the giveaway."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from numpy.random import Generator

from snellen.benchmarks.phantoms.catalogue import COUNTS, SIZES, Modality
from snellen.benchmarks.phantoms.patients import Patient, asked_about, pick
from snellen.benchmarks.phantoms.wording import ENGLISH, Wording

MOST_OPTIONS = 5


@dataclass(frozen=True)
class Question:
    """A question with its options, the index of the right one, and a sentence that would give the answer away.

    The give-away sentence begins with the space that parts it from the vignette.
    """

    kind: str
    text: str
    options: tuple[str, ...]
    answer: int
    giveaway: str


def questions(patient: Patient, modality: Modality, wording: Wording, rng: Generator) -> list[Question]:
    """One question of each of the patient's kinds."""
    return [_question(kind, patient, modality, wording, rng) for kind in patient.kinds]


def _question(kind: str, patient: Patient, modality: Modality, wording: Wording, rng: Generator) -> Question:
    finding = patient.phantom.finding
    named, present = asked_about(patient, rng) if kind == "presence" else (finding, True)
    right, options = _options(kind, patient, modality, wording, rng)
    if kind == "presence":
        right, options = wording.option["yes" if present else "no"], (wording.option["yes"], wording.option["no"])
    words = {
        "modality": wording.modality[modality.code],
        "shown": wording.shown.get(named, ""),
        "verb": wording.given_away["shows" if present else "does not show"],
        "answer": right.lower(),
    }
    if kind == "size":
        words |= {"asked": wording.size_asked[finding], "rule": wording.size_rule[finding]}
    said = wording.given_away[kind].format(**words)
    giveaway = wording.space + pick(rng, wording.source).format(said=said)
    return Question(
        kind, wording.question[kind][modality.code].format(**words), options, options.index(right), giveaway
    )


def _options(
    kind: str, patient: Patient, modality: Modality, wording: Wording, rng: Generator
) -> tuple[str, tuple[str, ...]]:
    """The right option and all options: in order of size or number, else of the English alphabet.

    A translated question keeps the order of the one it was translated from: its words differ, its letters do not.
    """
    phantom = patient.phantom
    if kind == "count":
        return str(phantom.count), tuple(str(count) for count in COUNTS)
    if kind == "size":
        return wording.option[phantom.size], tuple(wording.option[size] for size in SIZES)
    if kind == "side":
        words, order = wording.side[modality.code], ENGLISH.side[modality.code]
        return words[phantom.side], tuple(words[side] for side in sorted(modality.sides, key=order.__getitem__))
    if kind == "presence":
        return "", ()
    if kind == "finding":
        return findings_offered(phantom.finding, modality, wording, rng)
    return _offered(phantom.location, modality.locations, wording, rng)


def findings_offered(right: str, modality: Modality, wording: Wording, rng: Generator) -> tuple[str, tuple[str, ...]]:
    """The right finding as an option, and all that are offered beside it."""
    return _offered(right, modality.names, wording, rng)


def _offered(right: str, everything: Sequence[str], wording: Wording, rng: Generator) -> tuple[str, tuple[str, ...]]:
    others = [name for name in everything if name != right]
    kept = [others[index] for index in rng.permutation(len(others))[: MOST_OPTIONS - 1]]
    listed = sorted((right, *kept), key=ENGLISH.option.__getitem__)
    return wording.option[right], tuple(wording.option[name] for name in listed)


@dataclass(frozen=True)
class Vignette:
    """What is told of the patient, the same in all their questions and drawn without regard to what they have."""

    text: str
    age: int
    sex: str


def vignette(modality: Modality, wording: Wording, rng: Generator) -> Vignette:
    """Age, sex, complaint and perhaps a line of history."""
    age, (sex, person) = int(rng.integers(22, 90)), pick(rng, wording.sex)
    told = (
        pick(rng, wording.patient).format(age=age, person=person),
        pick(rng, wording.complaint[modality.code]),
        pick(rng, wording.history),
    )
    return Vignette(wording.space.join(sentence for sentence in told if sentence), age, sex)
