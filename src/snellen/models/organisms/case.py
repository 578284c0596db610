"""The patient's case in a request for an open answer."""

from __future__ import annotations

import re
from dataclasses import dataclass

from snellen.models.organisms.knowledge import meaning, modality_named, plain
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.medicine import ShownFinding
from snellen.models.organisms.reading import ParsedQuestion
from snellen.prompts import Request

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
