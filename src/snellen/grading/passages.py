"""Passages: the lines and sentences of a reply, each with its place and the part it plays in a list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

WINDOW = 16_000
"""Of longer replies, the first and the last half of this many characters are read."""

_SENTENCE_END = re.compile(r"[.!?]['\")\]]{0,2}\s|;\s|[。！？；]")
_ABBREVIATION = re.compile(r"(?:\b(?:\w|es|vs|ca|fig|dr|cf|ecc)|approx)\.$")
_LONGEST_HEADING = 400
_BULLET = re.compile(r"\s{0,12}(?:[-–•·+]|\d{1,2}[.)])\s{1,4}")
_OPTION = re.compile(
    r"\W{0,10}(?:(?:opzion[ei]|options?|opción|opciones)\s{1,2})?"
    r"(?:[a-h](?:\s{0,2}(?:,|/|&|-|e|ed|and)\s{0,2}[a-h]){0,4}(?:\s{0,2}[):.]|\s{1,3}[(-])|"
    r"[^\n:]{2,60}\([a-h]\)\s{0,3}:)"
)
_SIGNS = "'()/\"[]“”.,;:!?"


class Line(NamedTuple):
    """A line of a reply: where it stands, its text in lower case without markup signs, and its words."""

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


class Sentence(NamedTuple):
    """A sentence within a line."""

    start: int
    text: str


def plain(text: str) -> str:
    """The text in lower case with signs of markup blanked, every character at its old place."""
    low = text.lower()
    if len(low) != len(text):
        low = "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)
    return low.replace("*", " ").replace("’", "'").replace("_", " ").replace("`", " ").replace("\r", " ")


def ends(text: str) -> list[tuple[int, str]]:
    """The text with the place where it begins; of a very long one, its two ends."""
    half = WINDOW // 2
    return [(0, text)] if len(text) <= WINDOW else [(0, text[:half]), (len(text) - half, text[-half:])]


def lines(low: str) -> Iterator[Line]:
    """The lines of a text in plain lower case, empty ones left out; of very long texts, those at both ends."""
    for start, piece in ends(low):
        bare = piece
        for sign in _SIGNS:
            bare = bare.replace(sign, " ")
        for text, spaced in zip(piece.split("\n"), bare.split("\n"), strict=True):
            words = spaced.split()
            if words:
                opens = text.rstrip()[-1:] in ":：" or words[0][0] == "#"
                yield Line(start, text, words, opens and len(text) < _LONGEST_HEADING)
            start += len(text) + 1


def sentences(line: Line, *, body: int) -> Iterator[Sentence]:
    """The sentences of a line."""
    begin = 0
    for end in _SENTENCE_END.finditer(line.text, body):
        if not _ABBREVIATION.search(line.text, max(begin, end.start() - 7), end.start() + 1):
            yield Sentence(line.start + begin, line.text[begin : end.end()])
            begin = end.end()
    if begin < len(line.text):
        yield Sentence(line.start + begin, line.text[begin:])
