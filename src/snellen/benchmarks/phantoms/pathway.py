"""Phantoms as patients of a clinic: seven tasks along the clinical pathway, from knowledge to reasons for a treatment.

Every patient is asked about five times: which disease the image shows (a choice, no history), the diagnosis, how it was
reached, the treatment, and why that one (open, with history and examination). Two questions without an image go with
each patient: one of knowledge and one about a summarised note.

What can be had without eyes is known. Each presentation fits three findings of its modality equally often, so who reads
and never looks gets at most one finding in three right, and fewer complete diagnoses, as no words name a side or a
site. More treatments can be had, as some findings share theirs. Knowledge and notes need no eyes at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from types import MappingProxyType
from typing import Any, TypeVar

from numpy.random import Generator

from snellen.benchmarks.phantoms.catalogue import Modality
from snellen.benchmarks.phantoms.diseases import DISEASES, Disease
from snellen.benchmarks.phantoms.patients import at_one_place, generator_of, pick
from snellen.benchmarks.phantoms.phantom import Phantom
from snellen.benchmarks.phantoms.questions import findings_offered
from snellen.benchmarks.phantoms.wording import ENGLISH, read_texts
from snellen.images import Image
from snellen.items import Item, Option

PATHWAY = "pathway"
_ID = "phantoms/pathway/"
QUESTIONS = {
    "image": "Which diagnosis does this {modality} show?",
    "diagnosis": "What is the complete diagnosis of this patient?",
    "diagnostic-reasoning": "Which steps lead from the history, the examination and the image to the diagnosis?",
    "treatment": "How should this patient be treated?",
    "treatment-reasoning": "Which treatment fits this patient, and for which reasons?",
}
"""What is asked about a patient, by the task."""
_ACUITIES = ("6/9", "6/12", "6/18", "6/24")
_rng = partial(generator_of, stream=5)
_CASES, _BOOKS, _DRAWN = range(3)


@dataclass(frozen=True)
class Asked:
    """A question with the right answer and four wrong ones; `note` is what is told of a patient, if anything is.

    `{age}` and `{person}` in a note are drawn; `ages` says from where.
    """

    question: str
    right: str
    wrong: tuple[str, str, str, str]
    note: str = ""
    ages: tuple[int, int] = (20, 80)


@dataclass(frozen=True)
class Presentation:
    """A history and an examination, the findings that they fit, and what a clinician makes of each as a step.

    `history` has several wordings, which mean the same. `{age}`, `{person}`, `{pulse}` and `{acuity}` are drawn without
    regard to what the patient has.
    """

    fits: tuple[str, str, str]
    ages: tuple[int, int]
    history: tuple[str, ...]
    examination: str
    from_history: str
    from_examination: str


T = TypeVar("T")


def _records(kind: Callable[..., T], told: Mapping[str, Any]) -> Mapping[str, tuple[T, ...]]:
    return {code: tuple(kind(**each) for each in records) for code, records in told.items()}


_BOOK = read_texts("textbook")
KNOWLEDGE = _records(Asked, _BOOK["knowledge"])
"""Questions of knowledge, by the code of the modality."""
NOTES = _records(Asked, _BOOK["notes"])
"""Summarised notes, by the code of the modality."""
PRESENTATIONS = _records(Presentation, read_texts("presentations"))
"""How patients come to the clinic, by the code of the modality."""
FIELDS = MappingProxyType(
    {"cxr": "chest medicine", "mri": "neurology", "oct": "ophthalmology", "fundus": "ophthalmology"}
)
"""The field of medicine that goes with each modality."""


@dataclass(frozen=True)
class Case:
    """A patient: the image, what is told of them, and what they have."""

    modality: Modality
    phantom: Phantom
    presentation: Presentation
    disease: Disease
    history: str
    examination: str
    age: int
    sex: str

    @property
    def context(self) -> str:
        """What stands before the open questions."""
        return f"History: {self.history}\nExamination: {self.examination}"

    @property
    def report(self) -> str:
        """What the radiologist or the ophthalmologist writes about the image."""
        named = ENGLISH.modality[self.modality.code]
        return f"{named[:1].upper()}{named[1:]}. {self.disease.report}"

    @property
    def diagnostic_steps(self) -> tuple[str, ...]:
        """How the diagnosis is reached."""
        told, named = self.presentation, self.disease.diagnoses[0]
        return (
            told.from_history,
            told.from_examination,
            self.disease.shows,
            f"The diagnosis is therefore: {named[:1].lower() + named[1:] if named[1:2].islower() else named}.",
        )


def pathways(modality: Modality, seed: int) -> Iterator[Item]:
    """The endless sequence of one modality's patients, seven items each in the order of the pathway."""
    for number in count():
        yield from _items(modality, seed, number)


def _items(modality: Modality, seed: int, number: int) -> Iterator[Item]:
    rng = _rng(seed, modality, number, _DRAWN)
    series = f"{seed}/{modality.code}"
    for task, asked in (("knowledge", KNOWLEDGE[modality.code]), ("note", NOTES[modality.code])):
        at, one = _in_turn(asked, seed, modality, number, _BOOKS)
        # The same words come back once all have had their turn: they are one cluster however often they are asked.
        cluster = f"{_ID}{modality.code}-{task}-{at}"
        yield replace(
            _from_textbook(one, modality, task, rng), id=f"{_ID}{series}-{number:06d}-{task}", cluster=cluster
        )
    yield from _of_patient(case_of(modality, seed, number), f"{series}-{number:06d}", rng)


def case_of(modality: Modality, seed: int, number: int) -> Case:
    """The patient at a place: presentations and findings take turns, so that every eighteen patients are balanced."""
    pairs = [(told, finding) for told in PRESENTATIONS[modality.code] for finding in told.fits]
    _, (told, finding) = _in_turn(pairs, seed, modality, number, _CASES)
    rng = _rng(seed, modality, number, _CASES)
    phantom = at_one_place(modality, finding, rng)
    age, (sex, person) = int(rng.integers(told.ages[0], told.ages[1] + 1)), pick(rng, ENGLISH.sex)
    words = {"age": age, "person": person, "pulse": int(rng.integers(74, 99)), "acuity": pick(rng, _ACUITIES)}
    return Case(
        modality=modality,
        phantom=phantom,
        presentation=told,
        disease=DISEASES[modality.code][finding].of(phantom),
        history=pick(rng, told.history).format(**words),
        examination=told.examination.format(**words),
        age=age,
        sex=sex,
    )


def _in_turn(members: Sequence[T], seed: int, modality: Modality, number: int, part: int) -> tuple[int, T]:
    """The member whose turn it is, and its place: all take turns, in an order drawn anew for every round."""
    turn, place = divmod(number, len(members))
    order = _rng(seed, modality, turn, part + len(members)).permutation(len(members))
    return int(order[place]), members[order[place]]


def _from_textbook(asked: Asked, modality: Modality, task: str, rng: Generator) -> Item:
    age, (sex, person) = int(rng.integers(asked.ages[0], asked.ages[1] + 1)), pick(rng, ENGLISH.sex)
    texts = (asked.right, *asked.wrong)
    order = [int(at) for at in rng.permutation(len(texts))]
    return Item(
        id="",
        question=asked.question,
        options=tuple(Option(texts[at]) for at in order),
        answer=order.index(0),
        context=asked.note.format(age=age, person=person),
        category=FIELDS[modality.code],
        metadata={"task": task, **({"age": age, "sex": sex} if asked.note else {})},
    )


def _of_patient(case: Case, series: str, rng: Generator) -> Iterator[Item]:
    right, offered = findings_offered(case.phantom.finding, case.modality, ENGLISH, rng)
    common: dict[str, Any] = {
        "images": (Image(case.phantom),),
        "category": case.modality.name,
        "cluster": f"{_ID}{series}-patient",
    }
    yield Item(
        id=f"{_ID}{series}-image",
        question=QUESTIONS["image"].format(modality=ENGLISH.modality[case.modality.code]),
        options=tuple(map(Option, offered)),
        answer=offered.index(right),
        metadata=_metadata(case, "image"),
        **common,
    )
    for task, references, steps in _open_tasks(case):
        more: dict[str, Any] = {"steps": list(steps)} if steps else {"answers": list(references)}
        yield Item(
            id=f"{_ID}{series}-{task}",
            question=QUESTIONS[task],
            answer=references[0],
            kind="open",
            context=case.context,
            metadata={**_metadata(case, task), **more},
            **common,
        )


def _open_tasks(case: Case) -> Iterator[tuple[str, Sequence[str], Sequence[str]]]:
    """The open tasks, each with its references and the steps of its reasoning."""
    disease = case.disease
    yield "diagnosis", disease.diagnoses, ()
    yield "diagnostic-reasoning", [" ".join(case.diagnostic_steps)], case.diagnostic_steps
    yield "treatment", disease.treatments, ()
    yield "treatment-reasoning", [" ".join(disease.reasons)], disease.reasons


def _metadata(case: Case, task: str) -> Mapping[str, Any]:
    return {
        "task": task,
        "modality": case.modality.name,
        "body_part": case.modality.body_part,
        "finding": case.phantom.finding,
        "report": case.report,
        "history": case.history,
        "examination": case.examination,
        "age": case.age,
        "sex": case.sex,
    }
