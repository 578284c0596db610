"""Claims: what an item says of its image, read from its question and its key."""

from __future__ import annotations

import re
from typing import NamedTuple

from snellen.items import Item
from snellen.perturb.words import STOP, fold_spelling, stem
from snellen.tools.audit.audited import doubts_itself, key_of
from snellen.tools.audit.duplicates import plain_words

Words = frozenset[str]

_ASKS_IF = re.compile(r"(?:is|are|was|were|do|does|did|has|have|can|could)\b", re.IGNORECASE)
_NOT = re.compile(r"\b(?:no|non|not|without|absent)\b|n['’]t\b", re.IGNORECASE)
_NORMAL = re.compile(r"\b(?:normal|unremarkable|healthy)\b", re.IGNORECASE)
_OR = re.compile(r"\b(?:or|vs\.?|versus)\b(?! (?:both|neither|none|other)\b)", re.IGNORECASE)
_SHOWN_BY = re.compile(r"\b(?:in|on|by|from) (?:the|this|that) (?:ct|mri?|cxr|x-?ray|ultrasound)\b", re.IGNORECASE)
_UNCLEAR = re.compile(
    r"\b(?:if|would|should|will|might|may|both|all|any other|other|another|else|only|just|most|more|less|same|than"
    r"|ruled? out|exclude\w*|clear\w*|free|bilateral\w*|either|neither|entire\w*|complete\w*|multiple|several|single"
    r"|one|typical|acute|chronic|large\w*|small\w*|change[ds]?|absence|lack|loss|symmetric\w*|regular|intact)\b",
    re.IGNORECASE,
)
"""Words by which a question asks for more, or for something else, than whether a thing is there."""
_UNSAID = frozenset(
    stem(fold_spelling(word))
    for word in plain_words(
        "image pictured photo scan film radiograph study view section evidence sign present visible seen shown "
        "visualized identified noted demonstrated depicted appreciated appear patient located location see show "
        "exist observe contain suspect favor likely process etiology cause diagnosis kind type side what which "
        "where who how why do does did has have can could any you we i not"
    )
)
"""Words that a question may have or lack without another meaning."""
_NEAR = 2
"""Maximum words of something that a question offers, beside its "or"."""


class Claims(NamedTuple):
    """Words that hold together in an item's image, and words that do not."""

    held: Words = frozenset()
    denied: Words = frozenset()


def claims_of(item: Item) -> Claims:
    """Read what an English item says of its image; nothing if that is not certain.

    >>> claims_of(Item("1", "Is there a nodule?", kind="open", answer="No"))
    Claims(held=frozenset(), denied=frozenset({'nodul'}))
    >>> claims_of(Item("1", "Is it viral or parasitic?", kind="open", answer="Viral"))
    Claims(held=frozenset({'vir'}), denied=frozenset({'parasit'}))
    """
    question, key = item.question.strip(), key_of(item).strip()
    said = plain_words(key)
    negations = len(_NOT.findall(question))
    if item.language != "en" or not said or doubts_itself(key) or negations > 1:
        return Claims()
    if said not in (["yes"], ["no"]):
        if _NOT.search(f"{question} {key}"):
            return Claims()
        if _OR.search(question):
            return _read_choice(question, key)
        sure = not _ASKS_IF.match(question) and not _UNCLEAR.search(f"{question} {key}")
        return Claims(list_telling(f"{question} {key}")) if sure else Claims()
    if not _ASKS_IF.match(question) or _UNCLEAR.search(question) or _OR.search(question):
        return Claims()
    words = list_telling(_NORMAL.sub("abnormal", _NOT.sub(" ", question)))
    turned = (negations == 1) != bool(_NORMAL.search(question))
    return Claims(held=words) if (said == ["yes"]) != turned else Claims(denied=words)


def _read_choice(question: str, key: str) -> Claims:
    """Read a question that offers two things, of which its key is one."""
    before, *after = _OR.split(question)
    chosen = list_telling(key)
    if len(after) != 1 or not chosen:
        return Claims()
    offered = [list_telling(" ".join(words)) for words in (before.split()[-_NEAR:], after[0].split()[: _NEAR + 1])]
    for one, other in (offered, offered[::-1]):
        if chosen <= one and (rest := other - chosen):
            shared = list_telling(question) - one - other
            return Claims(shared | chosen, shared | rest)
    return Claims()


def list_telling(text: str) -> Words:
    """List the stems of a text's words that carry meaning."""
    words = plain_words(_SHOWN_BY.sub(" ", text))
    return frozenset(stem(fold_spelling(word)) for word in words if word not in STOP) - _UNSAID
