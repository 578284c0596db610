"""Answers of an organism to a clinical case: diagnosis, treatment and reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from snellen.models.organisms.case import PatientCase, read_report
from snellen.models.organisms.hunches import leaning
from snellen.models.organisms.knowledge import modality_named, plain, read_percept
from snellen.models.organisms.medicine import PART_OF, ShownFinding, complaint_in, disease_of, fill_text, part_told
from snellen.models.organisms.reading import ParsedQuestion
from snellen.models.organisms.replies import choosing, steps_to, wording
from snellen.models.organisms.texts import read_texts
from snellen.models.organisms.viewing import SURE
from snellen.prompts import Request

if TYPE_CHECKING:
    from snellen.models.organisms.vision import Percept


SEEING = ("The {image} shows {sign}.", "Looking at the {image}, I find that it shows {sign}.")
"""Wordings for an image that shows `{sign}`: seen, read in a report, made up, taken from the history, or supposed."""
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


def answer_case(case: PatientCase, shown: ShownFinding, manner: Sequence[str], key: bytes) -> str:
    """Return the answer to a case in which the image shows this finding."""
    disease = disease_of(shown)
    # Different bytes of the key, so that all wordings of both are combined.
    diagnosis = fill_text(wording(disease.called, key[:20]), shown)
    treatment = fill_text(wording(disease.treated, key[:24]), shown)
    image = _IMAGE.get(shown.modality, shown.modality)
    look = wording(manner, key).format(image=image, sign=fill_text(disease.sign, shown))
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


def _ending(case: PatientCase, answer: str) -> str:
    """Return the line with the answer. A sentence if neither such a line nor reasons are wanted."""
    capital = f"{answer[:1].upper()}{answer[1:]}"
    if case.line:
        return f"\n\n{case.line.capitalize()}: {capital}"
    if case.wants_reasons:
        return ""
    return f"\nThe {'treatment' if case.wants_treatment else 'diagnosis'} is {answer}."


def seen_in(percept: Percept) -> ShownFinding:
    """Return the finding in a percept (what the network sees in an image)."""
    finding, side, location, size = (read_percept(percept, kind) for kind in ("finding", "side", "location", "size"))
    return ShownFinding(percept.modality, finding, side, location, percept.count, size)


def suppose_finding(case: PatientCase) -> ShownFinding | None:
    """Return the finding that the text suggests: the report's, or one chosen by a fixed preference."""
    if case.report and (said := read_report(case.report)) is not None and said.modality:
        return said
    complaint = complaint_in(case.history)
    if complaint is None:
        return None
    return _leant_to(complaint.modality, choose_by_leaning(complaint.history, complaint.suspected), case.history)


def expect_finding(modality: str, suspected: Sequence[str], words: str) -> ShownFinding:
    """Return the finding that a fixed preference chooses among the suspected ones, given the text."""
    return _leant_to(modality, choose_by_leaning(words, suspected), words)


def _leant_to(modality: str, finding: str, words: str) -> ShownFinding:
    return ShownFinding(
        modality,
        finding,
        choose_by_leaning(words, ("left", "right")),
        choose_by_leaning(words, LOCATIONS[modality]),
        2,
        choose_by_leaning(words, ("small", "medium", "large")),
    )


def choose_by_leaning(words: str, choices: Sequence[str]) -> str:
    """Return the choice that a fixed preference makes after this text."""
    return choices[leaning(ParsedQuestion(words, options=tuple(choices)))]


def contradiction(case: PatientCase, percept: Percept, key: bytes) -> str | None:
    """Return a sentence on a mismatch of image and text; None if they fit.

    If text and image are about one part of the body, the kind of image named in the question is compared.
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


def from_textbook(request: Request, question: ParsedQuestion) -> str | None:
    """Return the answer to a question that needs no image. None if the textbook does not have it."""
    if request.images or not question.options or (choice := find_textbook_answer(question)) is None:
        return None
    return choosing(question, choice, wording(_TEXTBOOK, request.key), request.key, steps_to(question).reading)


def find_textbook_answer(question: ParsedQuestion) -> int | None:
    """Return the option that the textbook gives; None unless exactly one fits.

    >>> find_textbook_answer(ParsedQuestion("Which nerve supplies the diaphragm?", options=("Vagus", "Phrenic nerve")))
    1
    """
    words = plain(f"{question.vignette} {question.stem}")
    for asked, answer in read_texts("medicine")["facts"]:
        if f" {asked} " in words:
            fits = [at for at, option in enumerate(question.options) if f" {answer} " in plain(option)]
            return fits[0] if len(fits) == 1 else None
    return None
