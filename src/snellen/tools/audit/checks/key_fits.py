"""Key fits: keys that do not answer their question, doubt themselves, or cannot be read from an image."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from snellen.items import Item
from snellen.perturb.alike import content
from snellen.tools.audit.audited import Audited, key_of
from snellen.tools.audit.checks import Check
from snellen.tools.audit.duplicates import plain_words, shown
from snellen.tools.audit.finding import Checked, Finding, Flagged, Severity, quoted

NAME = "key-fits"
_POLAR = re.compile(
    r"^(?:is|are|was|were|do|does|did|can|could|has|have|had|will|would|should)\b"
    r"(?!.*\b(?:or|vs\.?|versus|what|which|how|where|why)\b)",
    re.IGNORECASE,
)
_ASKS_WHAT = re.compile(
    r"^(?:what|where|which|how (?:many|large|big|long|wide)|when|who|why)\b(?!.*\b(?:yes or no|if any|present or)\b)",
    re.I,
)
_YES_NO = re.compile(
    r"(?:yes|no|true|false|y|n|none|not|cannot|can't|normal|present|absent|likely|unlikely|partially|both|neither)\b",
    re.I,
)
_DOUBT = re.compile(
    r"\?|\b(?:not sure|unsure|uncertain|unknown|maybe|perhaps|don'?t know|do not know|can'?t (?:tell|say)"
    r"|cannot (?:tell|say|be determined)"
    r"|tbd|to be determined|not seen here|see (?:above|below|report))\b|^(?:n/?a|null|nan|none given|-+)$",
    re.IGNORECASE,
)
_PLANE = re.compile(r"\b(?:what|which) (?:\w+ )?plane\b|\bplane (?:is|was)\b", re.IGNORECASE)
_PROJECTION = re.compile(
    r"(?:pa|ap|p\.a\.|a\.p\.|postero-?anterior|antero-?posterior)(?: (?:view|film|projection))?", re.IGNORECASE
)
_CHOOSES = re.compile(r"\b(?:or|vs\.?|versus)\b", re.I)
_HOW_MANY = re.compile(r"^how many\b", re.I)
_NUMBER = re.compile(
    r"\d|\b(?:no|none|zero|one|an?|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|single|both|several"
    r"|many|multiple|few|numerous|innumerable|bilateral|pair)\b",
    re.I,
)
_MEASURED = re.compile(r"\b\d+(?:[.,]\d+)?\s?(?:cm|mm|centimet(?:er|re)s?|millimet(?:er|re)s?)\b", re.I)
_SIDES = {"left": "right", "right": "left"}
_ATTRIBUTES = {
    "size": re.compile(r"\b(?:size|large|big|wide|diameter|long)\b", re.I),
    "density": re.compile(r"\b(?:density|dense|attenuation|intensity)\b", re.I),
    "place": re.compile(r"\b(?:where|located|location|position)\b", re.I),
    "number": re.compile(r"\bhow many\b", re.I),
    "colour": re.compile(r"\bcolou?r\b", re.I),
}


class _Fault(NamedTuple):
    """What is wrong with a key, how sure that is, and what to do."""

    sentence: str
    evidence: str
    sure: float
    severity: Severity
    fix: str


_DOUBTFUL = _Fault(
    "have a key that doubts itself",
    "The key doubts itself.",
    0.9,
    Severity.HIGH,
    "Settle the answer, or leave the item out.",
)
_OTHER_KIND = _Fault(
    "have a key of another kind than the question asks for", "", 0.7, Severity.HIGH, "Correct the question or the key."
)
_OTHER_SIDE = _Fault(
    "have a key about the other side than the question",
    "The question names one side, and the key the other.",
    0.5,
    Severity.HIGH,
    "See which side is meant, and correct question or key.",
)
_MORE = _Fault(
    "share their key with a question about something else",
    "A question about something else in the same image has the same key.",
    0.6,
    Severity.MEDIUM,
    "Give each question the part of the key that answers it.",
)
_SIZES = _Fault(
    "have a key in centimetres or millimetres",
    "The key is a length, which an image without a scale does not show.",
    0.4,
    Severity.MEDIUM,
    "See that the image has a scale, or ask for something that can be seen.",
)
_REPEATS = _Fault(
    "have a key that the question already says",
    "All words of the key stand in the question.",
    0.5,
    Severity.MEDIUM,
    "Take the answer out of the question.",
)


def look(audited: Audited) -> Checked:
    """List the items whose key does not fit its question, a finding for each way."""
    items = [item for item in audited.items if item.has_choice or item.references]
    if not items:
        return Checked(NAME, 0, cannot=("No item has a key, so none can fit badly.",))
    listed: dict[_Fault, dict[str, Flagged]] = defaultdict(dict)
    for item, fault, evidence in (*_find_faults(items), *_find_shared(items)):
        listed[fault].setdefault(item.id, Flagged(item.id, evidence or fault.evidence, _quote(item)))
    findings = tuple(
        Finding(
            NAME, fault.severity, f"{len(flagged):,} of {len(items):,} items {fault.sentence}.", fault.fix,
            tuple(flagged.values()), sure=fault.sure,
        )
        for fault, flagged in listed.items()
    )  # fmt: skip
    return Checked(NAME, len(items), findings, notes=("English keys alone are read.",))


def _quote(item: Item) -> str:
    return quoted(f"{quoted(item.question)[:110]} – {key_of(item)}")


def _find_faults(items: Sequence[Item]) -> Iterator[tuple[Item, _Fault, str]]:
    for item in items:
        if item.language != "en":
            continue
        question, key = item.question.strip(), key_of(item).strip()
        if _DOUBT.search(key):
            yield item, _DOUBTFUL, ""
        if item.kind == "open":
            if evidence := _explain_kind(question, key):
                yield item, _OTHER_KIND, evidence
            if not _CHOOSES.search(question) and _repeats(question, key):
                yield item, _REPEATS, ""
        if item.kind == "open" and item.images and _MEASURED.search(key) and not _MEASURED.search(question):
            yield item, _SIZES, ""
        if _other_side(question, key) and len(question.split()) < 40:
            yield item, _OTHER_SIDE, ""


def _explain_kind(question: str, key: str) -> str:
    """Why a key is not of the kind that its question asks for; empty if it is.

    >>> _explain_kind("Is the trachea midline?", "Left lung")
    'The question asks for yes or no, and the key is neither.'
    >>> _explain_kind("Where is the mass?", "Yes")
    'The key is yes or no, and the question asks for something else.'
    """
    words = plain_words(key)
    if _POLAR.match(question) and len(_sentences(question)) == 1 and not _YES_NO.match(key) and not _DOUBT.search(key):
        return "The question asks for yes or no, and the key is neither."
    if _ASKS_WHAT.match(question) and words in (["yes"], ["no"]):
        return "The key is yes or no, and the question asks for something else."
    if _PLANE.search(question) and _PROJECTION.fullmatch(key.strip(" .")):
        return "The question asks for a plane, and the key is a projection."
    if _HOW_MANY.match(question) and not _NUMBER.search(key):
        return "The question asks for a number, and the key has none."
    return ""


def _sentences(question: str) -> list[str]:
    return [each for each in re.split(r"[.?!]\s", question) if each.strip()]


def _repeats(question: str, key: str) -> bool:
    meant = content(key)
    return bool(meant) and not _YES_NO.match(key) and set(meant) <= set(content(question))


def _other_side(question: str, key: str) -> bool:
    asked = {word for word in plain_words(question) if word in _SIDES}
    said = {word for word in plain_words(key) if word in _SIDES}
    return len(asked) == len(said) == 1 and asked != said and not _YES_NO.match(key)


def _find_shared(items: Sequence[Item]) -> Iterator[tuple[Item, _Fault, str]]:
    """Open questions about one image that ask for different things and have one key of several words."""
    groups: dict[tuple[object, ...], list[tuple[Item, frozenset[str]]]] = defaultdict(list)
    for item in items:
        if item.kind == "open" and item.images and len(words := plain_words(key_of(item))) >= 3:
            asked = frozenset(name for name, pattern in _ATTRIBUTES.items() if pattern.search(item.question))
            if asked:
                groups[shown(item), tuple(words)].append((item, asked))
    for group in groups.values():
        every = frozenset().union(*(asked for _, asked in group))
        for item, asked in group:
            if asked != every:
                yield item, _MORE, ""


CHECK = Check(NAME, "Does the key answer its question?", look)
