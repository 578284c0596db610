"""Reasons why a pair of reports cannot be compared: empty, not English, or too long."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from snellen.reading.language.words.roles import COMMON, SMALL
from snellen.reading.reports.sections import sections_of
from snellen.runtime import regex

if TYPE_CHECKING:
    from snellen.reading.reports.metrics.metric import Pair

MOST_WORDS = 5_000
"""A longer text cannot be the report of one examination; the longest of 3,955 real reports has 230 words."""
_WORD = regex(r"[^\W\d_]+")
_ENGLISH = COMMON["en"] | SMALL | {"no", "left", "right", "heart", "lungs", "clear", "chest", "unremarkable"}
_OTHERS = [COMMON[language] - _ENGLISH for language in ("de", "fr", "es", "it")]
_LATIN = regex(r"[a-zà-öø-ÿ]", re.IGNORECASE)

EMPTY, NO_REFERENCE = "empty report", "empty reference"
FOREIGN, FOREIGN_REFERENCE = "report in another language", "reference in another language"
LONG, LONG_REFERENCE = f"report of over {MOST_WORDS:,} words", f"reference of over {MOST_WORDS:,} words"
REASONS = (NO_REFERENCE, FOREIGN_REFERENCE, LONG_REFERENCE, EMPTY, FOREIGN, LONG)


def unusable(pair: Pair) -> str:
    """Return the reason to leave out a pair, one of `REASONS`. Empty if it can be scored.

    >>> from snellen.reading.reports.metrics import Pair
    >>> unusable(Pair("Kein Pleuraerguss.", "No effusion.")), unusable(Pair("No effusion.", "No effusion."))
    ('report in another language', '')
    """
    sides = [(check, text) for text in (pair.reference, pair.generated) for check in _CHECKS]
    return next((reason for reason, (check, text) in zip(REASONS, sides, strict=True) if check(text)), "")


def in_another_language(text: str) -> bool:
    """Return whether a text is in another European language, or mostly in non-Latin letters.

    The languages are German, French, Spanish, Portuguese and Italian. A few words that they share with English are not
    enough, because English reports often have no small words.
    """
    words = _WORD.findall(text.lower())
    letters = "".join(words)
    if 3 * len(_LATIN.findall(letters)) < 2 * len(letters):
        return True
    there = set(words)
    return max(len(there & common) for common in _OTHERS) > len(there & _ENGLISH)


def _empty(text: str) -> bool:
    """Return whether a text has no words except headings."""
    return not any(map(str.isalnum, "".join(sections_of(text))))


def too_long(text: str) -> bool:
    """Return whether a text has more words than any report."""
    return len(text.split(maxsplit=MOST_WORDS)) > MOST_WORDS


_CHECKS: tuple[Callable[[str], bool], ...] = (_empty, in_another_language, too_long)
