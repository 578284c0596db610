"""Answers in substance: a response that says what is there, where the options are yes and no, or two contraries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snellen.grading.choice.option_words import OptionWords
from snellen.grading.language.acts.finding import (
    Asked,
    Heard,
    asked,
    explains,
    heard,
    in_english,
    kind_named,
    kinds_offered,
    of_this,
    poles,
    side_named,
    sides_offered,
)
from snellen.grading.outcomes import Reading
from snellen.items import Item

_MOST_SENTENCES = 12
_LONGEST = 1200
"""A longer response is an essay, in which other findings are weighed too."""
_SHORT = 240
"""So long may a response be in a language whose words for doubt and definition are less well known here."""


def read_substance(sentences: Sequence[str], item: Item, words: OptionWords) -> Reading | None:
    """The option that a response without its word comes to, or None where it says too little or both.

    >>> from snellen.grading.choice.option_words import option_words
    >>> from snellen.items import Option
    >>> item = Item("1", "Is the heart enlarged?", options=(Option("Yes"), Option("No")))
    >>> read_substance(["The heart is of normal size."], item, option_words(item.options)).choice
    1
    """
    if len(sentences) > _MOST_SENTENCES or sum(map(len, sentences)) > _LONGEST:
        return None
    if words.polarity:
        about = asked(item.question)
        if about is None or (sum(map(len, sentences)) > _SHORT and not in_english(item.question)):
            return None
        return _said(sentences, about, words.polarity)
    sides = sides_offered(words.keys)
    if sides is not None:
        return _on_side(sentences, item, sides)
    found = poles(words.keys, item.question)
    if found is not None:
        about, yes, no = found
        return _said(sentences, about, {"yes": yes, "no": no})
    return _of_kind(sentences, words)


def _said(sentences: Sequence[str], about: Asked, polarity: Mapping[str, int]) -> Reading | None:
    """What the sentences say, those that name what was asked for before those that only imply it."""
    if sentences and explains(sentences[0], about):
        sentences = [sentence for sentence in sentences[1:] if of_this(sentence)]
    said: dict[Heard, dict[bool, str]] = {}
    silent = False
    for sentence in sentences:
        verdict = heard(sentence, about)
        if verdict is not None:
            said.setdefault(verdict[1], {}).setdefault(verdict[0], sentence)
        silent = silent or verdict is None
    for how in Heard:
        if how is Heard.OF_A_PART and (silent or len(sentences) == 1):
            return None
        verdicts = said.get(how, {})
        if len(verdicts) > 1:
            return None
        for there, sentence in verdicts.items():
            return _chosen("yes-no-sentence", polarity["yes" if there != about.absent else "no"], sentence)
    return None


def _of_kind(sentences: Sequence[str], words: OptionWords) -> Reading | None:
    """The option that is the kind of image, plane or projection that a response names."""
    offered = kinds_offered(words.keys)
    if offered is None:
        return None
    found = {kind: sentence for sentence in sentences if (kind := kind_named(sentence, offered)) in offered}
    if len(found) != 1:
        return None
    ((kind, sentence),) = found.items()
    return _chosen("option-text", offered.index(kind), sentence)


def _on_side(sentences: Sequence[str], item: Item, offered: Sequence[str]) -> Reading | None:
    """The side on which a response finds what was asked for."""
    found = {side: sentence for sentence in sentences if (side := side_named(sentence, item.question)) is not None}
    if len(found) != 1:
        return None
    ((side, sentence),) = found.items()
    if side != "both" and side not in offered:
        side = "one"
    return _chosen("option-text", offered.index(side), sentence) if side in offered else None


def _chosen(rule: str, choice: int, sentence: str) -> Reading:
    return Reading(rule, choice=choice, evidence=" ".join(sentence.split())[:120])
