"""Roles of words in talk of an image (denies, sees, asks, names a image), one letter each, and patterns in them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from snellen.grading.language.patterns import Alphabet, Notation, RolePattern

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

_ALPHABET = Alphabet(
    LETTER,
    # A word that the question has too is still just a word where nothing is asked of it, and a shade is a finding.
    {
        OTHER: LETTER["asked"] + LETTER["anatomy"],
        LETTER["plural"]: LETTER["asked-many"],
        LETTER["finding"]: LETTER["shade"],
    },
)
_ENDS = STOP + QUERY


def _except(names: str = "", signs: str = "") -> str:
    return f"[^{_ENDS}{signs}{_ALPHABET.letters(names) if names else ''}]"


_NOTATION = Notation(
    _ALPHABET,
    families={
        "<pic>": ("picture|pictures|study",),
        "<sure>": ("picture|pictures",),
        "<cannot>": ("cannot", "can not", "not ..1 can", "not ..2 able", "no able", "without ..2 able"),
        "<inthe>": ("in|of <the>", "inthe"),
        "<in>": ("in|of|inthe",),
        "<the>": ("the|your|this",),
        "<see>": ("see|seeing",),
    },
    gaps={
        "..": _except(),
        "~": f"(?:{_except('in|inthe|of|but|more|different|show', COMMA + COLON)}|"
        f",(?={_ALPHABET.any_of('see|analyse|tell|or|and')}))",
        "-": _except("may|if|when|need|suppose|show|cannot|to"),
        "%": _except("medical|help|doctor|rules|consult|people"),
        "=": _ALPHABET.any_of(
            "other|plural|ing|finding|number|kind|people|adverb|picture|pictures|study|message|medical"
        ),
    },
    starts={
        "^": [re.escape(sign) for sign in _ENDS + COMMA + COLON + BULLET]
        + list(_ALPHABET.letters("but|and|sorry|or|if|when")),
        "^^": [re.escape(sign) for sign in _ENDS + COLON + BULLET],
        "^.": [re.escape(sign) for sign in _ENDS],
    },
    end=f"(?=[{_ENDS}])",
)


def pattern(*lines: str) -> RolePattern:
    """One pattern out of lines of role names, any of which may match the shape of a text; a shape begins with a stop.

    Beside what every notation has: "..3" is up to three words of any role within the sentence, "%3" up to three that
    are not of medicine or help, "~3" up to three words of one phrase (no preposition, no new clause), "-3" up to three
    that leave the sentence a plain statement, "=3" up to three nouns, "^" where a clause begins, "^^" where a sentence
    or an entry of a list begins, "^." where a sentence begins, "<pic>" any kind of image.

    >>> shape = "".join(LETTER[role] for role in "stop i cannot see the picture stop".split())
    >>> bool(pattern("<cannot> ..2 see ~3 <pic>").search(shape))
    True
    """
    return _NOTATION.pattern(*lines)


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
