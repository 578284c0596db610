"""Overlapping options: options that mean the same, or of which one is right whenever another is."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations

from snellen.items import LETTERS, Item
from snellen.perturb.words import fold_spelling, simplify_text, tokens
from snellen.tools.audit.audited import Audited, right_place
from snellen.tools.audit.checks import Check
from snellen.tools.audit.duplicates import plain_words
from snellen.tools.audit.finding import Checked, Flagged, ItemFault, Severity, gather_findings, shorten_quote

NAME = "overlapping-options"
_ARTICLES = frozenset(("a", "an", "the"))
_LONGEST_NAME = 4
"""Maximum words of an option that is a name. In longer ones, word order matters."""
_INVERTED = re.compile(r"([^\W\d_]+(?: [^\W\d_]+)?), ([^\W\d_]+)")
_PROSE = re.compile(r"[^\W\d_]+(?:[ ,.;:'’()/-]+[^\W\d_]+)*[ .;]*")
"""Matches an option of words only. In a formula or table, every sign has a meaning."""
_WORD = re.compile(r"[^\W\d_]+")
_MEASURE = re.compile(r"\d+(?:\.\d+)? ?[^\W\d_]+")
_JOINED = re.compile(r"[,;/]|\b(?:and|or|plus|with|without)\b", re.IGNORECASE)
_RANGE = re.compile(
    r"(?P<low>(?:less|fewer|smaller) than|under|below|up to|at most|[<≤])? ?(?P<high>(?:more|greater|larger) than|over"
    r"|above|at least|[>≥])? ?(?P<from>\d+(?:\.\d+)?)(?: ?(?:-|–|to) ?(?P<to>\d+(?:\.\d+)?))? ?(?P<unit>[^\W\d_]+|%)?",
    re.IGNORECASE,
)
_SAME = ItemFault(
    "have two options that mean the same", "Options {} and {} mean the same.", 0.9, Severity.HIGH,
    "Remove one of the two options, and see which of them the key means.",
)  # fmt: skip
_RANGES = ItemFault(
    "have ranges as options that overlap, the key's among them", "Options {} and {} are ranges that overlap.", 0.7,
    Severity.HIGH, "Give ranges that exclude each other.",
)  # fmt: skip
_NESTED = ItemFault(
    "have two options, one a subtype of the other, and one of them is the key",
    "Options {} and {}: one is a subtype of the other, and one of them is the key.", 0.4, Severity.MEDIUM,
    "Check if both are right. If so, change the wrong option, or ask for the most exact answer.",
)  # fmt: skip


def look(audited: Audited) -> Checked:
    """List the items with overlapping options, one finding per kind of overlap."""
    if not audited.choices:
        return Checked(NAME, 0, cannot=("No item is a multiple-choice question, so no two options can overlap.",))
    listed: dict[ItemFault, list[Flagged]] = {_SAME: [], _RANGES: [], _NESTED: []}
    for item in audited.choices:
        for fault, *pair in list(_find_overlaps(item))[:1]:
            letters = (LETTERS[at] if at < len(LETTERS) else str(at + 1) for at in pair)
            quote = shorten_quote(" – ".join(item.options[at].text for at in pair))
            listed[fault].append(Flagged(item.id, fault.evidence.format(*letters), quote))
    return Checked(NAME, len(audited.choices), gather_findings(NAME, listed, len(audited.choices)))


def _find_overlaps(item: Item) -> Iterator[tuple[ItemFault, int, int]]:
    """Yield the pairs of options that overlap, the surest kind first."""
    texts = [" ".join(option.text.split()) for option in item.options]
    pairs = list(combinations(range(len(texts)), 2))
    keyed = [pair for pair in pairs if right_place(item) in pair]
    yield from ((_SAME, *pair) for pair in pairs if _mean_same(*(texts[at] for at in pair)))
    ranges = [_read_range(text) for text in texts]
    yield from ((_RANGES, *pair) for pair in keyed if _overlap(*(ranges[at] for at in pair)))
    if item.language == "en":
        yield from ((_NESTED, *pair) for pair in keyed if _names_kind(*(texts[at] for at in pair)))


def _mean_same(one: str, other: str) -> bool:
    """Return whether two options differ at most in spelling, number, articles or units.

    >>> _mean_same("Oedema of the lung", "edema of lung"), _mean_same("5 cm", "50 mm"), _mean_same("IL-1", "IL-2")
    (True, True, False)
    >>> _mean_same("Lung, left", "Left lung"), _mean_same("A before B", "B before A")
    (True, False)
    """
    return _read_words(one) == _read_words(other)


def _names_kind(one: str, other: str) -> bool:
    """Return whether one option names a kind of the other."""
    if _JOINED.search(f"{one} {other}"):
        return False
    short, long = sorted((_read_words(one), _read_words(other)), key=len)
    named = len(long) <= _LONGEST_NAME and all(word.isalpha() and len(word) > 2 for word in long)
    return named and 0 < len(short) < len(long) and long[-len(short) :] == short


@lru_cache(maxsize=2**14)
def _read_words(text: str) -> tuple[str, ...]:
    turned = _INVERTED.sub(r"\2 \1", text) if _INVERTED.fullmatch(text) else text
    if _MEASURE.fullmatch(turned):
        return (tokens(simplify_text(turned))[0].split()[-1],)
    if not _PROSE.fullmatch(turned):
        return (turned,)
    return tuple(word for word in map(_singular, _WORD.findall(turned)) if word not in _ARTICLES)


def _singular(word: str) -> str:
    """Remove a plural s from a word; abbreviations and genotypes (XaXa) are unchanged."""
    if not (len(word) > 2 and (word.istitle() or word.islower() or (word.isupper() and len(word) > 5))):
        return word
    plain = " ".join(plain_words(word)) or word
    return fold_spelling(plain).removesuffix("s") if len(word) > 4 and not plain.endswith(("ss", "us", "is")) else plain


def _read_range(text: str) -> tuple[str, float, float] | None:
    """Read an option that is a range of numbers: its unit, its lower and its upper end."""
    found = _RANGE.fullmatch(text.rstrip("."))
    if not found or not (found["low"] or found["high"] or found["to"]):
        return None
    low, high = float(found["from"]), float(found["to"] or found["from"])
    return (found["unit"] or "").lower(), -math.inf if found["low"] else low, math.inf if found["high"] else high


def _overlap(one: tuple[str, float, float] | None, other: tuple[str, float, float] | None) -> bool:
    """Return whether two ranges of one unit share more than an end."""
    return bool(one and other and one[0] == other[0] and max(one[1], other[1]) < min(one[2], other[2]))


CHECK = Check(NAME, "Do two options overlap, so that both can be right?", look)
