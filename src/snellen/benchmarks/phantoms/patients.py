"""Patients who never were: what each one has, and which questions are put about the one image of each.

Six questions, one of every kind, make a round; a round is shared out among patients of one to three questions. What a
patient has is drawn so that, whatever the text and the options say, every option is equally likely to be right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.random import Generator

from snellen.benchmarks.phantoms.catalogue import COUNTS, MODALITIES, NORMAL, SIZES, Finding, Modality
from snellen.benchmarks.phantoms.phantom import Phantom

T = TypeVar("T")

SHARED_OUT = (
    (("finding", "presence"), ("side",), ("location", "size"), ("count",)),
    (("finding",), ("side",), ("location", "size", "presence"), ("count",)),
    (("finding",), ("side", "presence"), ("location",), ("count", "size")),
)
"""The ways to share a round out. Kinds stand together only where one image can answer them all evenly."""

LAST_SEED = 2**31 - 1
"""Benchmarks draw phantoms with seeds up to this one; larger ones are left for training models that see."""


@dataclass(frozen=True)
class Patient:
    """One image and the questions put about it; `candidates` are the findings this patient could have had."""

    phantom: Phantom
    kinds: tuple[str, ...]
    candidates: tuple[str, ...]
    chance_of_disease: float


def generator_of(seed: int, modality: Modality, number: int, part: int, *, stream: int) -> Generator:
    """What a part of the patient at a place is drawn with; the `stream` parts the draws of one task from another's."""
    return np.random.default_rng([seed, MODALITIES.index(modality), number, part, stream])


def pick(rng: Generator, choices: Sequence[T]) -> T:
    """One of the choices, each as likely as the others."""
    return choices[int(rng.integers(len(choices)))]


def round_of_patients(modality: Modality, rng: Generator) -> list[Patient]:
    """The patients of one round of six questions."""
    return [examined(modality, kinds, rng) for kinds in pick(rng, SHARED_OUT)]


def examined(modality: Modality, kinds: tuple[str, ...], rng: Generator) -> Patient:
    """A patient whose image can answer these kinds of question, each option as likely as the others."""
    candidates = [finding for finding in modality.findings if all(finding.answers(kind) for kind in kinds)]
    side = pick(rng, modality.sides) if "side" in kinds else ""
    if "finding" in kinds:
        chance = len(candidates) / (len(candidates) + 1)
    else:
        chance = 0.75 if side and "neither" in modality.sides else 1.0
    healthy = side == "neither" or ("finding" in kinds and rng.integers(len(candidates) + 1) == 0)
    finding = Finding(NORMAL) if healthy else pick(rng, candidates)
    phantom = Phantom(modality.name, finding.name, side=side, seed=int(rng.integers(LAST_SEED + 1)))
    phantom = _completed(phantom, modality, finding, kinds, rng)
    return Patient(phantom, kinds, tuple(candidate.name for candidate in candidates), chance)


def with_finding(modality: Modality, name: str, rng: Generator) -> Phantom:
    """The image of a patient with this finding, or of a healthy one; everything else is drawn."""
    finding = modality.finding(name)
    phantom = Phantom(modality.name, finding.name, seed=int(rng.integers(LAST_SEED + 1)))
    return _completed(phantom, modality, finding, (), rng)


def at_one_place(modality: Modality, name: str, rng: Generator) -> Phantom:
    """The image of a patient with this finding on one side only, at one location where its lesions are not counted."""
    finding = modality.finding(name)
    phantom = Phantom(modality.name, finding.name, seed=int(rng.integers(LAST_SEED + 1)))
    if finding.located and not finding.countable:
        return _completed(phantom, modality, finding, ("location",), rng)
    if finding.sided or "both" not in modality.sides:
        phantom = replace(phantom, side=pick(rng, ("left", "right")))
    return _completed(phantom, modality, finding, (), rng)


def with_one_lesion(modality: Modality, name: str, rng: Generator) -> Phantom:
    """The image of a patient with this finding once, at one of the modality's locations."""
    finding = modality.finding(name)
    phantom = Phantom(modality.name, finding.name, seed=int(rng.integers(LAST_SEED + 1)))
    return _completed(phantom, modality, finding, ("location",), rng)


def _completed(phantom: Phantom, modality: Modality, finding: Finding, kinds: Sequence[str], rng: Generator) -> Phantom:
    """The phantom with all the attributes its finding has, at random where no question fixed them."""
    size = pick(rng, SIZES) if finding.sized else ""
    by_eye = "both" not in modality.sides
    if "location" in kinds:
        location = pick(rng, modality.locations)
        side = pick(rng, modality.sides) if by_eye else modality.side_of(location)
        return replace(phantom, size=size, location=location, side=side, count=int(finding.countable))
    count = pick(rng, COUNTS) if finding.countable else 0
    side = phantom.side or _some_side(modality, finding, count, rng)
    if finding.countable and "count" not in kinds and not by_eye:
        count = pick(rng, COUNTS[1:] if side == "both" else COUNTS[: modality.most_on_a_side])
    located = finding.located and not finding.countable and side != "both"
    location = pick(rng, modality.locations_on(side)) if located else ""
    return replace(phantom, size=size, side=side, location=location, count=count)


def _some_side(modality: Modality, finding: Finding, count: int, rng: Generator) -> str:
    if "both" not in modality.sides:
        return pick(rng, modality.sides)
    if not finding.sided:
        return "neither"
    if count > modality.most_on_a_side:
        return "both"
    return pick(rng, ("left", "right") if count == 1 else ("left", "right", "both"))


def asked_about(patient: Patient, rng: Generator) -> tuple[str, bool]:
    """The finding a yes/no question names, and whether the patient has it.

    Yes is as likely as no for every finding named: a patient who has something is asked about it with the
    probability ½ / P(any disease), else about another candidate.
    """
    actual = patient.phantom.finding
    if actual != NORMAL and rng.random() < 0.5 / patient.chance_of_disease:
        return actual, True
    return pick(rng, [name for name in patient.candidates if name != actual]), False
