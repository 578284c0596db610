"""Mismatch: whether a response names the contradiction between an image and the words that came with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from snellen.items import Item
from snellen.reading.language.acts.contradicting import about, contradiction_in, describes, speaks_of_fit
from snellen.reading.language.acts.declining import declines_outright, read_unanswered
from snellen.reading.language.acts.missing import UNSEEN, missing_in
from snellen.reading.language.cleaning import cleaned, lowered
from snellen.reading.language.image_roles import shaped
from snellen.reading.language.sentences import sentences_of
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import Question, Readable

NAMED, NOT_NAMED, REFUSED, MISSING = LABELS = ("named", "not named", "refused", "missing")
"""It names the contradiction; it does not; it declines or cannot tell; it says that there is no image."""
RULES = {
    "misfit": "says that the image does not fit the words",
    "other-part": "says that the image shows another part of the body, or is of another kind, than the words tell",
    "wrong-image": "says that the image is the wrong one, or another patient's",
    "no-image": "says that there is no image, or that it cannot see it",
    "declines": "declines or cannot tell",
    "describes-other": "describes what the image shows, and does not say that it contradicts the words",
    "follows-words": "does not say that image and words contradict each other",
    "nothing-said": "says nothing",
}
WEIGHS = frozenset(("describes-other", "follows-words", "nothing-said"))
"""Of these, the rules that weigh a whole response: one that was cut off might still have named the contradiction."""
_EVIDENCE = 160
_SHORT = 30
"""Of a response of more words, only the first sentence can decline all that follows."""


class Mismatch(NamedTuple):
    """What a response does about words and image that contradict each other, by which rule, from which words."""

    rule: str
    named: bool = False
    silence: Outcome | None = None
    evidence: str = ""


def mismatch_outcome(read: Mismatch, item: Item) -> Outcome:
    """What a response counts as: right if it names a contradiction that there is.

    If the image is the item's own, a response that speaks of a contradiction is wrong, and one that answers is not.
    """
    if read.silence is not None:
        return read.silence
    return Outcome.CORRECT if read.named == is_contradicted(item) else Outcome.WRONG


def is_contradicted(item: Item) -> bool:
    """Whether an item's image is another than its words are about, or nobody says what it shows."""
    told = [(item.metadata.get(name), item.metadata.get(f"shown_{name}")) for name in ("body_part", "modality")]
    return not any(shown for _, shown in told) or any((own or "") != (shown or "") for own, shown in told)


def read_mismatch(reply: Readable, item: Item) -> Mismatch:
    """Whether a response names the contradiction; the item tells what its words and its image are about.

    >>> from snellen.models.base import Response
    >>> told = {"body_part": "knee", "shown_body_part": "shoulder"}
    >>> item = Item(id="1", question="Why does his knee hurt?", kind="open", metadata=told)
    >>> read_mismatch(Response("This is an MRI of a shoulder, while the history is about a knee."), item).rule
    'other-part'
    >>> read_mismatch(Response("The MRI of the shoulder shows a torn tendon."), item).rule
    'describes-other'
    """
    said = cleaned(reply.text).strip()
    if not any(map(str.isalnum, said)):
        return Mismatch("nothing-said", silence=Outcome.UNPARSED)
    names = ("body_part", "shown_body_part", "modality", "shown_modality")
    part, shown, modality, other = (str(item.metadata.get(name, "") or "") for name in names)
    case = about(part or item.question, shown, modality, other)
    if found := contradiction_in(said, case):
        return Mismatch(found.way, named=True, evidence=found.sentence[:_EVIDENCE])
    return _silent(said, item.question) or _unnoticed(said, describes(said, case))


def _silent(said: str, question: str) -> Mismatch | None:
    missing = missing_in(shaped(said, question))
    if missing and speaks_of_fit(missing.sentence):
        missing = None
    if missing and declines_outright(missing.sentence):
        return Mismatch("declines", silence=Outcome.REFUSED, evidence=missing.sentence[:_EVIDENCE])
    if missing and missing.way not in UNSEEN:
        return Mismatch("no-image", silence=Outcome.ABSTAINED, evidence=missing.sentence[:_EVIDENCE])
    opening = said if len(said.split()) <= _SHORT else (sentences_of(said) or [said])[0]
    found = read_unanswered(" ".join(lowered(opening).split()))
    return Mismatch("declines", silence=found.silence, evidence=found.evidence) if found else None


def _unnoticed(said: str, described: str | None) -> Mismatch:
    if described is not None:
        return Mismatch("describes-other", evidence=described[:_EVIDENCE])
    return Mismatch("follows-words", evidence=said[:_EVIDENCE])


def item_of(where: str, fields: Mapping[str, Any]) -> Item:
    """The question of a labelled row, with what its words and its image are about."""
    names = ("body_part", "shown_body_part", "modality", "shown_modality")
    told = {name: str(fields.get(name) or "") for name in names}
    return Item(id=where, question=str(fields.get("question") or ""), kind="open", metadata=told)


def label_of(said: Mismatch) -> str:
    """The label that a reading amounts to."""
    if said.rule == "no-image":
        return MISSING
    return (NAMED if said.named else NOT_NAMED) if said.silence in (None, Outcome.UNPARSED) else REFUSED


def named_word(label: str) -> str:
    """A label as what is graded: whether the contradiction is named."""
    return NAMED if label == NAMED else NOT_NAMED


QUESTION = Question(
    LABELS,
    item_of,
    label_of,
    of_filtered=REFUSED,
    coarser=(("What is graded: does a response name the contradiction or not?", named_word),),
)
