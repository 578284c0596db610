"""Counterfactual phantoms: the same patient with the finding removed, moved, enlarged or replaced.

Only pixels in the regions of the two findings differ. The answer to the question is another one, which is also offered.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import count

import numpy as np
from numpy.random import Generator

from snellen.benchmarks.phantoms.catalogue import MODALITIES, NORMAL, SIZES, Modality
from snellen.benchmarks.phantoms.patients import Patient, draw_patient, generator_of, pick, with_finding
from snellen.benchmarks.phantoms.phantom import Phantom
from snellen.benchmarks.phantoms.premises import ALIKE
from snellen.benchmarks.phantoms.questions import PhantomQuestion, questions, vignette
from snellen.benchmarks.phantoms.regions import FindingMask, find_regions, show, without_finding
from snellen.benchmarks.phantoms.wording import ENGLISH
from snellen.images import Image, Pixels
from snellen.items import Item, Option, Substitute

COUNTERFACTUAL = "counterfactual"
REMOVED, MOVED, ENLARGED, REPLACED = "removed", "moved", "enlarged", "replaced"
CHANGES = {
    "finding": (REMOVED, REPLACED),
    "presence": (REMOVED, REPLACED),
    "side": (REMOVED, MOVED),
    "location": (MOVED,),
    "size": (ENLARGED,),
}
"""Changes of the image that change the answer, by kind of question."""
_ACROSS = {"left": "right", "right": "left"}
_rng = partial(generator_of, stream=7)


@dataclass(frozen=True)
class Counterpart:
    """A patient's image in which only the regions of both findings are those of `changed`."""

    original: Phantom
    changed: Phantom

    def draw(self) -> Pixels:
        """Return the pixels."""
        pixels = self.original.draw()
        inside = np.maximum(*(FindingMask(each).draw() for each in (self.original, self.changed))) > 0
        pixels[inside] = self.changed.draw()[inside]
        return pixels


def counterfactuals(modality: Modality, seed: int) -> Iterator[Item]:
    """Yield one modality's items without end, the kinds of question in turn."""
    # Only an image of both sides can show the other side: a fundus photograph shows one eye.
    kinds = [kind for kind in CHANGES if kind != "side" or "both" in modality.sides]
    row = MODALITIES.index(modality)
    return (_item(modality, kinds[(number + row) % len(kinds)], seed, number) for number in count())


def _item(modality: Modality, kind: str, seed: int, number: int) -> Item:
    rng = _rng(seed, modality, number, 0)
    patient = _draw_patient(modality, kind, rng)
    told = vignette(modality, ENGLISH, rng)
    [question] = questions(patient, modality, ENGLISH, rng)
    phantom, series = patient.phantom, f"phantoms/{COUNTERFACTUAL}/{seed}/{modality.code}-{number:06d}"
    changed = {each: _change(phantom, each, modality, question, rng) for each in CHANGES[kind]}
    answers = {each: _answer(kind, phantom, made, modality) for each, made in changed.items()}
    return Item(
        id=series,
        question=question.text,
        options=tuple(map(Option, question.options)),
        answer=question.answer,
        images=(show(phantom),),
        context=told.text,
        category=modality.name,
        cluster=f"{series}-patient",
        metadata={
            "modality": modality.name,
            "finding": phantom.finding,
            "question_kind": kind,
            "body_part": modality.body_part,
            "age": told.age,
            "sex": told.sex,
        },
        substitutes=tuple(
            Substitute((Image(Counterpart(phantom, made), regions=find_regions(made)),), answers[each], change=each)
            for each, made in changed.items()
            if answers[each] in question.options
        ),
    )


def _draw_patient(modality: Modality, kind: str, rng: Generator) -> Patient:
    """Draw a patient whose finding can be changed: on one side, and not already large."""
    while True:
        patient = draw_patient(modality, (kind,), rng)
        shown = patient.phantom
        one_side = kind != "side" or shown.side in _ACROSS
        if shown.finding != NORMAL and one_side and (kind != "size" or shown.size != SIZES[-1]):
            # A question about presence then always names the finding that is there.
            return replace(patient, chance_of_disease=0.5)


def _change(phantom: Phantom, change: str, modality: Modality, question: PhantomQuestion, rng: Generator) -> Phantom:
    """Return the same patient after a change. New locations and findings are those that are offered."""
    if change == REMOVED:
        return without_finding(phantom)
    if change == ENLARGED:
        return replace(phantom, size=pick(rng, SIZES[SIZES.index(phantom.size) + 1 :]))
    if change == MOVED and question.kind == "side":
        other = _ACROSS[phantom.side]
        return replace(phantom, side=other, location=phantom.location.replace(phantom.side, other))
    if change == MOVED:
        others = [each for each in modality.locations if ENGLISH.option[each] in question.options]
        location = pick(rng, [each for each in others if each != phantom.location])
        side = phantom.side if "both" not in modality.sides else modality.side_of(location)
        return replace(phantom, location=location, side=side)
    others = [name for name in modality.names[1:] if name != phantom.finding]
    unlike = [name for name in others if frozenset((name, phantom.finding)) not in ALIKE]
    if question.kind == "finding":
        unlike = [name for name in unlike if ENGLISH.option[name] in question.options]
    made = replace(with_finding(modality, pick(rng, unlike), rng), seed=phantom.seed)
    return made if "both" in modality.sides else replace(made, side=phantom.side)


def _answer(kind: str, phantom: Phantom, changed: Phantom, modality: Modality) -> str:
    """Return the right option for the changed image."""
    removed = changed == without_finding(phantom)
    if kind == "presence":
        return ENGLISH.option["no"]
    if kind == "side":
        return ENGLISH.side[modality.code]["neither" if removed else changed.side]
    if kind == "finding":
        return ENGLISH.option[NORMAL if removed else changed.finding]
    return ENGLISH.option[changed.size if kind == "size" else changed.location]
