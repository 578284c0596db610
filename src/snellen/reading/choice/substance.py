"""Answers in substance: a response that says what is there, where the options are yes and no, or two contraries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snellen.items import Item
from snellen.reading.choice.letters import EDGES
from snellen.reading.choice.option_words import OptionWords, normal
from snellen.reading.language.acts.answering import YES_OR_NO, YES_WORDS
from snellen.reading.language.acts.declining import may_withhold, withholds
from snellen.reading.language.acts.finding import (
    Asked,
    Heard,
    advises,
    asked,
    asks_ability,
    explains,
    finding_named,
    findings_offered,
    heard,
    hedges,
    in_english,
    is_general,
    kind_named,
    kinds_offered,
    of_myself,
    of_this,
    poles,
    side_named,
    sides_offered,
    speaks_in_general,
    turns,
)
from snellen.reading.outcomes import Reading

_MOST_SENTENCES = 12
_LONGEST = 1200
"""A longer response is an essay, in which other findings are weighed too."""
_SHORT = 240
"""So long may a response be in a language whose words for doubt and definition are less well known here."""


def read_substance(
    sentences: Sequence[str], item: Item, words: OptionWords, *, outright: bool = False
) -> Reading | None:
    """The option that a response without its word comes to, or None where it says too little or both.

    `outright`: only what names the very thing that was asked for counts, by yes or no.

    >>> from snellen.reading.choice.option_words import option_words
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
        return _said(sentences, about, words.polarity, outright=outright)
    if outright:
        return None
    sides = sides_offered(words.keys)
    if sides is not None:
        return _on_side(sentences, item, sides)
    found = poles(words.keys, item.question)
    if found is not None:
        about, yes, no = found
        said, led = _said(sentences, about, {"yes": yes, "no": no}), _led(sentences, about, item)
        if said is None and led is not None:
            after = " ".join(sentences[:2]).lower().partition(",")[2]
            return taken_back(after, item, words) or _chosen("yes-no", yes if led else no, sentences[0])
        return said
    return _of_kind(sentences, words)


def _led(sentences: Sequence[str], about: Asked, item: Item) -> bool | None:
    """Whether a response to a closed question opens with yes, though the options are a disease and its absence."""
    found = YES_OR_NO.match(sentences[0].lstrip(EDGES)) if sentences else None
    if found is None or sentences[0].lstrip(EDGES)[found.end() :][:1] not in ("", ".", ",", "!"):
        return None
    wanted = asked(item.question)
    if wanted is None or wanted.absent or not wanted.things or wanted.things[-1] != about.things[-1]:
        return None
    return normal(found.group()) in YES_WORDS


def of_image(sentences: Sequence[str], item: Item, words: OptionWords) -> Sequence[str]:
    """The sentences that may say what this image shows, where that is all that the options can be about."""
    if sum(map(len, sentences)) > _SHORT:
        sentences = [sentence for sentence in sentences if not advises(sentence)]
    found = poles(words.keys, item.question)
    if found is None and not (sides_offered(words.keys) or kinds_offered(words.keys) or findings_offered(words.keys)):
        return sentences
    about = None if found is None else found[0]
    return [sentence for sentence in sentences if not speaks_in_general(sentence, about)]


def contradicted(sentences: Sequence[str], item: Item, words: OptionWords, choice: int) -> bool:
    """Whether what follows a yes or no says outright that it is otherwise: "No. The lesion is calcified."."""
    about = asked(item.question) if words.polarity else None
    read = None if about is None else _said(sentences, about, words.polarity, outright=True)
    return read is not None and read.choice != choice


def taken_back(after: str, item: Item, words: OptionWords) -> Reading | None:
    """Why a yes or no with these sentences after it, in lower case, is none: they say that it cannot be told.

    Not where they then say what is there, nor where that very ability, or the quality of the image, is asked for.
    """
    first, _, second = after.partition(". ")
    if hedges(first):
        return None
    withheld = [
        withholds(first, item.question) if may_withhold(first) else None,
        withholds(second, item.question) if may_withhold(second) and of_myself(second) else None,
    ]
    why = withheld[0] or withheld[1]
    if why is None or asks_ability(item.question):
        return None
    told = [part for part in turns(first) if withheld[0] is None or withholds(part, item.question) is None]
    if second and withheld[1] is None:
        told.append(second)
    about = asked(item.question) if words.polarity else None
    stated = about is not None and told and _said(told, about, words.polarity, outright=True) is not None
    return None if stated else why


def read_findings(sentences: Sequence[str], words: OptionWords) -> Reading | None:
    """The option whose finding is the only one among those offered that a response says is there."""
    offered = findings_offered(words.keys)
    if offered is None or len(sentences) > _MOST_SENTENCES or sum(map(len, sentences)) > _LONGEST:
        return None
    found = {finding: sentence for sentence in sentences for finding in finding_named(sentence, offered)}
    if len(found) > 1:
        found.pop("normal", None)
    if len(found) != 1:
        return None
    ((finding, sentence),) = found.items()
    return _chosen("option-text", offered.index(finding), sentence)


def _said(
    sentences: Sequence[str], about: Asked, polarity: Mapping[str, int], *, outright: bool = False
) -> Reading | None:
    """What the sentences say, those that name what was asked for before those that only imply it."""
    heeded = [(sentence, heard(sentence, about)) for sentence in sentences]
    if all(verdict is None for _, verdict in heeded):
        return None
    following = [*sentences[1:], ""]
    if explains(sentences[0], about):
        heeded = [(sentence, verdict) for sentence, verdict in heeded[1:] if of_this(sentence)]
        following = [*(sentence for sentence, _ in heeded[1:]), ""]
    said: dict[Heard, dict[bool, str]] = {}
    silent = False
    for (sentence, verdict), after in zip(heeded, following, strict=False):
        if verdict is not None and is_general(sentence, after):
            verdict = None
        if verdict is not None:
            said.setdefault(verdict[1], {}).setdefault(verdict[0], sentence)
        silent = silent or verdict is None
    for how in (Heard.DIRECTLY,) if outright else Heard:
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
    if not found and "neither" in offered:
        sound = [sentence for sentence in sentences if finding_named(sentence, ("normal",))]
        found = {"neither": sound[0]} if sound else {}
    if len(found) != 1:
        return None
    ((side, sentence),) = found.items()
    if side != "both" and side not in offered:
        side = "one"
    return _chosen("option-text", offered.index(side), sentence) if side in offered else None


def _chosen(rule: str, choice: int, sentence: str) -> Reading:
    return Reading(rule, choice=choice, evidence=" ".join(sentence.split())[:120])
