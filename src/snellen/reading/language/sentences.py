"""Sentences and lines of a response."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from snellen.reading.language.cleaning import lower_keeping_offsets
from snellen.runtime import regex

WINDOW = 16_000
"""Maximum number of characters read of a response: one half from each end."""

_END = r"(?:(?<=[。！？；])|(?<!;)['\")\]]{0,2}\s|\s)"
_SENTENCE_END = regex(rf"[.!?。！？；]{_END}")
_FINE_END = regex(rf"[.!?;。！？；]{_END}")
SENTENCE_END = regex(r"[.;!?](?=\s|$)|\n")
"""End of the first sentence of a short text; it may be the end of the text."""
_BEFORE_LAST = regex(r".*(?:[.!?\n;](?:\s|$)|[。；]|\n)", re.DOTALL)
_ABBREVIATION = regex(r"(?:\b(?:\w|es|vs|ca|fig|dr|cf|ecc)|approx)\.$")
_LONGEST_HEADING = 400
_BULLET = regex(r"\s{0,12}(?:[-–•·+]|\d{1,2}[.)])\s{1,4}")
_OPTION = regex(
    r"\W{0,10}(?:(?:opzion[ei]|options?|opción|opciones)\s{1,2})?"
    r"(?:[a-h](?:\s{0,2}(?:,|/|&|-|e|ed|and)\s{0,2}[a-h]){0,4}(?:\s{0,2}[):.]|\s{1,3}[(-])|"
    r"[^\n:]{2,60}\([a-h]\)\s{0,3}:)"
)
_SIGNS = "'()/\"[]“”.,;:!?—…"
_CHINESE = regex("[\u4e00-\u9fff]")


class ResponseLine(NamedTuple):
    """A line of a response: start, lower-case text without markup, and words."""

    start: int
    text: str
    words: list[str]
    heading: bool

    @property
    def body(self) -> int:
        """Offset of the text after a bullet; 0 if there is none."""
        bullet = _BULLET.match(self.text)
        return bullet.end() if bullet else 0

    @property
    def option(self) -> bool:
        """True if the line is about one of the options."""
        return _OPTION.match(self.text) is not None


class PlacedSentence(NamedTuple):
    """A sentence within a line."""

    start: int
    text: str


def plain(text: str) -> str:
    """Return the text in lower case without markup, with every character at its old position."""
    return (
        lower_keeping_offsets(text)
        .replace("*", " ")
        .replace("’", "'")
        .replace("_", " ")
        .replace("`", " ")
        .replace("\r", " ")
    )


class Passages(NamedTuple):
    """A response prepared for reading: in plain lower case, with its lines."""

    low: str
    lines: Sequence[ResponseLine]
    chinese: bool


def passages(text: str) -> Passages:
    """Prepare a text for reading. Of a very long one, only the lines at both ends."""
    low = plain(text)
    half = WINDOW // 2
    ends = ((0, low),) if len(low) <= WINDOW else ((0, low[:half]), (len(low) - half, low[-half:]))
    lines = [line for start, piece in ends for line in _lines(piece, start)]
    return Passages(low, lines, not low.isascii() and _CHINESE.search(low) is not None)


def _lines(piece: str, start: int) -> list[ResponseLine]:
    """Return the non-empty lines of a text in plain lower case."""
    bare = piece
    for sign in _SIGNS:
        bare = bare.replace(sign, " ")
    found = []
    for text, spaced in zip(piece.split("\n"), bare.split("\n"), strict=True):
        words = spaced.split()
        if words:
            opens = len(text) < _LONGEST_HEADING and (text.rstrip()[-1] in ":：" or words[0][0] == "#")
            found.append(ResponseLine(start, text, words, opens))
        start += len(text) + 1
    return found


def cut(line: str, *, start: int = 0, finely: bool = False) -> Iterator[tuple[int, int]]:
    """Yield the offsets of the sentences of a line; no sentence ends before `start`.

    `finely`: a semicolon ends a sentence too, and the dot of an abbreviation does not.

    >>> [line[begin:end] for line in ["One vs. two; three. Four"] for begin, end in cut(line, finely=True)]
    ['One vs. two; ', 'three. ', 'Four']
    """
    begin = 0
    for found in (_FINE_END if finely else _SENTENCE_END).finditer(line, start):
        stop, end = found.span()
        if not (finely and line[stop] == "." and _ABBREVIATION.search(line, max(begin, stop - 7), stop + 1)):
            yield begin, end
            begin = end
    if begin < len(line):
        yield begin, len(line)


def sentences(line: ResponseLine, *, body: int) -> list[PlacedSentence]:
    """Return the sentences of a line."""
    start, text = line.start, line.text
    return [PlacedSentence(start + begin, text[begin:end]) for begin, end in cut(text, start=body, finely=True)]


def sentences_of(text: str) -> list[str]:
    r"""Return the sentences of a text, without the space around them.

    >>> sentences_of("A mass. It is large.\nNo more")
    ['A mass.', 'It is large.', 'No more']
    """
    return [said for line in text.split("\n") for begin, end in cut(line) if (said := line[begin:end].strip())]


def last_sentence(text: str) -> str:
    """Return the text after the last end of a sentence."""
    before = _BEFORE_LAST.match(text)
    return text[before.end() :] if before else text
