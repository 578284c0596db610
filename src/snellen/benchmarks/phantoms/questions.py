"""Questions about a phantom: options, vignette, and sentence that leaks the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from numpy.random import Generator

from snellen.benchmarks.phantoms.catalogue import COUNTS, SIZES, Modality
from snellen.benchmarks.phantoms.patients import Patient, asked_about, pick
from snellen.benchmarks.phantoms.wording import ENGLISH, PhantomWording

MOST_OPTIONS = 5


@dataclass(frozen=True)
class PhantomQuestion:
    """Question with its options and key, and a sentence that leaks the answer.

    The sentence starts with a space, since it follows the vignette.
    """

    kind: str
    text: str
    options: tuple[str, ...]
    answer: int
    giveaway: str


def questions(patient: Patient, modality: Modality, wording: PhantomWording, rng: Generator) -> list[PhantomQuestion]:
    """Write one question for each kind of question planned for a patient."""
    return [_question(kind, patient, modality, wording, rng) for kind in patient.kinds]


def _question(
    kind: str, patient: Patient, modality: Modality, wording: PhantomWording, rng: Generator
) -> PhantomQuestion:
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
    return PhantomQuestion(
        kind, wording.question[kind][modality.code].format(**words), options, options.index(right), giveaway
    )


def _options(
    kind: str, patient: Patient, modality: Modality, wording: PhantomWording, rng: Generator
) -> tuple[str, tuple[str, ...]]:
    """Return the correct option, and all options ordered by size, number or alphabet.

    A translation keeps the order of the English options, so the same letter is correct in every language.
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
    return _draw_options(phantom.location, modality.locations, wording, rng)


def findings_offered(
    right: str, modality: Modality, wording: PhantomWording, rng: Generator
) -> tuple[str, tuple[str, ...]]:
    """Return the correct finding, and all findings offered as options."""
    return _draw_options(right, modality.names, wording, rng)


def _draw_options(
    right: str, everything: Sequence[str], wording: PhantomWording, rng: Generator
) -> tuple[str, tuple[str, ...]]:
    others = [name for name in everything if name != right]
    kept = [others[index] for index in rng.permutation(len(others))[: MOST_OPTIONS - 1]]
    listed = sorted((right, *kept), key=ENGLISH.option.__getitem__)
    return wording.option[right], tuple(wording.option[name] for name in listed)


@dataclass(frozen=True)
class Vignette:
    """Short patient history, drawn independently of the finding."""

    text: str
    age: int
    sex: str


def vignette(modality: Modality, wording: PhantomWording, rng: Generator) -> Vignette:
    """Draw age, sex, complaint and sometimes a sentence of past history."""
    age, (sex, person) = int(rng.integers(22, 90)), pick(rng, wording.sex)
    told = (
        pick(rng, wording.patient).format(age=age, person=person),
        pick(rng, wording.complaint[modality.code]),
        pick(rng, wording.history),
    )
    return Vignette(wording.space.join(sentence for sentence in told if sentence), age, sex)
