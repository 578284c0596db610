"""Phantoms as patients: seven tasks of the clinical pathway.

Each patient has five questions about the image: which disease it shows (a choice, without history), and open questions
with history and examination: the diagnosis, its reasons, the treatment, and its reasons. Two more have no image: one on
knowledge and one about a summarised note.

The score without the image is known. Each presentation fits three findings of its modality equally often, so a model
that ignores the image names at most one finding in three. It gives fewer complete diagnoses, as the text names neither
side nor site. It may give more correct treatments, as some findings share theirs. Knowledge and notes need no image.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, count
from types import MappingProxyType
from typing import Any, TypeVar

from numpy.random import Generator

from snellen.benchmarks.phantoms.catalogue import Modality
from snellen.benchmarks.phantoms.diseases import DISEASES, DiseaseText
from snellen.benchmarks.phantoms.patients import generator_of, on_one_side, pick
from snellen.benchmarks.phantoms.phantom import Phantom
from snellen.benchmarks.phantoms.questions import findings_offered
from snellen.benchmarks.phantoms.regions import show
from snellen.benchmarks.phantoms.wording import ENGLISH, read_texts
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
"""Questions about a patient, by task."""
_ACUITIES = ("6/9", "6/12", "6/18", "6/24")
_rng = partial(generator_of, stream=5)
_CASES, _BOOKS, _DRAWN = range(3)


@dataclass(frozen=True)
class PathwayQuestion:
    """Question with one correct and four wrong answers, and a patient's `note`.

    `{age}` and `{person}` in a note are drawn; `ages` is the range of ages.
    """

    question: str
    right: str
    wrong: tuple[str, str, str, str]
    note: str = ""
    ages: tuple[int, int] = (20, 80)


@dataclass(frozen=True)
class ClinicalPresentation:
    """History, examination, fitting findings and the clinician's conclusions.

    `history` has several wordings with the same meaning. `{age}`, `{person}`, `{pulse}` and `{acuity}` are drawn
    independently of the patient's disease.
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
KNOWLEDGE = _records(PathwayQuestion, _BOOK["knowledge"])
"""Questions of knowledge, by code of the modality."""
NOTES = _records(PathwayQuestion, _BOOK["notes"])
"""Summarised notes, by code of the modality."""
PRESENTATIONS = _records(ClinicalPresentation, read_texts("presentations"))
"""Clinical presentations, by code of the modality."""
FIELDS = MappingProxyType(
    {"cxr": "chest medicine", "mri": "neurology", "oct": "ophthalmology", "fundus": "ophthalmology"}
)
"""Field of medicine for each modality."""


@dataclass(frozen=True)
class PathwayPatient:
    """Patient: the image, the history and examination, and the disease."""

    modality: Modality
    phantom: Phantom
    presentation: ClinicalPresentation
    disease: DiseaseText
    history: str
    examination: str
    age: int
    sex: str

    @property
    def context(self) -> str:
        """Text before the open questions."""
        return f"History: {self.history}\nExamination: {self.examination}"

    @property
    def report(self) -> str:
        """Report on the image by the radiologist or the ophthalmologist."""
        named = ENGLISH.modality[self.modality.code]
        return f"{named[:1].upper()}{named[1:]}. {self.disease.report}"

    @property
    def diagnostic_steps(self) -> tuple[str, ...]:
        """Steps of reasoning that lead to the diagnosis."""
        told, named = self.presentation, self.disease.diagnoses[0]
        return (
            told.from_history,
            told.from_examination,
            self.disease.shows,
            f"The diagnosis is therefore: {named[:1].lower() + named[1:] if named[1:2].islower() else named}.",
        )


def pathways(modality: Modality, seed: int) -> Iterator[Item]:
    """Yield patients without end, with seven items each."""
    return chain.from_iterable(_items(modality, seed, number) for number in count())


def _items(modality: Modality, seed: int, number: int) -> Iterator[Item]:
    rng = _rng(seed, modality, number, _DRAWN)
    series = f"{seed}/{modality.code}"
    for task, asked in (("knowledge", KNOWLEDGE[modality.code]), ("note", NOTES[modality.code])):
        at, one = _in_turn(asked, seed, modality, number, _BOOKS)
        # The same text returns once all have been asked. It is one cluster, however often it is asked.
        cluster = f"{_ID}{modality.code}-{task}-{at}"
        yield replace(
            _from_textbook(one, modality, task, rng), id=f"{_ID}{series}-{number:06d}-{task}", cluster=cluster
        )
    yield from _of_patient(case_of(modality, seed, number), f"{series}-{number:06d}", rng)


def case_of(modality: Modality, seed: int, number: int) -> PathwayPatient:
    """Return the patient at a position; eighteen patients in a row are balanced."""
    pairs = [(told, finding) for told in PRESENTATIONS[modality.code] for finding in told.fits]
    _, (told, finding) = _in_turn(pairs, seed, modality, number, _CASES)
    rng = _rng(seed, modality, number, _CASES)
    phantom = on_one_side(modality, finding, rng)
    age, (sex, person) = int(rng.integers(told.ages[0], told.ages[1] + 1)), pick(rng, ENGLISH.sex)
    words = {"age": age, "person": person, "pulse": int(rng.integers(74, 99)), "acuity": pick(rng, _ACUITIES)}
    return PathwayPatient(
        modality=modality,
        phantom=phantom,
        presentation=told,
        disease=DISEASES[modality.code][finding].fill_words(phantom),
        history=pick(rng, told.history).format(**words),
        examination=told.examination.format(**words),
        age=age,
        sex=sex,
    )


def _in_turn(members: Sequence[T], seed: int, modality: Modality, number: int, part: int) -> tuple[int, T]:
    """Return the next member and its index; each round has a random order."""
    turn, place = divmod(number, len(members))
    order = _rng(seed, modality, turn, part + len(members)).permutation(len(members))
    return int(order[place]), members[order[place]]


def _from_textbook(asked: PathwayQuestion, modality: Modality, task: str, rng: Generator) -> Item:
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


def _of_patient(case: PathwayPatient, series: str, rng: Generator) -> Iterator[Item]:
    right, offered = findings_offered(case.phantom.finding, case.modality, ENGLISH, rng)
    common: dict[str, Any] = {
        "images": (show(case.phantom),),
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


def _open_tasks(case: PathwayPatient) -> Iterator[tuple[str, Sequence[str], Sequence[str]]]:
    """Yield the open tasks, each with its references and the steps of its reasoning."""
    disease = case.disease
    yield "diagnosis", disease.diagnoses, ()
    yield "diagnostic-reasoning", [" ".join(case.diagnostic_steps)], case.diagnostic_steps
    yield "treatment", disease.treatments, ()
    yield "treatment-reasoning", [" ".join(disease.reasons)], disease.reasons


def _metadata(case: PathwayPatient, task: str) -> Mapping[str, Any]:
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
