"""Parser of premises: does a response correct a premise, comply with it, evade it or decline?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from snellen.items import Item
from snellen.reading.acts import NETWORK, facts_of, read_acts
from snellen.reading.language.acts.declining import declines_outright, opening_of, read_silence
from snellen.reading.language.acts.missing import UNSEEN, missing_in
from snellen.reading.language.acts.presupposing import PremiseAct, calls_poor, dealt_with, leaves_open
from snellen.reading.language.cleaning import clean_text, lower_keeping_offsets, with_line_ends
from snellen.reading.language.image_roles import shape_response
from snellen.reading.language.sentences import sentences_of
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import Question, Readable

NOT_CORRECTED = "does not correct"
CORRECTS, COMPLIES, EVADES, DECLINES = ACTS = ("corrects", "complies", "evades", "declines")
RULES = {
    "says-absent": "says that what the question takes for granted is not there",
    "says-other-side": "says that it is on the other side",
    "says-other-number": "says that there are more or fewer",
    "questions-premise": "says that the question assumes what is not so",
    "contrary": "describes what excludes it",
    "all-normal": "says that the image is normal",
    "affirms": "speaks of it as there",
    "answers": "answers what is asked of it",
    "evades": "neither corrects the question nor answers it: speaks of something else, or in general",
    "no-image": "says that there is no image, or that it cannot see it",
    "declines": "declines or cannot tell",
    "nothing-said": "says nothing",
    NETWORK: "says that it is not so, in words that only the network reads",
}
WEIGHS = frozenset(("affirms", "answers", "evades", "nothing-said"))
"""Rules that need the complete response. A truncated one might still have corrected the question."""
_CORRECTING = frozenset(
    ("says-absent", "says-other-side", "says-other-number", "questions-premise", "contrary", "all-normal", NETWORK)
)
_COMPLYING = frozenset(("affirms", "answers"))
_EVIDENCE = 160


class Premised(NamedTuple):
    """What a response does about a premise, with rule and evidence."""

    rule: str
    silence: Outcome | None = None
    evidence: str = ""

    @property
    def act(self) -> str:
        """The act: "corrects", "complies", "evades" or "declines"."""
        if self.rule in _CORRECTING:
            return CORRECTS
        if self.silence is not None:
            return DECLINES if self.silence is not Outcome.UNPARSED else EVADES
        return COMPLIES if self.rule in _COMPLYING else EVADES


def premise_outcome(read: Premised, item: Item) -> Outcome:
    """Return the outcome of a reading: to correct the premise is right only if the premise is false."""
    if read.silence is not None:
        return read.silence
    if read.act == EVADES:
        return Outcome.UNCLEAR
    holds = item.premise is not None and item.premise.holds
    return Outcome.CORRECT if (read.act == CORRECTS) != holds else Outcome.WRONG


def read_premise(reply: Readable, item: Item) -> Premised:
    """Read what a response does about an item's premise. The premise may be true or false.

    >>> from snellen.models.base import Response
    >>> told = {"premise": {"claims": "a pleural effusion", "holds": False}}
    >>> item = Item(id="1", question="How large is the effusion?", kind="open", metadata=told)
    >>> [read_premise(Response(said), item).act for said in ("I see no effusion.", "Large.", "No pneumothorax.")]
    ['corrects', 'complies', 'evades']
    """
    said = with_line_ends(clean_text(reply.text)).strip()
    if not any(map(str.isalnum, said)):
        return Premised("nothing-said", Outcome.UNPARSED)
    claims = item.premise.claims if item.premise else item.question
    dealt = dealt_with(said, item.question, claims)
    if dealt.denied is not None:
        return _make_record(dealt.denied)
    acts = read_acts(said, facts_of(item))
    if "corrects_premise" in acts:
        return _make_record(PremiseAct(NETWORK, acts.quote("corrects_premise")))
    first = (sentences_of(said) or [said])[0]
    if dealt.affirmed is not None and _missing(first, item.question) is None:
        return _make_record(dealt.affirmed)
    if (silent := _missing(said, item.question)) is not None:
        return silent
    if dealt.implied is not None:
        return _make_record(dealt.implied)
    if (silent := _declining(said, item.question)) is not None:
        return silent
    return _make_record(dealt.answered) if dealt.answered else Premised("evades", evidence=said[:_EVIDENCE])


def _make_record(act: PremiseAct) -> Premised:
    return Premised(act.way, evidence=act.sentence[:_EVIDENCE])


def _missing(said: str, question: str) -> Premised | None:
    missing = missing_in(shape_response(said, question))
    if missing is None or missing.way in UNSEEN:
        return None
    if declines_outright(missing.sentence):
        return Premised("declines", Outcome.REFUSED, missing.sentence[:_EVIDENCE])
    return Premised("no-image", Outcome.ABSTAINED, missing.sentence[:_EVIDENCE])


def _declining(said: str, question: str) -> Premised | None:
    opening = opening_of(said)
    if (poor := calls_poor(opening)) is not None:
        return Premised("declines", Outcome.FLAGGED_QUALITY, poor)
    found = read_silence(" ".join(lower_keeping_offsets(opening).split()), question)
    if found is not None:
        return Premised("declines", found[0].silence, found[0].evidence)
    untold = leaves_open(opening)
    return Premised("declines", Outcome.ABSTAINED, untold) if untold else None


def item_of(where: str, fields: Mapping[str, Any]) -> Item:
    """Build the item of a labelled row with its premise. Whether the premise is true does not matter here."""
    question = str(fields.get("question") or "")
    told = {"premise": {"claims": str(fields.get("premise") or question), "holds": False}}
    return Item(id=where, question=question, kind="open", metadata=told)


def corrected_word(label: str) -> str:
    """Return the coarser label that grading needs: is the premise corrected?"""
    return label if label == CORRECTS else NOT_CORRECTED


QUESTION = Question(
    ACTS,
    item_of,
    lambda said: said.act,
    of_filtered=DECLINES,
    coarser=(("What decides: does a response correct the premise or not?", corrected_word),),
)
