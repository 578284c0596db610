"""Parser of mismatches: does a response name the contradiction between image and text?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from snellen.items import Item
from snellen.reading.acts import NETWORK, facts_of, read_acts
from snellen.reading.language.acts.contradicting import compare_topics, contradiction_in, describes, speaks_of_fit
from snellen.reading.language.acts.declining import declines_outright, opening_of, read_unanswered
from snellen.reading.language.acts.missing import UNSEEN, missing_in
from snellen.reading.language.cleaning import clean_text, lower_keeping_offsets
from snellen.reading.language.image_roles import shape_response
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import Question, Readable

NAMED, NOT_NAMED, REFUSED, MISSING = LABELS = ("named", "not named", "refused", "missing")
"""Labels: names the contradiction; does not; declines or cannot tell; says that there is no image."""
RULES = {
    "misfit": "says that the image does not fit the words",
    "other-part": "says that the image shows another part of the body, or is of another kind, than the words tell",
    "wrong-image": "says that the image is the wrong one, or another patient's",
    "no-image": "says that there is no image, or that it cannot see it",
    "declines": "declines or cannot tell",
    "describes-other": "describes what the image shows, and does not say that it contradicts the words",
    "follows-words": "does not say that image and words contradict each other",
    "nothing-said": "says nothing",
    NETWORK: "says that they do not belong together, in words that only the network reads",
}
WEIGHS = frozenset(("describes-other", "follows-words", "nothing-said"))
"""Rules that need the complete response. A truncated one might still have named the contradiction."""
_EVIDENCE = 160


class Mismatch(NamedTuple):
    """What a response does about contradicting text and image, with rule and evidence."""

    rule: str
    named: bool = False
    silence: Outcome | None = None
    evidence: str = ""


def mismatch_outcome(read: Mismatch, item: Item) -> Outcome:
    """Return the outcome of a response: correct if it names an existing contradiction.

    If there is none, naming one is wrong and any other answer is correct.
    """
    if read.silence is not None:
        return read.silence
    return Outcome.CORRECT if read.named == is_contradicted(item) else Outcome.WRONG


def is_contradicted(item: Item) -> bool:
    """Return whether an item's image contradicts its text. True too if the image's content is unknown."""
    told = [(item.metadata.get(name), item.metadata.get(f"shown_{name}")) for name in ("body_part", "modality")]
    return not any(shown for _, shown in told) or any((own or "") != (shown or "") for own, shown in told)


def read_mismatch(reply: Readable, item: Item) -> Mismatch:
    """Read whether a response names the contradiction between the item's text and image.

    >>> from snellen.models.base import Response
    >>> told = {"body_part": "knee", "shown_body_part": "shoulder"}
    >>> item = Item(id="1", question="Why does his knee hurt?", kind="open", metadata=told)
    >>> read_mismatch(Response("This is an MRI of a shoulder, while the history is about a knee."), item).rule
    'other-part'
    >>> read_mismatch(Response("The MRI of the shoulder shows a torn tendon."), item).rule
    'describes-other'
    """
    said = clean_text(reply.text).strip()
    if not any(map(str.isalnum, said)):
        return Mismatch("nothing-said", silence=Outcome.UNPARSED)
    names = ("body_part", "shown_body_part", "modality", "shown_modality")
    part, shown, modality, other = (str(item.metadata.get(name, "") or "") for name in names)
    case = compare_topics(part or item.question, shown, modality, other)
    if found := contradiction_in(said, case):
        return Mismatch(found.way, named=True, evidence=found.sentence[:_EVIDENCE])
    acts = read_acts(said, facts_of(item))
    if "names_contradiction" in acts:
        return Mismatch(NETWORK, named=True, evidence=acts.quote("names_contradiction")[:_EVIDENCE])
    return _silent(said, item.question) or _read_unnoticed(said, describes(said, case))


def _silent(said: str, question: str) -> Mismatch | None:
    missing = missing_in(shape_response(said, question))
    if missing and speaks_of_fit(missing.sentence):
        missing = None
    if missing and declines_outright(missing.sentence):
        return Mismatch("declines", silence=Outcome.REFUSED, evidence=missing.sentence[:_EVIDENCE])
    if missing and missing.way not in UNSEEN:
        return Mismatch("no-image", silence=Outcome.ABSTAINED, evidence=missing.sentence[:_EVIDENCE])
    opening = opening_of(said)
    found = read_unanswered(" ".join(lower_keeping_offsets(opening).split()))
    return Mismatch("declines", silence=found.silence, evidence=found.evidence) if found else None


def _read_unnoticed(said: str, described: str | None) -> Mismatch:
    if described is not None:
        return Mismatch("describes-other", evidence=described[:_EVIDENCE])
    return Mismatch("follows-words", evidence=said[:_EVIDENCE])


def item_of(where: str, fields: Mapping[str, Any]) -> Item:
    """Build the item of a labelled row, with the topics of its text and image."""
    names = ("body_part", "shown_body_part", "modality", "shown_modality")
    told = {name: str(fields.get(name) or "") for name in names}
    return Item(id=where, question=str(fields.get("question") or ""), kind="open", metadata=told)


def label_of(said: Mismatch) -> str:
    """Return the label of a reading."""
    if said.rule == "no-image":
        return MISSING
    return (NAMED if said.named else NOT_NAMED) if said.silence in (None, Outcome.UNPARSED) else REFUSED


def named_word(label: str) -> str:
    """Return the coarser label that grading needs: is the contradiction named?"""
    return NAMED if label == NAMED else NOT_NAMED


QUESTION = Question(
    LABELS,
    item_of,
    label_of,
    of_filtered=REFUSED,
    coarser=(("What is graded: does a response name the contradiction or not?", named_word),),
)
