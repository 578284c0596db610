"""Sentences: where they end, and the lines of a response, each with its place and the part it plays in a list."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from snellen.runtime import regex

WINDOW = 16_000
"""Of longer responses, the first and the last half of this many characters are read."""

_END = r"(?:(?<=[。！？；])|(?<!;)['\")\]]{0,2}\s|\s)"
_SENTENCE_END = regex(rf"[.!?。！？；]{_END}")
_FINE_END = regex(rf"[.!?;。！？；]{_END}")
SENTENCE_END = regex(r"[.;!?](?=\s|$)|\n")
"""Where the first sentence of a short text ends, be it at the end of the text."""
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


class Passage(NamedTuple):
    """A line of a response: where it stands, its text in lower case without markup signs, and its words."""

    start: int
    text: str
    words: list[str]
    heading: bool

    @property
    def body(self) -> int:
        """Where the text begins after the sign of a bullet; 0 if it is none."""
        bullet = _BULLET.match(self.text)
        return bullet.end() if bullet else 0

    @property
    def option(self) -> bool:
        """Whether the line is about one of the options offered."""
        return _OPTION.match(self.text) is not None


class PlacedSentence(NamedTuple):
    """A sentence within a line."""

    start: int
    text: str


def plain(text: str) -> str:
    """The text in lower case with signs of markup blanked, every character at its old place."""
    low = text.lower()
    if len(low) != len(text):
        low = "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)
    return low.replace("*", " ").replace("’", "'").replace("_", " ").replace("`", " ").replace("\r", " ")


class Passages(NamedTuple):
    """A response made ready to be read: in plain lower case, and its lines."""

    low: str
    lines: Sequence[Passage]
    chinese: bool


def passages(text: str) -> Passages:
    """A text made ready to be read; of a very long one, the lines at both ends."""
    low = plain(text)
    half = WINDOW // 2
    ends = ((0, low),) if len(low) <= WINDOW else ((0, low[:half]), (len(low) - half, low[-half:]))
    lines = [line for start, piece in ends for line in _lines(piece, start)]
    return Passages(low, lines, not low.isascii() and _CHINESE.search(low) is not None)


def _lines(piece: str, start: int) -> list[Passage]:
    """The lines of a text in plain lower case, empty ones left out."""
    bare = piece
    for sign in _SIGNS:
        bare = bare.replace(sign, " ")
    found = []
    for text, spaced in zip(piece.split("\n"), bare.split("\n"), strict=True):
        words = spaced.split()
        if words:
            opens = len(text) < _LONGEST_HEADING and (text.rstrip()[-1] in ":：" or words[0][0] == "#")
            found.append(Passage(start, text, words, opens))
        start += len(text) + 1
    return found


def cut(line: str, *, start: int = 0, finely: bool = False) -> Iterator[tuple[int, int]]:
    """The places of the sentences of a line; none ends before `start`.

    `finely`: a semicolon ends one too, and the dot of an abbreviation does not.

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


def sentences(line: Passage, *, body: int) -> list[PlacedSentence]:
    """The sentences of a line."""
    start, text = line.start, line.text
    return [PlacedSentence(start + begin, text[begin:end]) for begin, end in cut(text, start=body, finely=True)]


def sentences_of(text: str) -> list[str]:
    r"""The sentences of a text, without the space around them.

    >>> sentences_of("A mass. It is large.\nNo more")
    ['A mass.', 'It is large.', 'No more']
    """
    return [said for line in text.split("\n") for begin, end in cut(line) if (said := line[begin:end].strip())]


def last_sentence(text: str) -> str:
    """What stands after the last end of a sentence in a text."""
    before = _BEFORE_LAST.match(text)
    return text[before.end() :] if before else text
