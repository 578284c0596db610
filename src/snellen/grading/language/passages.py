"""Passages: the lines and sentences of a response, each with its place and the part it plays in a list."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

WINDOW = 16_000
"""Of longer responses, the first and the last half of this many characters are read."""

_SENTENCE_END = re.compile(r"[.!?;。！？；](?:(?<=[。！？；])|(?<!;)['\")\]]{0,2}\s|\s)")
_ABBREVIATION = re.compile(r"(?:\b(?:\w|es|vs|ca|fig|dr|cf|ecc)|approx)\.$")
_LONGEST_HEADING = 400
_BULLET = re.compile(r"\s{0,12}(?:[-–•·+]|\d{1,2}[.)])\s{1,4}")
_OPTION = re.compile(
    r"\W{0,10}(?:(?:opzion[ei]|options?|opción|opciones)\s{1,2})?"
    r"(?:[a-h](?:\s{0,2}(?:,|/|&|-|e|ed|and)\s{0,2}[a-h]){0,4}(?:\s{0,2}[):.]|\s{1,3}[(-])|"
    r"[^\n:]{2,60}\([a-h]\)\s{0,3}:)"
)
_SIGNS = "'()/\"[]“”.,;:!?—…"
_CHINESE = re.compile("[\u4e00-\u9fff]")


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


def sentences(line: Passage, *, body: int) -> list[PlacedSentence]:
    """The sentences of a line."""
    parts = []
    start, text, begin = line.start, line.text, 0
    for found in _SENTENCE_END.finditer(text, body):
        stop, end = found.span()
        if not (text[stop] == "." and _ABBREVIATION.search(text, max(begin, stop - 7), stop + 1)):
            parts.append(PlacedSentence(start + begin, text[begin:end]))
            begin = end
    if begin < len(text):
        parts.append(PlacedSentence(start + begin, text[begin:]))
    return parts
