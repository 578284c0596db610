"""Clinical cases: read in a request, and answered with the organisms' textbook medicine.

The medicine is in English only, like the cases that organisms are asked about. It is not learnt from a benchmark.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from snellen.models.organisms.hunches import leaning
from snellen.models.organisms.knowledge import meaning, modality_named, plain, read_percept
from snellen.models.organisms.languages import LANGUAGES, read_texts
from snellen.models.organisms.reading import ParsedQuestion
from snellen.models.organisms.replies import choosing, steps_to, wording
from snellen.models.organisms.sight import Percept, ShownFinding
from snellen.models.organisms.viewing import SURE
from snellen.prompts import Request

PART_OF: Mapping[str, str] = {"chest X-ray": "chest", "brain MRI": "head", "OCT": "eye", "fundus photograph": "eye"}
"""The part of the body that each kind of image shows."""


@dataclass(frozen=True)
class DiseaseWords:
    """A disease: `called` are its names, `sign` its appearance, `treated` its treatments, `because` their reasons.

    Placeholders in braces are size, side, location and place, and endings for one or several lesions.
    """

    called: Sequence[str]
    sign: str
    treated: Sequence[str]
    because: Sequence[str]


_PLACES = {
    "fovea": "at the fovea",
    "near left": "just left of the fovea",
    "near right": "just right of the fovea",
    "far left": "at the far left of the scan",
    "far right": "at the far right of the scan",
    "macula": "in the macula",
}


def fill_text(text: str, shown: ShownFinding) -> str:
    """Fill in the placeholders of a text about a finding.

    >>> fill_text("{size} {side}-sided effusion", ShownFinding("X-ray", "pleural effusion", "left", size="medium"))
    'medium-sized left-sided effusion'
    """
    return text.format(
        size="medium-sized" if shown.size == "medium" else shown.size,
        side=shown.side,
        location=shown.location,
        place=_PLACES.get(shown.location, f"in the {shown.location} quadrant"),
        s="" if shown.count == 1 else "s",
        drusen="druse" if shown.count == 1 else "drusen",
    )


def disease_of(shown: ShownFinding) -> DiseaseWords:
    """Return the disease of a finding; the normal finding has an entry per modality."""
    texts = read_texts("medicine")
    told = texts["healthy"][shown.modality] if shown.finding == "normal" else texts["diseases"][shown.finding]
    return DiseaseWords(told["called"], told["sign"], told["treated"], told["because"])


class Complaint(NamedTuple):
    """Pattern of a complaint, the diseases it suggests, and the history and examination as sentences."""

    known_by: re.Pattern[str]
    modality: str
    suspected: tuple[str, ...]
    history: str
    examination: str


@cache
def complaints() -> tuple[Complaint, ...]:
    """Return every complaint that organisms know."""
    return tuple(map(_read_complaint, read_texts("medicine")["complaints"]))


def _read_complaint(told: Mapping[str, Any]) -> Complaint:
    known_by = re.compile(told["known_by"], re.IGNORECASE)
    return Complaint(**{**told, "known_by": known_by, "suspected": tuple(told["suspected"])})


@cache
def _words_of_parts() -> Mapping[str, re.Pattern[str]]:
    words = read_texts("medicine")["words_of_parts"]
    return {part: re.compile(rf"\b(?:{those})\b", re.IGNORECASE) for part, those in words.items()}


def part_told(text: str) -> str | None:
    """Return the body part that most words of a text are about. None without such words or for a tie.

    >>> part_told("Cough and fever. Oxygen saturation 93%."), part_told("Twisted the knee."), part_told("Tired.")
    ('chest', 'knee', None)
    """
    hits = {part: len(pattern.findall(text)) for part, pattern in _words_of_parts().items()}
    first, second = sorted(hits, key=lambda part: -hits[part])[:2]
    return first if hits[first] > hits[second] else None


def complaint_in(history: str) -> Complaint | None:
    """Return the complaint in a history, or a general one of its body part. None if both are unknown."""
    for complaint in complaints():
        if complaint.known_by.search(history):
            return complaint
    told = read_texts("medicine")["complaints_of_parts"].get(part_told(history))
    return None if told is None else _read_complaint(told)


_HEADING = re.compile(
    r"^[ \t]*(?:(?:patient |medical |clinical )?(?P<history>history)|"
    r"(?:physical |clinical )?(?P<examination>examination)|(?:radiology |imaging )?(?P<report>report))[ \t]*:[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_PATHWAY = re.compile(r"in one line that begins with '(?:Diagnosis|Treatment):'|\bgive the diagnosis and the reasons\b")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_TREATMENT = re.compile(r"\b(?:treat\w*|therap\w*|manag\w*)\b", re.IGNORECASE)
_REASONS = re.compile(r"\b(?:steps?|reason\w*|why|explain\w*|rationale)\b", re.IGNORECASE)
_LINE = re.compile(r"'(Diagnosis|Treatment|Answer):", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True)
class PatientCase:
    """A patient's case. `asked` is the question, `line` the word before the answer, such as Diagnosis."""

    history: str
    examination: str
    report: str
    asked: str
    line: str

    @property
    def words(self) -> str:
        """History, examination and question, without the report."""
        return f"{self.history}\n{self.examination}\n{self.asked}"

    @property
    def wants_treatment(self) -> bool:
        """True if a treatment is asked for, and not a diagnosis."""
        return _TREATMENT.search(self.asked) is not None

    @property
    def wants_reasons(self) -> bool:
        """True if reasons are asked for."""
        return _REASONS.search(self.asked) is not None


def case_in(request: Request, question: ParsedQuestion) -> PatientCase | None:
    """Return the case in a request; None if the request has options or no patient."""
    if question.options:
        return None
    paragraphs = [part.strip() for part in _BLANK_LINE.split(request.text) if part.strip()]
    told = {"history": "", "examination": "", "report": ""}
    others = []
    for paragraph in paragraphs:
        marks = list(_HEADING.finditer(paragraph))
        others += [paragraph[: marks[0].start()]] if marks else [paragraph]
        ends = [*(mark.start() for mark in marks[1:]), len(paragraph)]
        for mark, end in zip(marks, ends, strict=True) if marks else ():
            name = next(name for name, found in mark.groupdict().items() if found)
            told[name] = paragraph[mark.end() : end].strip()
    if not told["history"] and not told["report"]:
        if not _PATHWAY.search(request.text):
            return None
        told["history"], others = "\n".join(others[:-2]), others[-2:]
    lines = _LINE.findall(request.text)
    return PatientCase(**told, asked="\n".join(filter(None, others)), line=lines[-1] if lines else "")


def report_in(text: str) -> str:
    """Return the report in a text, up to the next blank line. Empty if there is none."""
    found = next((mark for mark in _HEADING.finditer(text) if mark.group("report")), None)
    return "" if found is None else _BLANK_LINE.split(text[found.end() :].lstrip(), 1)[0].strip()


def read_report(report: str) -> ShownFinding | None:
    """Return the finding in a report's first affirming sentence; None if there is none.

    >>> read_report("Chest X-ray. There is a large left-sided pleural effusion. No pneumothorax.")
    ShownFinding(modality='chest X-ray', finding='pleural effusion', side='left', location='', count=0, size='large')
    """
    modality = modality_named(report) or ""
    normal = False
    for sentence in _SENTENCE.split(report):
        found = meaning(sentence, "finding")
        if found is not None and found.value == "normal":
            normal = True
        elif found is not None and not LANGUAGES["en"].negation.search(plain(sentence.partition(":")[0])):
            return _read_shown(modality, found.value, sentence)
    return _read_shown(modality, "normal", report) if normal else None


def _read_shown(modality: str, finding: str, sentence: str) -> ShownFinding:
    said = (meaning(sentence, kind) for kind in ("side", "location", "size"))
    side, location, size = (found.value if found else "" for found in said)
    return ShownFinding(modality, finding, side, location, int(" is one " in plain(sentence)), size)


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
    """Return the line with the answer, otherwise a sentence. Empty if only reasons are wanted."""
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
