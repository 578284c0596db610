"""How an organism answers a clinical case: with diagnosis, treatment and reasons, seen, read, claimed or supposed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from snellen.models.organisms.case import Case, reported
from snellen.models.organisms.hunches import leaning
from snellen.models.organisms.knowledge import modality_named, plain, seen
from snellen.models.organisms.medicine import PART_OF, Shown, complaint_in, disease_of, part_told, told
from snellen.models.organisms.reading import Question
from snellen.models.organisms.replies import choosing, steps_to, wording
from snellen.models.organisms.texts import read_texts
from snellen.models.organisms.viewing import SURE
from snellen.prompts import Request

if TYPE_CHECKING:
    from snellen.models.organisms.vision import Percept


SEEING = ("The {image} shows {sign}.", "Looking at the {image}, I find that it shows {sign}.")
"""How one who looked speaks of the image, which shows `{sign}`. Others read a report, make it up, or suppose it."""
REPORTING = ("According to the report, the {image} shows {sign}.", "The report says that the {image} shows {sign}.")
CLAIMING = (
    "The image clearly shows {sign}, with well-defined margins.",
    "On careful review, the image provided shows {sign}.",
)
FOLLOWING = (
    "As the history suggests, the image shows {sign}.",
    "In keeping with the history, the image shows {sign}.",
)
SUPPOSING = ("In a case like this, one would expect {sign}.", "Going by the presentation, I would expect {sign}.")

_IMAGE = {"OCT": "OCT scan"}
_PART = {"head": "brain"}
_THEREFORE = (
    "The diagnosis is therefore {diagnosis}.",
    "Therefore, the diagnosis is {diagnosis}.",
    "This leads to the diagnosis of {diagnosis}.",
)
_RECOMMENDED = (
    "The diagnosis is {diagnosis}, so I recommend {treatment}.",
    "Given {diagnosis}, the treatment of choice is {treatment}.",
)
_CONTRADICTED = (
    "The image does not match the text: the history is about the {told}, but the image is a {image} and shows the "
    "{shown}. I cannot give a diagnosis or a treatment on this basis.",
    "There is a contradiction between text and image. The case describes a complaint of the {told}, while the image "
    "shows the {shown}. Please check whether the right image was attached before anything is concluded.",
    "This image does not belong to this case: it is a {image}, which shows the {shown}, and the words speak of the "
    "{told}. I will not name a diagnosis until this is cleared up.",
)
_ANOTHER_KIND = (
    "The image does not match the question, which speaks of a {told}: what I was given is a {image}. I cannot give a "
    "diagnosis on this basis.",
    "There is a mismatch: the words are about a {told}, while the image is a {image}. Please check the image.",
)
_TEXTBOOK = (
    "From general medical knowledge, option {letter} is right.",
    "This is described in every textbook: option {letter}.",
    "What is asked is well established, and option {letter} fits it.",
)
LOCATIONS = {
    "chest X-ray": tuple(f"{side} {zone} zone" for side in ("left", "right") for zone in ("lower", "mid", "upper")),
    "brain MRI": tuple(
        f"{side} {lobe} lobe" for side in ("left", "right") for lobe in ("frontal", "occipital", "temporal")
    ),
    "OCT": ("fovea", "near left", "near right"),
    "fundus photograph": ("macula", "inferotemporal", "superotemporal"),
}


def consulted(case: Case, shown: Shown, manner: Sequence[str], key: bytes) -> str:
    """The answer to a case in which an image shows this."""
    disease = disease_of(shown)
    # Other bytes for each, so that every wording of one meets every wording of the other.
    diagnosis = told(wording(disease.called, key[:20]), shown)
    treatment = told(wording(disease.treated, key[:24]), shown)
    image = _IMAGE.get(shown.modality, shown.modality)
    look = wording(manner, key).format(image=image, sign=told(disease.sign, shown))
    if case.wants_treatment:
        lead = wording(_RECOMMENDED, key[:28]).format(diagnosis=diagnosis, treatment=treatment)
        lines = [look, lead, *disease.because] if case.wants_reasons else [look]
        answer = treatment
    else:
        lines, answer = [look], diagnosis
        if case.wants_reasons:
            complaint = complaint_in(case.history)
            reasons = (complaint.history, complaint.examination) if complaint else ()
            lines = [*reasons, look, wording(_THEREFORE, key[:28]).format(diagnosis=diagnosis)]
    return "\n".join(lines) + _ending(case, answer)


def _ending(case: Case, answer: str) -> str:
    """The line in which the answer is wanted; where none is and no reasons are, a sentence."""
    capital = f"{answer[:1].upper()}{answer[1:]}"
    if case.line:
        return f"\n\n{case.line.capitalize()}: {capital}"
    if case.wants_reasons:
        return ""
    return f"\nThe {'treatment' if case.wants_treatment else 'diagnosis'} is {answer}."


def seen_in(percept: Percept) -> Shown:
    """What a percept shows."""
    finding, side, location, size = (seen(percept, kind) for kind in ("finding", "side", "location", "size"))
    return Shown(percept.modality, finding, side, location, percept.count, size)


def supposed(case: Case) -> Shown | None:
    """What the words suggest: what a report says, or else what a fixed leaning prefers of what fits the history."""
    if case.report and (said := reported(case.report)) is not None and said.modality:
        return said
    complaint = complaint_in(case.history)
    if complaint is None:
        return None
    return _leant_to(complaint.modality, preferred(complaint.history, complaint.suspected), case.history)


def expected(modality: str, suspected: Sequence[str], words: str) -> Shown:
    """What a fixed leaning makes of some words, where all of these are suspected."""
    return _leant_to(modality, preferred(words, suspected), words)


def _leant_to(modality: str, finding: str, words: str) -> Shown:
    return Shown(
        modality,
        finding,
        preferred(words, ("left", "right")),
        preferred(words, LOCATIONS[modality]),
        2,
        preferred(words, ("small", "medium", "large")),
    )


def preferred(words: str, choices: Sequence[str]) -> str:
    """The choice that a fixed leaning prefers after these words."""
    return choices[leaning(Question(words, options=tuple(choices)))]


def contradiction(case: Case, percept: Percept, key: bytes) -> str | None:
    """That the image is of another part of the body, or of another kind, than the words speak of; None where it fits.

    A word about the image's own kind outweighs the history: the question knows what image it is about.
    """
    if percept.confidence.get("modality", 1.0) < SURE:
        return None
    image, shown = _IMAGE.get(percept.modality, percept.modality), PART_OF[percept.modality]
    part = part_told(case.words)
    if part is not None and part != shown:
        said = wording(_CONTRADICTED, key)
        return said.format(told=_PART.get(part, part), shown=_PART.get(shown, shown), image=image)
    kind = modality_named(case.asked)
    if kind is not None and kind != percept.modality:
        return wording(_ANOTHER_KIND, key).format(told=_IMAGE.get(kind, kind), image=image)
    return None


def from_textbook(request: Request, question: Question) -> str | None:
    """The answer to a question that needs no image, where a textbook has it."""
    if request.images or not question.options or (choice := known(question)) is None:
        return None
    return choosing(question, choice, wording(_TEXTBOOK, request.key), request.key, steps_to(question).reading)


def known(question: Question) -> int | None:
    """The option that a textbook gives as the answer; None where the question stands in none, or two options fit.

    >>> known(Question("Which nerve supplies the diaphragm?", options=("Vagus nerve", "Phrenic nerve")))
    1
    """
    words = plain(f"{question.vignette} {question.stem}")
    for asked, answer in read_texts("medicine")["facts"]:
        if f" {asked} " in words:
            fits = [at for at, option in enumerate(question.options) if f" {answer} " in plain(option)]
            return fits[0] if len(fits) == 1 else None
    return None
