"""Key fits: keys that do not answer their question, or cannot come from an image."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from snellen.items import Item
from snellen.perturb.alike import content
from snellen.perturb.words import tokens
from snellen.tools.audit.audited import Audited, doubts_itself, key_of
from snellen.tools.audit.checks import Check
from snellen.tools.audit.duplicates import identify_images, plain_words
from snellen.tools.audit.finding import Checked, Flagged, ItemFault, Severity, gather_findings, shorten_quote

NAME = "key-fits"
_SHORT = 25
"""Maximum words of a question with options that can give its answer away."""
_POLAR = re.compile(
    r"^(?:is|are|was|were|do|does|did|can|could|has|have|had|will|would|should)\b"
    r"(?! you (?:please )?(?:name|identify|describe|tell|list|point|explain|give)\b)"
    r"(?!.*\b(?:or|vs\.?|versus|what|which|how|where|why)\b)",
    re.IGNORECASE,
)
_ASKS_WHAT = re.compile(
    r"^(?:what|where|which|how (?:many|large|big|long|wide)|when|who|why)\b(?!.*\b(?:yes or no|if any|present or)\b)",
    re.I,
)
_YES_NO = re.compile(
    r"(?:yes|no|true|false|y|n|none|not|cannot|can't|normal|present|absent|likely|unlikely|partially|both|neither"
    r"|(?:just |only )?(?:a (?:bit|little)|slight(?:ly)?|mild(?:ly)?|minimal(?:ly)?|somewhat))\b",
    re.I,
)
_ABSENT = re.compile(
    r"(?:nothing|none)$|not (?:\w+ )?(?:seen|shown|visible|visuali[sz]ed|present|pictured|imaged)\b", re.IGNORECASE
)
_PLANE = re.compile(r"\b(?:what|which) (?:\w+ )?plane\b|\bplane (?:is|was)\b", re.IGNORECASE)
_PROJECTION = re.compile(
    r"(?:pa|ap|p\.a\.|a\.p\.|postero-?anterior|antero-?posterior)(?: (?:view|film|projection))?", re.IGNORECASE
)
_ANY_OF = re.compile(
    r"\b(?:differential|possible (?:diagnos[ei]s|causes?)|(?:could|can|might|may) (?:be )?caus\w+|common causes?)\b"
    r"|^(?:what|which|name)\b[^.?]*\bnot (?:pictured|represent\w*|shown|seen|visible|present|imaged)\b",
    re.IGNORECASE,
)
"""Matches open questions with many right answers, of which the key is only one."""
_GOES_ON = re.compile(r"\b(?:etc|and so on|among others)\b", re.IGNORECASE)
_UNIT_ASKED = re.compile(r"\bin (?:units of )?([^\W\d_]+)\b", re.IGNORECASE)
_UNIT_GIVEN = re.compile(r"\d ?([^\W\d_]+)")
_CHOOSES = re.compile(r"\b(?:or|vs\.?|versus)\b", re.I)
_HOW_MANY = re.compile(r"^how many\b", re.I)
_NUMBER = re.compile(
    r"\d|\b(?:no|none|zero|one|an?|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|single|both|several"
    r"|many|multiple|few|numerous|innumerable|bilateral|pair)\b",
    re.I,
)
_MEASURED = re.compile(r"\b\d+(?:[.,]\d+)?\s?(?:cm|mm|centimet(?:er|re)s?|millimet(?:er|re)s?)\b", re.I)
_SIDES = frozenset(("left", "right"))
_ATTRIBUTES = {
    "size": re.compile(r"\b(?:size|large|big|wide|diameter|long)\b", re.I),
    "density": re.compile(r"\b(?:density|dense|attenuation|intensity)\b", re.I),
    "place": re.compile(r"\b(?:where|located|location|position)\b", re.I),
    "number": re.compile(r"\bhow many\b", re.I),
    "colour": re.compile(r"\bcolou?r\b", re.I),
}


_DOUBTFUL = ItemFault(
    "have a key that expresses doubt", "The key expresses doubt.", 0.9, Severity.HIGH,
    "Decide on one answer, or leave the item out.",
)  # fmt: skip
_OTHER_KIND = ItemFault(
    "have a key of another kind than the question asks for", "", 0.7, Severity.HIGH, "Correct the question or the key.",
)  # fmt: skip
_PROJECTED = ItemFault(
    "ask for a plane and have a projection as their key", "The question asks for a plane, and the key is a projection.",
    0.5, Severity.LOW, "Ask for the projection.",
)  # fmt: skip
_OTHER_SIDE = ItemFault(
    "have a key about the other side than the question", "The question names one side, and the key the other.", 0.5,
    Severity.HIGH, "Find out which side is meant, and correct the question or the key.",
)  # fmt: skip
_MORE = ItemFault(
    "share their key with a question about something else",
    "A question about something else in the same image has the same key.", 0.6, Severity.MEDIUM,
    "Give each question the part of the key that answers it.",
)  # fmt: skip
_SIZES = ItemFault(
    "have a key in centimetres or millimetres", "The key is a length, which an image without a scale does not show.",
    0.4, Severity.MEDIUM, "See that the image has a scale, or ask for something that can be seen.",
)  # fmt: skip
_NOT_THERE = ItemFault(
    "ask for something that their key says is not there",
    "The question takes something for given that its key says is not there.", 0.6, Severity.MEDIUM,
    "Ask whether it is there, or leave the item out.",
)  # fmt: skip
_SEVERAL = ItemFault(
    "ask openly for one of many right answers",
    "Many answers to this open question are right, and the key has one or a few.", 0.5, Severity.MEDIUM,
    "Offer options, list all right answers, or ask for one thing that the image settles.",
)  # fmt: skip
_OTHER_UNIT = ItemFault(
    "have a key in another unit than the question asks for",
    "The question asks for one unit, and the key is in another.", 0.8, Severity.HIGH,
    "Give the key in the unit that is asked for.",
)  # fmt: skip
_REPEATS = ItemFault(
    "have a key that already stands in the question", "All words of the key stand in the question.", 0.5,
    Severity.MEDIUM, "Take the answer out of the question.",
)  # fmt: skip


def look(audited: Audited) -> Checked:
    """List the items whose key does not fit its question. One finding per kind of misfit."""
    items = [item for item in audited.items if item.has_choice or item.references]
    if not items:
        return Checked(NAME, 0, cannot=("No item has a key, so none was checked.",))
    listed: dict[ItemFault, dict[str, Flagged]] = defaultdict(dict)
    for item, fault, evidence in (*_find_faults(items), *_find_shared(items)):
        quote = shorten_quote(f"{shorten_quote(item.question)[:110]} – {key_of(item)}")
        listed[fault].setdefault(item.id, Flagged(item.id, evidence or fault.evidence, quote))
    findings = gather_findings(NAME, {fault: list(flagged.values()) for fault, flagged in listed.items()}, len(items))
    return Checked(NAME, len(items), findings, notes=("Only English keys are read.",))


def _find_faults(items: Sequence[Item]) -> Iterator[tuple[Item, ItemFault, str]]:
    for item in items:
        if item.language != "en":
            continue
        question, key = item.question.strip(), key_of(item).strip()
        if doubts_itself(key):
            yield item, _DOUBTFUL, ""
        if item.kind == "open":
            if _ASKS_WHAT.match(question) and _ABSENT.match(key):
                yield item, _NOT_THERE, ""
            if _PLANE.search(question) and _PROJECTION.fullmatch(key.strip(" .")):
                yield item, _PROJECTED, ""
            if _ANY_OF.search(question) or _GOES_ON.search(key):
                yield item, _SEVERAL, ""
        if (item.kind == "open" or _is_yes_no(key)) and (evidence := _explain_kind(question, key)):
            yield item, _OTHER_KIND, evidence
        if not _CHOOSES.search(question) and _says_key(item, question, key):
            yield item, _REPEATS, ""
        if _other_unit(question, key):
            yield item, _OTHER_UNIT, ""
        if item.kind == "open" and item.images and _MEASURED.search(key) and not _MEASURED.search(question):
            yield item, _SIZES, ""
        asked, said = ({word for word in plain_words(text) if word in _SIDES} for text in (question, key))
        if len(asked) == len(said) == 1 and asked != said and not _YES_NO.match(key) and len(question.split()) < 40:
            yield item, _OTHER_SIDE, ""


def _explain_kind(question: str, key: str) -> str:
    """Explain why a key does not fit its question's kind; empty if it does.

    >>> _explain_kind("Is the trachea midline?", "Left lung")
    'The question asks for yes or no, and the key is neither.'
    >>> _explain_kind("Where is the mass?", "Yes")
    'The key is yes or no, and the question asks for something else.'
    """
    if (
        _POLAR.match(question)
        and len([*filter(str.strip, re.split(r"[.?!]\s", question))]) == 1
        and not _YES_NO.match(key)
        and not doubts_itself(key)
    ):
        return "The question asks for yes or no, and the key is neither."
    if _ASKS_WHAT.match(question) and _is_yes_no(key):
        return "The key is yes or no, and the question asks for something else."
    if _HOW_MANY.match(question) and not _NUMBER.search(key):
        return "The question asks for a number, and the key has none."
    return ""


def _is_yes_no(key: str) -> bool:
    return plain_words(key) in (["yes"], ["no"])


def _says_key(item: Item, question: str, key: str) -> bool:
    """Return whether a question has all words of its key.

    With options, only a short question counts, and it must name no other option.
    """
    if item.kind == "open":
        return _repeats(question, key)
    short = len(question.split()) <= _SHORT and len(item.options) > 2
    return short and [option.text for option in item.options if _repeats(question, option.text)] == [key]


def _other_unit(question: str, key: str) -> bool:
    """Return whether a key has another unit than its question names.

    >>> _other_unit("How wide is it in cm?", "23 mm"), _other_unit("How wide is it in cm?", "2.3 centimetres")
    (True, False)
    """
    asked, given = _read_units(_UNIT_ASKED.findall(question)), _read_units(_UNIT_GIVEN.findall(key))
    return bool(asked and given) and not asked & given and {one[0] for one in asked} == {one[0] for one in given}


def _read_units(names: Sequence[str]) -> set[tuple[str, str]]:
    """Find the units among some words: what each measures, and its size."""
    sizes = {tokens(f"1 {name.lower()}")[0].partition("×")[2].partition(" ")[0] for name in names} - {""}
    return {(size.lstrip("0123456789."), size) for size in sizes}


def _repeats(question: str, key: str) -> bool:
    meant = content(key)
    return bool(meant) and not _YES_NO.match(key) and set(meant) <= set(content(question))


def _find_shared(items: Sequence[Item]) -> Iterator[tuple[Item, ItemFault, str]]:
    """Find open questions about one image that differ but share a key of several words."""
    groups: dict[tuple[object, ...], list[tuple[Item, frozenset[str]]]] = defaultdict(list)
    for item in items:
        if item.kind == "open" and item.images and len(words := plain_words(key_of(item))) >= 3:
            asked = frozenset(name for name, pattern in _ATTRIBUTES.items() if pattern.search(item.question))
            if asked:
                groups[identify_images(item), tuple(words)].append((item, asked))
    for group in groups.values():
        every = frozenset().union(*(asked for _, asked in group))
        for item, asked in group:
            if asked != every:
                yield item, _MORE, ""


CHECK = Check(NAME, "Does the key answer its question?", look)
