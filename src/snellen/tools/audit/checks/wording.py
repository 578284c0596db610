"""Wording: damaged characters, leftover templates, repeated words and misspelled words."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache, lru_cache
from typing import NamedTuple

from snellen.items import Item
from snellen.lexicon import list_words
from snellen.perturb.words import fold_spelling, stem
from snellen.tools.audit.audited import Audited, texts_of
from snellen.tools.audit.checks import Check
from snellen.tools.audit.finding import Checked, Finding, Flagged, Severity, list_finding, shorten_quote

NAME = "wording"
_DAMAGE: Mapping[str, re.Pattern[str]] = {
    "A letter was lost.": re.compile("\ufffd"),
    "Characters were read in the wrong encoding.": re.compile(r"Ã[\x80-\xbf©¨¼¶¤]|â€[™œ\x9d“”¢]|Â[°±µ·]"),
    "Control characters stand in the text.": re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"),
    "Codes of a web page stand in the text.": re.compile(
        r"&(?:amp|lt|gt|quot|nbsp|#\d+);|</?(?:p|br|b|i|div|span|sub|sup)\b[^>]*>"
    ),
    "A quotation mark stands in place of an apostrophe.": re.compile(
        r"\b[A-Za-z]+\"s\b|^[^\"]*(?:\"[^\"]*\"[^\"]*)*s\" (?=[a-z])"
    ),
    "Punctuation or asterisks stand without a word.": re.compile(
        r"\*\.\*|(?<!\S)\*\*(?!\S)|^\*\*\||\|\*\*$|[?!,;]{2,}\"|\"\?\"|\?{2,}"
    ),
    "A word or the whole question is repeated.": re.compile(
        r"\b(?!had|that)([a-z]{2,})\s+\1\b(?!-)|^\s*(.{12,}[.?])\s*\2\s*$", re.DOTALL
    ),
    "A template was not filled in.": re.compile(
        r"\b(?i:is/are|was/were|has/have|does/do|do/does)\b|\bNULL\b|\[[A-Z_ ]+\]|\{\w+\}"
    ),
}


def look(audited: Audited) -> Checked:
    """List the items with damaged text and the items with probably misspelled words."""
    items = audited.items
    found = (*_find_damage(items, audited.marked), *_find_misspellings(items))
    notes = (
        "A word counts as misspelled if it is one slip away from a word that the medical lexicon has, or that "
        f"{FREQUENT} times as many items have. Only English is read.",
    )
    return Checked(NAME, len(items), found, notes=notes)


def _find_damage(items: Sequence[Item], marked: Mapping[str, tuple[str, ...]]) -> tuple[Finding, ...]:
    flagged = []
    for item in items:
        said = [f"{each[0].upper()}{each[1:]}." for each in marked.get(item.id, ())]
        places = []
        for words, pattern in _DAMAGE.items():
            if any("lost" in each for each in said) and "lost" in words:  # the loader reported it
                continue
            for text in texts_of(item):
                if hit := pattern.search(text):
                    said.append(words)
                    places.append(text[max(0, hit.start() - 30, hit.end() - 60) : hit.end() + 30])
                    break
        if said:
            flagged.append(Flagged(item.id, " ".join(said), shorten_quote(" … ".join(places))))
    sentence = f"{len(flagged):,} of {len(items):,} items have damaged characters or leftovers of a template."
    fix = "Write the text again. Models and parsers may read a damaged option as another one."
    return list_finding(NAME, Severity.MEDIUM, sentence, fix, flagged, sure=0.85)


def _find_misspellings(items: Sequence[Item]) -> tuple[Finding, ...]:
    misspelled = find_misspellings([item if item.language == "en" else None for item in items])
    flagged = [
        Flagged(
            items[at].id,
            " ".join(map(_explain, words)),
            shorten_quote(", ".join(f"{each.word} ({each.meant})" for each in words)),
        )
        for at, words in misspelled.items()
    ]
    sentence = f"{len(flagged):,} of {len(items):,} items have a word that is probably misspelled."
    fix = "Correct the spelling. In an option it sets that option apart from the others."
    return list_finding(NAME, Severity.LOW, sentence, fix, flagged, sure=0.7)


def _explain(found: Misspelling) -> str:
    """Describe a misspelling without quoting the benchmark.

    >>> _explain(Misspelling("blad der", "bladder", 3))
    'A space breaks a word.'
    """
    if " " in found.word:
        return "A space breaks a word."
    known = f"of {found.items:,} items" if found.items >= FREQUENT else "of the medical lexicon"
    return f"A word is one slip away from a word {known}."


FREQUENT = 4
"""Minimum number of items with the intended word, and minimum ratio to the misspelled word's."""
SHORTEST, SHORTEST_DOUBLED = 9, 8
"""Minimum letters of a misspelled word, and of one with wrong double letters."""
_TABLES = ("claims", "diagnoses", "reports", "synonyms", "terms", "topics")
_WORD = re.compile(r"[A-Za-z]+")
_BROKEN = re.compile(r"\b([A-Za-z]{5,}) ([b-hj-z])\b(?!['’])")
"""Matches a word and a single letter after it, which may be its last letter."""
_DOUBLED = re.compile(r"([b-df-hj-np-tv-xz])\1")


class Misspelling(NamedTuple):
    """A misspelled word, the intended word, and the number of items with the intended word."""

    word: str
    meant: str
    items: int


def find_misspellings(items: Sequence[Item | None]) -> dict[int, list[Misspelling]]:
    """Find probable misspellings by the words of all items and the lexicon."""
    count, places, broken = _count_words(items)
    known = _read_lexicon()
    meant_by = _index_by_shape(known | {word for word, held in count.items() if held >= FREQUENT and len(word) >= 5})
    kin: dict[str, set[str]] = defaultdict(set)
    for word in known | count.keys():
        kin[_find_stem(word)].add(word)
    found: dict[int, list[Misspelling]] = defaultdict(list)
    for word in sorted(count):
        if len(word) < SHORTEST_DOUBLED or word in known:
            continue
        others = kin[_find_stem(word)] - {word}
        close = {
            other
            for shape in _list_shapes(_fold(word))
            for other in meant_by.get(shape, ())
            if _is_meant(word, other, count, others)
        }
        if close:
            meant = max(sorted(close), key=lambda other: count[other])
            for at in places[word]:
                found[at].append(Misspelling(word, meant, count[meant]))
    for at, first, last in broken:
        whole = first + last
        if first not in known and (whole in known or count[whole] > count[first]):
            found[at].append(Misspelling(f"{first} {last}", whole, count[whole]))
    return found


def _count_words(
    items: Sequence[Item | None],
) -> tuple[Counter[str], Mapping[str, list[int]], list[tuple[int, str, str]]]:
    """Count the items with each word, and list words that a space may break."""
    count: Counter[str] = Counter()
    places: dict[str, list[int]] = defaultdict(list)
    broken = []
    for at, item in enumerate(items):
        if item is not None:
            texts = texts_of(item)
            words = {word.lower() for text in texts for word in _WORD.findall(text)}
            count.update(words)
            for word in words:
                if len(word) >= SHORTEST_DOUBLED and len(places[word]) < 2 * FREQUENT:
                    places[word].append(at)
            broken += [(at, first.lower(), last) for text in texts for first, last in _BROKEN.findall(text)]
    return count, places, broken


@cache
def _read_lexicon() -> frozenset[str]:
    return frozenset(word for table in _TABLES for word in list_words(table) if len(word) >= 5)


def _index_by_shape(words: frozenset[str]) -> Mapping[str, set[str]]:
    shapes: dict[str, set[str]] = defaultdict(set)
    for word in words:
        for shape in _list_shapes(_fold(word)):
            shapes[shape].add(word)
    return shapes


def _list_shapes(word: str) -> Iterator[str]:
    """Yield the word, and the word without each single letter."""
    yield word
    for at in range(len(word)):
        yield word[:at] + word[at + 1 :]


def _is_meant(word: str, other: str, count: Counter[str], kin: Set[str]) -> bool:
    """Return whether a word is probably a misspelling of a more established word.

    A difference in double letters suffices. Otherwise, the word must be rare, and no third word may share its stem:
    "irritation" is sound if "irritated" occurs.
    """
    if other not in _read_lexicon() and count[other] < max(FREQUENT, FREQUENT * count[word]):
        return False
    if _fold(word) == _fold(other):
        return is_slip(word, other)
    rare = count[word] <= FREQUENT and FREQUENT * count[word] <= max(count[other], FREQUENT) and kin <= {other}
    lettered = len(_fold(word)) != len(_fold(other)) or count[other] >= FREQUENT
    return rare and lettered and len(word) >= SHORTEST and is_slip(word, other)


def is_slip(word: str, other: str) -> bool:
    """Return whether a word is one typing error away from another, ignoring double letters.

    Other endings and British spellings are not errors. Nor is another consonant, which mostly makes another word.

    >>> is_slip("immobolization", "immobilization"), is_slip("radiographs", "radiograph")
    (True, False)
    >>> is_slip("oesophagus", "esophagus"), is_slip("incubation", "intubation"), is_slip("saggital", "sagittal")
    (False, False, True)
    """
    if word[0] != other[0] or fold_spelling(word) == fold_spelling(other):
        return False
    one, two = _fold(word), _fold(other)
    if one == two:
        return True
    start = next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    tail = 0
    while tail < min(len(one), len(two)) - start and one[-1 - tail] == two[-1 - tail]:
        tail += 1
    rest, meant = one[start : len(one) - tail], two[start : len(two) - tail]
    swapped = len(rest) == len(meant) == 2 and rest == meant[::-1]
    vowels = not (rest and meant) or {rest, meant} <= set("aeiouy")
    if not swapped and (max(len(rest), len(meant)) > 1 or not vowels):
        return False
    return start >= 2 and (tail >= 4 or (tail >= 2 and _find_stem(word) != _find_stem(other)))


@lru_cache(maxsize=2**17)
def _fold(word: str) -> str:
    """Write double consonants once, in one spelling."""
    return _DOUBLED.sub(r"\1", fold_spelling(word))


def _find_stem(word: str) -> str:
    return stem(fold_spelling(word))


CHECK = Check(NAME, "Is the text damaged, or are words misspelled?", look)
