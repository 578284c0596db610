"""Roles: what a word does in a reply (denies, sees, asks, names a picture), and patterns written in roles."""

from __future__ import annotations

import re
from collections.abc import Mapping

OTHER, STOP, QUERY, COMMA, COLON, BULLET = "x", ".", "?", ",", ":", "#"
_SIGNS = {
    ".": STOP, "!": STOP, ";": STOP, "\n": STOP, "。": STOP, "！": STOP, "；": STOP, "?": QUERY, "？": QUERY, "¿": BULLET,
    "¡": BULLET, ",": COMMA, "，": COMMA, "(": COMMA, ")": COMMA, "、": COMMA, ":": COLON, "：": COLON, "•": BULLET,
}  # fmt: skip

ROLES = (
    "not cannot no without able can may see analyse tell get given visible load through fail send give describe ask if "
    "suppose need want i we you the a in picture pictures study flaw show is be there it have usually do to sure unsure "
    "hard guess maybe blur poor enough more different info help decline medical doctor consult sorry text bot only sight "
    "forget blank what message think answer yes but or and people thanks kind finding your here number this plural unseeing every many adverb available seeing of instance called"
).split()
"""The names of all roles; each is one letter of a sentence's shape."""

LETTER = {name: chr(0xA1 + place) for place, name in enumerate(ROLES)} | {
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


def _letters(names: str) -> str:
    return "".join(LETTER[name] for name in names.split("|"))


_FAR = f"[^{STOP}{QUERY}]"
_CALM = f"(?:[^{STOP}{QUERY}{COMMA}{COLON}{_letters('in|of|but|more|different|show')}]|,(?=[{_letters('see|analyse|tell|or|and')}]))"
_NOUN = f"[{OTHER}{_letters('plural|finding|number|kind|people|adverb|picture|pictures|study|message|medical')}]"
_STEADY = f"[^{STOP}{QUERY}{_letters('may|if|need|suppose|show|cannot|to')}]"


def pattern(*lines: str) -> re.Pattern[str]:
    """One pattern out of lines of role names, any of which may match the shape of a text.

    "a|b" is either role, "a?" one that may be left out, "!a|b" that neither comes next, "..3" up to three words of any
    role within the sentence, "~3" up to three words of one phrase (no preposition, no new clause), "^" where a clause
    begins, "^^" where a sentence begins, "$" where a sentence ends.

    >>> bool(pattern("cannot ..2 see ~3 picture").search(LETTER["cannot"] + LETTER["see"] + "x" + LETTER["picture"]))
    True
    """
    return re.compile("|".join("".join(map(_part, line.split())) for line in lines))


def _part(part: str) -> str:
    clause = f"{STOP}{QUERY}{COMMA}{COLON}{BULLET}{_letters('but|and|sorry|or|if')}"
    if part == "^":
        return f"(?:^|(?<=[{clause}]))"
    if part == "^.":
        return f"(?:^|(?<=[{STOP}{QUERY}]))"
    if part == "^^":
        return f"(?:^|(?<=[{STOP}{QUERY}{COLON}{BULLET}]))"
    if part == "$":
        return f"(?=[{STOP}{QUERY}]|$)"
    if part.startswith(".."):
        return f"{_FAR}{{0,{part[2:]}}}?"
    if part.startswith("~"):
        return f"{_CALM}{{0,{part[1:]}}}?"
    if part.startswith("="):
        return f"{_NOUN}{{0,{part[1:]}}}?"
    if part.startswith("@"):
        return f"(?<![{_letters(part[1:])}])"
    if part.startswith("-"):
        return f"{_STEADY}{{0,{part[1:]}}}?"
    if part.startswith("!"):
        return f"(?![{_letters(part[1:])}])"
    return f"[{_letters(part[:-1])}]?" if part.endswith("?") else f"[{_letters(part)}]"
