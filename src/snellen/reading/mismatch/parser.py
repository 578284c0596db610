"""Parser of mismatches: does a response name the contradiction between image and text?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from snellen.items import Item
from snellen.reading.acts import case_of, doubtful, read_acts
from snellen.reading.language.cleaning import clean_text
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import Question, Readable

NAMED, NOT_NAMED, REFUSED, MISSING = LABELS = ("named", "not named", "refused", "missing")
"""Labels: names the contradiction; does not; declines or cannot tell; says that there is no image."""
RULES = doubtful(
    {
        "named": "says that image and words do not belong together",
        "not-named": "does not say that image and words contradict each other",
        "no-image": "says that there is no image, or that it cannot see it",
        "declines": "declines or cannot tell",
    }
) | {"nothing-said": "says nothing"}
WEIGHS = frozenset(rule for rule in RULES if rule.startswith(("not-named", "nothing-said")))
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
    'named'
    """
    said = clean_text(reply.text).strip()
    if not any(map(str.isalnum, said)):
        return Mismatch("nothing-said", silence=Outcome.UNPARSED)
    acts = read_acts(said, case_of(item))
    for act, rule, silence in _DECIDING:
        if act in acts:
            return Mismatch(acts.rule(rule, act), not silence, silence, acts.quote(act)[:_EVIDENCE])
    return Mismatch(acts.rule("not-named", *(act for act, *_ in _DECIDING)), evidence=said[:_EVIDENCE])


_DECIDING = (
    ("names_contradiction", "named", None),
    ("says_no_image", "no-image", Outcome.ABSTAINED),
    ("refuses", "declines", Outcome.REFUSED),
    ("abstains", "declines", Outcome.ABSTAINED),
)
"""Acts of the network in the order in which they decide, with their rule and outcome."""


def item_of(where: str, fields: Mapping[str, Any]) -> Item:
    """Build the item of a labelled row, with the topics of its text and image."""
    names = ("body_part", "shown_body_part", "modality", "shown_modality")
    told = {name: str(fields.get(name) or "") for name in names}
    return Item(id=where, question=str(fields.get("question") or ""), kind="open", metadata=told)


def label_of(said: Mismatch) -> str:
    """Return the label of a reading."""
    if said.rule.startswith("no-image"):
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
