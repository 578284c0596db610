"""Wording: damaged characters, leftover templates, repeated words and misspelled words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from snellen.items import Item
from snellen.tools.audit.audited import Audited, texts_of
from snellen.tools.audit.checks import Check
from snellen.tools.audit.finding import Checked, Finding, Flagged, Severity, shorten_quote
from snellen.tools.audit.spelling import FREQUENT, Misspelling, find_misspellings

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
    "Marks stand alone that belong to no word.": re.compile(
        r"\*\.\*|(?<!\S)\*\*(?!\S)|^\*\*\||\|\*\*$|[?!,;]{2,}\"|\"\?\"|\?{2,}"
    ),
    "A word or a whole question stands there twice.": re.compile(
        r"\b(?!had|that)([a-z]{2,})\s+\1\b(?!-)|^\s*(.{12,}[.?])\s*\2\s*$", re.DOTALL
    ),
    "A template was not filled in.": re.compile(
        r"\b(?:is/are|was/were|has/have|does/do|do/does)\b|\bNULL\b|\[[A-Z_ ]+\]|\{\w+\}"
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
    return Checked(NAME, len(items), tuple(found), notes=notes)


def _find_damage(items: Sequence[Item], marked: Mapping[str, tuple[str, ...]]) -> Iterator[Finding]:
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
            " ".join(map(_explain, words)),
            shorten_quote(", ".join(f"{each.word} ({each.meant})" for each in words)),
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
            sure=0.7,
        )


def _explain(found: Misspelling) -> str:
    """Describe a misspelling without quoting the benchmark.

    >>> _explain(Misspelling("blad der", "bladder", 3))
    'A space breaks a word.'
    """
    if " " in found.word:
        return "A space breaks a word."
    known = f"of {found.items:,} items" if found.items >= FREQUENT else "of the medical lexicon"
    return f"A word is one slip away from a word {known}."


CHECK = Check(NAME, "Is the text damaged, or are words misspelled?", look)
