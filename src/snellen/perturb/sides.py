"""Words of side and position in six languages, which a rotation makes false."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from snellen.lexicon import read_lexicon
from snellen.runtime import regex

_LEXICON = read_lexicon("sides")
_LISTED = _LEXICON.read_words("words")
_WORDS = frozenset(word for word in _LISTED if not word.endswith("*"))
_BEGINNINGS = tuple(word.rstrip("*") for word in _LISTED if word.endswith("*"))
_WORD = regex(r"[^\W\d_]+")
_IN_SMALL_LETTERS = regex("|".join(_LEXICON.read_lines("phrases")))
_IN_CAPITALS = regex(_LEXICON.read_text("abbreviated"))
NEITHER_LEFT_NOR_RIGHT = "|".join(row.forms for row in _LEXICON.find_rows("something else") if row.name != "views")
"""Words for left and right with other meanings: correct, remaining, the law, approximately."""
_NOT_SIDES = regex("|".join(_LEXICON.read_lines("something else")), re.IGNORECASE)


@lru_cache(maxsize=2**14)
def speaks_of_sides(text: str) -> bool:
    """Return True if a text has a word of side or position, also in doubt.

    >>> [speaks_of_sides(text) for text in ("Which lobe? RLL", "Lungenflügel links", "Which of these is right?")]
    [True, True, False]
    """
    text = unicodedata.normalize("NFC", text)
    return _has_sides(text) and _has_sides(_NOT_SIDES.sub(" ", text))


def _has_sides(text: str) -> bool:
    small = text.lower()
    words = set(_WORD.findall(small))
    if not words.isdisjoint(_WORDS) or any(word.startswith(_BEGINNINGS) for word in words):
        return True
    return _IN_SMALL_LETTERS.search(small) is not None or _IN_CAPITALS.search(text) is not None
