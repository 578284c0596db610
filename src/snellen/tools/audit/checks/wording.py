"""Wording: damaged characters, leftovers of a template, and words that are one letter off from a frequent one."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from snellen.items import Item
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks import Check
from snellen.tools.audit.finding import Checked, Finding, Flagged, Severity, quoted

NAME = "wording"
SHORTEST, FREQUENT = 9, 4
"""Letters of a word that can be misspelled, and items that have the word that is meant, at least."""
_DAMAGE: Mapping[str, re.Pattern[str]] = {
    "A letter was lost.": re.compile("\ufffd"),
    "Characters were read in the wrong encoding.": re.compile(r"Ã[\x80-\xbf©¨¼¶¤]|â€[™œ\x9d“”¢]|Â[°±µ·]"),
    "Control characters stand in the text.": re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"),
    "Codes of a web page stand in the text.": re.compile(
        r"&(?:amp|lt|gt|quot|nbsp|#\d+);|</?(?:p|br|b|i|div|span|sub|sup)\b[^>]*>"
    ),
    "A quotation mark stands in place of an apostrophe.": re.compile(r"\b[A-Za-z]+\"s\b|s\" (?=[a-z])"),
    "Marks stand alone that belong to no word.": re.compile(r"\*\.\*|(?<!\*)\*\*(?!\*)\s|[?!,;]{2,}\"|\"\?\"|\?{2,}"),
    "A template was not filled in.": re.compile(
        r"\b(?:is/are|was/were|has/have|does/do|do/does)\b|\bNULL\b|\[[A-Z_ ]+\]|\{\w+\}"
    ),
}
_WORD = re.compile(r"[A-Za-z]+")
_ALIKE = (("ae", "e"), ("oe", "e"), ("our", "or"), ("ise", "ize"), ("isa", "iza"), ("yse", "yze"), ("tre", "ter"),
          ("ll", "l"), ("ph", "f"), ("que", "k"), ("hy", "hi"))  # fmt: skip
"""Spellings of British and American English, which are no errors."""
_ENDINGS = re.compile(
    r"(?:ings?|e?d|e?r|e?s|y|ly|al|ic|ous|us|um|is|ae?|ia?|on|or|ive|[ae]nce|[ae]nt|an|ary|[ai]ble|oid|ine?|[aid][td]e"
    r"|[ts]ion)$"
)


class Misspelling(NamedTuple):
    """A word of an item, and the frequent word that it is one letter off from."""

    word: str
    meant: str
    items: int
    """Items that have the frequent word."""


def look(audited: Audited) -> Checked:
    """List the items with damaged text, and those with a word that is probably misspelled."""
    items = audited.items
    found = (*_find_damage(items, audited.marked), *_find_misspellings(items))
    notes = ("A word is taken for misspelled if it is one letter off from a word that at least "
             f"{FREQUENT} times as many items have. English alone is read.",)  # fmt: skip
    return Checked(NAME, len(items), tuple(found), notes=notes)


def texts_of(item: Item) -> tuple[str, ...]:
    """Everything that an item says: context, question, and options or key."""
    key = () if item.kind == "choice" else item.references
    return (item.context, item.question, *(option.text for option in item.options), *key)


def _find_damage(items: Sequence[Item], marked: Mapping[str, tuple[str, ...]]) -> Iterator[Finding]:
    flagged = []
    for item in items:
        said = [f"{each[0].upper()}{each[1:]}." for each in marked.get(item.id, ())]
        places = []
        for words, pattern in _DAMAGE.items():
            for text in texts_of(item):
                if hit := pattern.search(text):
                    said.append(words)
                    places.append(text[max(0, hit.start() - 30) : hit.end() + 30])
                    break
        if said:
            flagged.append(Flagged(item.id, " ".join(said), quoted(" … ".join(places))))
    if flagged:
        yield Finding(
            NAME,
            Severity.MEDIUM,
            f"{len(flagged):,} of {len(items):,} items have damaged characters or leftovers of a template.",
            "Write the text again. Models and parsers may read a damaged option as another one.",
            tuple(flagged),
            sure=0.85,
        )


def _find_misspellings(items: Sequence[Item]) -> Iterator[Finding]:
    misspelled = find_misspellings([item if item.language == "en" else None for item in items])
    flagged = [
        Flagged(
            items[at].id,
            " ".join(f"A word is one letter off from a word of {each.items:,} items." for each in words),
            quoted(", ".join(f"{each.word} ({each.meant})" for each in words)),
        )
        for at, words in misspelled.items()
    ]
    if flagged:
        yield Finding(
            NAME,
            Severity.LOW,
            f"{len(flagged):,} of {len(items):,} items have a word that is probably misspelled.",
            "Correct the spelling. In an option it sets that option apart from the others.",
            tuple(flagged),
            sure=0.6,
        )


def find_misspellings(items: Sequence[Item | None]) -> dict[int, list[Misspelling]]:
    """The probable misspellings of items by their places, judged by the words of all."""
    holders: dict[str, set[int]] = defaultdict(set)
    for at, item in enumerate(items):
        if item is not None:
            for text in texts_of(item):
                for word in _WORD.findall(text):
                    holders[word.lower()].add(at)
    frequent = {word: len(places) for word, places in holders.items() if len(places) >= FREQUENT and len(word) >= 5}
    shapes: dict[str, set[str]] = defaultdict(set)
    for word in frequent:
        for shape in _shapes(word):
            shapes[shape].add(word)
    found: dict[int, list[Misspelling]] = defaultdict(list)
    for word, places in sorted(holders.items()):
        if len(word) < SHORTEST or len(places) > FREQUENT or _is_inflected(word, frequent):
            continue
        close = {other for shape in _shapes(word) for other in shapes.get(shape, ()) if _is_slip(word, other)}
        meant = max(sorted(close), key=frequent.__getitem__, default="")
        if meant and len(places) * FREQUENT <= frequent[meant]:
            for at in places:
                found[at].append(Misspelling(word, meant, frequent[meant]))
    return found


def _shapes(word: str) -> Iterator[str]:
    """The word, and the word less any one letter: two words of one edit share one of these."""
    yield word
    for at in range(len(word)):
        yield word[:at] + word[at + 1 :]


def _is_inflected(word: str, frequent: Mapping[str, int]) -> bool:
    """Whether it is a frequent word with another ending."""
    return word in frequent or any(
        word[: -len(end)] + more in frequent
        for end in ("s", "es", "ed", "ing", "ly", "al", "d", "r", "ic")
        if word.endswith(end)
        for more in ("", "e")
    )


def _is_slip(word: str, other: str) -> bool:
    """Whether a word is one slip off from another: a letter lost, added, swapped or changed inside the word.

    Other endings and British spellings are no slips.

    >>> _is_slip("immobolization", "immobilization"), _is_slip("radiographs", "radiograph")
    (True, False)
    >>> _is_slip("oesophagus", "esophagus"), _is_slip("hypotension", "hypertension"), _is_slip("abcess", "abscess")
    (False, False, True)
    """
    if (
        word == other
        or word[0] != other[0]
        or abs(len(word) - len(other)) > 1
        or _as_american(word) == _as_american(other)
    ):
        return False
    start = next((at for at, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other)))
    tail = 0
    while tail < min(len(word), len(other)) - start and word[-1 - tail] == other[-1 - tail]:
        tail += 1
    rest, meant = word[start : len(word) - tail], other[start : len(other) - tail]
    if max(len(rest), len(meant)) > 1 and not (len(rest) == len(meant) == 2 and rest == meant[::-1]):
        return False
    if tail < 2 or start < 2:
        return False
    return _ENDINGS.sub("", word) != _ENDINGS.sub("", other)


def _as_american(word: str) -> str:
    for british, american in _ALIKE:
        word = word.replace(british, american)
    return word


CHECK = Check(NAME, "Is the text damaged, or are words misspelled?", look)
