"""Find doubt in a response: it could not see well, presumes what the image shows, or is not sure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from snellen.lexicon import read_lexicon
from snellen.reading.language.sentences import Passages, passages
from snellen.runtime import regex

_LEXICON = read_lexicon("doubting")


class Doubt(NamedTuple):
    """A pattern of doubt. It is tried only on text with one of its words and one of its parts of words."""

    words: frozenset[str]
    parts: tuple[str, ...]
    pattern: re.Pattern[str]
    chinese: bool

    def search(self, text: str) -> re.Match[str] | None:
        """Return the match in a text, or None."""
        for part in self.parts:
            if part in text:
                return self.pattern.search(text)
        return None


def _read_doubts() -> Iterator[Doubt]:
    words, parts = _LEXICON.read_table("words"), _LEXICON.split_forms("parts")
    for name, pattern in _LEXICON.read_table("patterns").items():
        yield Doubt(
            frozenset(words.get(name, "").split()), parts.get(name, ("",)), regex(pattern), chinese=name not in words
        )


_DOUBTS = tuple(_read_doubts())
_WIDE = regex("  +")
_WORDS_OF_DOUBT = frozenset().union(*(phrase.words for phrase in _DOUBTS))


def hedges(text: str) -> bool:
    """Return whether a response voices doubt.

    "The most likely diagnosis", a phrase of exam questions, is not doubt.

    >>> hedges("Although the image is not clearly visible, the context suggests A.")
    True
    >>> hedges("The most likely diagnosis is A.")
    False
    """
    return voices_doubt(passages(_WIDE.sub(" ", text)))


def voices_doubt(reply: Passages) -> bool:
    """Return whether a response, already split into passages, voices doubt."""
    for line in reply.lines:
        likely = reply.chinese or not _WORDS_OF_DOUBT.isdisjoint(line.words)
        if likely and _has_doubt(line.text, line.words, chinese=reply.chinese):
            return True
    return False


def _has_doubt(text: str, words: Sequence[str], *, chinese: bool) -> bool:
    """Return whether a text with these words has a phrase of doubt."""
    return any(
        phrase.search(text) for phrase in _DOUBTS if (chinese and phrase.chinese) or not phrase.words.isdisjoint(words)
    )
