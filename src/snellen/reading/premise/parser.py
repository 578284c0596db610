"""Parser of premises: does a response correct a premise, comply with it, evade it or decline?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from snellen.items import Item
from snellen.reading.acts import Acts, case_of, doubtful, read_acts
from snellen.reading.language.cleaning import clean_text, with_line_ends
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import Question, Readable

NOT_CORRECTED = "does not correct"
CORRECTS, COMPLIES, EVADES, DECLINES = ACTS = ("corrects", "complies", "evades", "declines")
RULES = doubtful(
    {
        "corrects": "says that what the question takes for granted is not so",
        "complies": "answers as if it were so",
        "evades": "neither corrects the question nor answers it: speaks of something else, or in general",
        "no-image": "says that there is no image, or that it cannot see it",
        "declines": "declines or cannot tell",
    }
) | {"nothing-said": "says nothing"}
WEIGHS = frozenset(rule for rule in RULES if rule.startswith(("complies", "evades", "nothing-said")))
"""Rules that need the complete response. A truncated one might still have corrected the question."""


class Premised(NamedTuple):
    """What a response does about a premise, with rule and evidence."""

    act: str
    rule: str
    silence: Outcome | None = None
    evidence: str = ""


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
    >>> [read_premise(Response(said), item).act for said in ("I see no effusion.", "Large.")]
    ['corrects', 'complies']
    """
    said = with_line_ends(clean_text(reply.text)).strip()
    if not any(map(str.isalnum, said)):
        return Premised(EVADES, "nothing-said", Outcome.UNPARSED)
    acts = read_acts(said, case_of(item))
    act, rule, shows, silence = _decide(acts)
    return Premised(act, acts.rule(rule, *_DECIDING), silence, acts.quote(shows)[:_EVIDENCE])


_EVIDENCE = 160
_DECIDING = ("corrects_premise", "says_no_image", "refuses", "abstains")


def _decide(acts: Acts) -> tuple[str, str, str, Outcome | None]:
    """Return act, rule, the act of the network that shows it, and the outcome of a response that does not answer."""
    if "corrects_premise" in acts:
        return CORRECTS, "corrects", "corrects_premise", None
    if "says_no_image" in acts:
        return DECLINES, "no-image", "says_no_image", Outcome.ABSTAINED
    if "refuses" in acts:
        return DECLINES, "declines", "refuses", Outcome.REFUSED
    if "abstains" in acts:
        poor = "flags_quality" in acts
        return DECLINES, "declines", "abstains", Outcome.FLAGGED_QUALITY if poor else Outcome.ABSTAINED
    return (COMPLIES, "complies", "answers", None) if "answers" in acts else (EVADES, "evades", "answers", None)


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
