"""Roles: what a word does in a reply (denies, sees, asks, names a picture), one letter each."""

from __future__ import annotations

from collections.abc import Mapping

OTHER, STOP, QUERY, COMMA, COLON, BULLET = "x", ".", "?", ",", ":", "#"
_SIGNS = {
    ".": STOP, "!": STOP, ";": STOP, "\n": STOP, "。": STOP, "！": STOP, "；": STOP, "?": QUERY, "？": QUERY,
    "¿": BULLET, "¡": BULLET, ",": COMMA, "，": COMMA, "(": COMMA, ")": COMMA, "、": COMMA, ":": COLON, "：": COLON,
    "•": BULLET,
}  # fmt: skip

_NAMES = (
    "not cannot no without able can may see analyse tell get given visible load through fail send give describe "
    "ask if suppose need want i we you the a in picture pictures study flaw show is be there it have usually do "
    "to sure unsure hard guess maybe blur poor enough more different info help decline medical doctor consult "
    "sorry text bot only sight forget blank what message answer yes but or and people thanks kind finding your "
    "here number this plural unseeing every many adverb available seeing of instance when inthe so rules move "
    "analysing ing asked asked-many done anatomy shade "
)
ROLES = tuple(_NAMES.split())
"""The names of all roles; each is one letter of a sentence's shape."""

LETTER = {name: chr(0x80 + place) for place, name in enumerate(ROLES)} | {
    "other": OTHER, "stop": STOP, "query": QUERY, "comma": COMMA, "colon": COLON, "bullet": BULLET,
}  # fmt: skip

_MOST_REMEMBERED = 30_000


class Lexicon(dict[str, str]):
    """The words of one language with the letters of their roles; words it does not list are remembered as found.

    A listed word may be a stem ("upload*") or an ending ("*bild").
    """

    def __init__(self, roles: Mapping[str, str]) -> None:
        super().__init__(_SIGNS)
        self._stems: dict[str, str] = {}
        self._endings: dict[str, str] = {}
        for role, words in roles.items():
            for word in words.split():
                kept = self._stems if word.endswith("*") else self._endings if word.startswith("*") else self
                kept[word.strip("*")] = LETTER[role]
        self._lengths = sorted({len(stem) for stem in self._stems}, reverse=True)

    def __missing__(self, word: str) -> str:
        letter = self._guessed(word)
        if len(self) < _MOST_REMEMBERED:
            self[word] = letter
        return letter

    def _guessed(self, word: str) -> str:
        if word[0].isdigit():
            return LETTER["number"]
        for length in self._lengths:
            if length <= len(word) and (letter := self._stems.get(word[:length])):
                return letter
        for ending, letter in self._endings.items():
            if word.endswith(ending):
                return letter
        return OTHER
