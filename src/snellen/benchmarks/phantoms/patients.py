"""Phantom patients and their questions.

Six questions, one of every kind, are a round; its patients have one to three questions each. Findings are drawn so that
every option is equally likely to be correct, whatever the text and the options are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.random import Generator

from snellen.benchmarks.phantoms.catalogue import COUNTS, MODALITIES, NORMAL, SIZES, Modality, PhantomFinding
from snellen.benchmarks.phantoms.phantom import Phantom

T = TypeVar("T")

SHARED_OUT = (
    (("finding", "presence"), ("side",), ("location", "size"), ("count",)),
    (("finding",), ("side",), ("location", "size", "presence"), ("count",)),
    (("finding",), ("side", "presence"), ("location",), ("count", "size")),
)
"""Ways to divide a round among patients. Kinds share an image only if their options stay equally likely."""

LAST_SEED = 2**31 - 1
"""Largest seed of phantoms in benchmarks; larger ones are kept for training models that see."""


@dataclass(frozen=True)
class Patient:
    """One image and its questions; `candidates` are the possible findings."""

    phantom: Phantom
    kinds: tuple[str, ...]
    candidates: tuple[str, ...]
    chance_of_disease: float


def generator_of(seed: int, modality: Modality, number: int, part: int, *, stream: int) -> Generator:
    """Return the random generator for one part of a patient's draws; `stream` separates tasks."""
    return np.random.default_rng([seed, MODALITIES.index(modality), number, part, stream])


def pick(rng: Generator, choices: Sequence[T]) -> T:
    """Draw one of the choices with equal probability."""
    return choices[int(rng.integers(len(choices)))]


def round_of_patients(modality: Modality, rng: Generator) -> list[Patient]:
    """Draw the patients of one round of six questions."""
    return [draw_patient(modality, kinds, rng) for kinds in pick(rng, SHARED_OUT)]


def draw_patient(modality: Modality, kinds: tuple[str, ...], rng: Generator) -> Patient:
    """Draw a patient for these kinds of question, with balanced options."""
    candidates = [finding for finding in modality.findings if all(finding.answers(kind) for kind in kinds)]
    side = pick(rng, modality.sides) if "side" in kinds else ""
    if "finding" in kinds:
        chance = len(candidates) / (len(candidates) + 1)
    else:
        chance = 0.75 if side and "neither" in modality.sides else 1.0
    healthy = side == "neither" or ("finding" in kinds and rng.integers(len(candidates) + 1) == 0)
    finding = PhantomFinding(NORMAL) if healthy else pick(rng, candidates)
    phantom = Phantom(modality.name, finding.name, side=side, seed=int(rng.integers(LAST_SEED + 1)))
    phantom = _complete_phantom(phantom, modality, finding, kinds, rng)
    return Patient(phantom, kinds, tuple(candidate.name for candidate in candidates), chance)


def with_finding(modality: Modality, name: str, rng: Generator, *, at_one_location: bool = False) -> Phantom:
    """Draw a patient with this finding, or a healthy one; `at_one_location` means one lesion."""
    finding = modality.finding(name)
    phantom = Phantom(modality.name, finding.name, seed=int(rng.integers(LAST_SEED + 1)))
    return _complete_phantom(phantom, modality, finding, ("location",) if at_one_location else (), rng)


def on_one_side(modality: Modality, name: str, rng: Generator) -> Phantom:
    """Draw a patient with the finding on one side, and at one location if possible."""
    finding = modality.finding(name)
    if finding.located and not finding.countable:
        return with_finding(modality, name, rng, at_one_location=True)
    phantom = Phantom(modality.name, finding.name, seed=int(rng.integers(LAST_SEED + 1)))
    if finding.sided or "both" not in modality.sides:
        phantom = replace(phantom, side=pick(rng, ("left", "right")))
    return _complete_phantom(phantom, modality, finding, (), rng)


def _complete_phantom(
    phantom: Phantom, modality: Modality, finding: PhantomFinding, kinds: Sequence[str], rng: Generator
) -> Phantom:
    """Draw the attributes that no question has fixed."""
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


def _some_side(modality: Modality, finding: PhantomFinding, count: int, rng: Generator) -> str:
    if "both" not in modality.sides:
        return pick(rng, modality.sides)
    if not finding.sided:
        return "neither"
    if count > modality.most_on_a_side:
        return "both"
    return pick(rng, ("left", "right") if count == 1 else ("left", "right", "both"))


def asked_about(patient: Patient, rng: Generator) -> tuple[str, bool]:
    """Draw the finding that a yes/no question names; return also if the patient has it.

    Yes and no are equally likely for every finding named. A diseased patient's question names the patient's finding
    with probability ½ / P(any disease), else another candidate.
    """
    actual = patient.phantom.finding
    if actual != NORMAL and rng.random() < 0.5 / patient.chance_of_disease:
        return actual, True
    return pick(rng, [name for name in patient.candidates if name != actual]), False
