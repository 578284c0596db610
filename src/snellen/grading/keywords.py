"""The words of answering in a text: nouns, verbs and superlatives that may introduce an option."""

from __future__ import annotations

import re
from collections.abc import Iterator

from snellen.grading.phrases import (
    ANSWER_NOUNS,
    CHOOSING,
    DIAGNOSIS_NOUNS,
    EXCEPTING,
    MATCHING,
    OPTION_NOUNS,
    SUPERLATIVES,
)

MOST = 40
"""At most this many nouns, letters and lines are looked at from each end of a reply."""

ANSWERS = [noun for nouns in ANSWER_NOUNS.values() for noun in nouns]
OPTIONS = [noun for nouns in OPTION_NOUNS.values() for noun in nouns]
KINDS = {
    **dict.fromkeys(EXCEPTING, "except"),
    **dict.fromkeys(SUPERLATIVES, "superlative"),
    **dict.fromkeys(DIAGNOSIS_NOUNS, "diagnosis"),
    **dict.fromkeys(OPTIONS, "option"),
    **dict.fromkeys(ANSWERS, "answer"),
    **dict.fromkeys(MATCHING, "match"),
    **dict.fromkeys(CHOOSING, "verb"),
}
_IDEOGRAPHIC = re.compile("[\u0600-\u06ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_TOKEN = re.compile(r"[^\W\d_]+")
# Words are cut out of the UTF-8 bytes: many times faster than by a pattern, and this runs for every reply.
_LETTERS_ONLY = bytes(sign if chr(sign).isalpha() or sign > 127 else 32 for sign in range(256))


_UNSPACED_LEADS = bytes((*range(0xD8, 0xDC), *range(0xE3, 0xEE)))
"""The first bytes of Arabic, Japanese, Chinese and Korean letters in UTF-8."""


def _by_token() -> dict[bytes, list[str]]:
    """The keywords by their longest word, so that a reply is only searched for those whose word it has."""
    known: dict[bytes, list[str]] = {}
    for keyword in KINDS:
        if not _IDEOGRAPHIC.search(keyword):
            known.setdefault(max(_TOKEN.findall(keyword), key=len).encode(), []).append(keyword)
    return known


_BY_TOKEN = _by_token()
_TOKENS = frozenset(_BY_TOKEN)
_UNSPACED = [keyword for keyword in KINDS if _IDEOGRAPHIC.search(keyword)]


def speaks_of_answers(low: str, words: set[bytes]) -> bool:
    """Whether a text, given in lower case and as its words, speaks of answering: only then it can hold a statement."""
    return any(keyword in low for token in _TOKENS & words for keyword in _BY_TOKEN[token])


def tokens(text: str) -> set[bytes]:
    """The words of a text, each once."""
    return set(text.encode(errors="replace").translate(_LETTERS_ONLY).split())


def keywords(low: str) -> list[tuple[int, int]]:
    """Where the words of answering stand, the longest at each place."""
    raw = low.encode(errors="replace")
    known = _TOKENS.intersection(raw.translate(_LETTERS_ONLY).split())
    present = [keyword for token in known for keyword in _BY_TOKEN[token]]
    if len(raw) > len(low) and len(raw.translate(None, _UNSPACED_LEADS)) < len(raw):
        present += _UNSPACED
    found: dict[int, int] = {}
    for word in sorted(present, key=len, reverse=True):
        for start in _places(low, word):
            end = start + len(word)
            joined = ord(word[0]) > 0x250 or not (_latin(low[start - 1 : start]) or _latin(low[end : end + 1]))
            if joined and start not in found:
                found[start] = end
    places = sorted(found.items())
    return places if len(places) <= 2 * MOST else places[:MOST] + places[-MOST:]


def _places(low: str, word: str) -> Iterator[int]:
    """The first and the last places of a word."""
    start = low.find(word)
    for _ in range(5 * MOST):
        if start < 0:
            return
        yield start
        start = low.find(word, start + len(word))
    end = low.rfind(word)
    for _ in range(MOST):
        yield end
        end = low.rfind(word, 0, end)


def _latin(letter: str) -> bool:
    """Whether a letter would make the keyword beside it part of a longer word."""
    return letter.isalpha() and ord(letter) < 0x250
