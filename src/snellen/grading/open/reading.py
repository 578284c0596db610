"""Reading an open answer: a silence, or how its words compare with the references, and by which rule."""

from __future__ import annotations

import re

from snellen.grading.language.acts.declining import read_silence
from snellen.grading.language.cleaning import cleaned, lowered
from snellen.grading.outcomes import OpenGrade, OpenReading, Outcome
from snellen.items import Item

RULES = {
    "empty": "says nothing",
    "exact": "the reference word for word",
    "contained": "the words of the reference within the answer",
    "no-match": "shares too little with the reference",
    "quality-phrase": "says that the image is too poor",
    "no-image": "says that there is no image",
    "refusal-phrase": "declines",
    "abstention-phrase": "says that it cannot tell",
}
WEIGHS = frozenset(("empty", "contained", "no-match"))
_EVIDENCE = 120
_WORD = re.compile(r"\w+(?:\.\d+)?")


def read_open(text: str, item: Item) -> OpenReading:
    """How a response compares with the references of its item.

    >>> read_open("A chest X-ray.", Item(id="1", question="?", kind="open", answer="chest x-ray")).grade.value
    'correct'
    """
    said = cleaned(text)
    if not said.strip():
        return OpenReading("empty", silence=Outcome.UNPARSED)
    words = _words(said)
    for reference in item.references:
        if words == _words(reference):
            return OpenReading("exact", OpenGrade.CORRECT, evidence=said[:_EVIDENCE], reference=reference)
    silent = read_silence(lowered(said), item.question)
    if silent is not None:
        return OpenReading(silent[0].rule, silence=silent[0].silence, evidence=silent[0].evidence)
    for reference in item.references:
        if f" {' '.join(_words(reference))} " in f" {' '.join(words)} ":
            return OpenReading("contained", OpenGrade.CORRECT, evidence=said[:_EVIDENCE], reference=reference)
    return OpenReading("no-match", OpenGrade.INCORRECT, evidence=said[:_EVIDENCE])


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(cleaned(text).lower()) if word not in ("a", "an", "the")]
