"""Roles of words in a response to a detection question, one letter each, and patterns written in them."""

from __future__ import annotations

from collections.abc import Mapping

from snellen.grading.language.patterns import Alphabet, Notation, RolePattern

LETTER = {
    "normal": "0", "abnormal": "1", "finding": "f", "sound": "z", "not": "n", "no": "N", "absent": "A", "may": "h",
    "can": "m", "cannot": "c", "general": "g", "would": "W", "if": "I", "order": "j", "picture": "p", "the": "w",
    "this": "t", "body": "y", "be": "B", "see": "v", "there": "E", "spoilt": "S", "spoilable": "s", "artefact": "a",
    "quality": "k", "bad": "b", "good": "o", "too": "T", "tell": "d", "concluding": "C", "so": "H", "choose": "K",
    "diagnosis": "r", "medical": "M", "doctor": "D", "consult": "R", "provide": "F", "help": "e", "sorry": "G",
    "ai": "X", "decline": "x", "i": "i", "you": "u", "but": ";", "than": ">", "between": "|", "or": "/", "and": "&",
    "out": "O", "repeat": "P", "send": "U", "detail": "L", "first": "3",
    "by": "Y", "due": "Z", "a": "@", "need": "!", "variant": "V", "only": "J", "it": "5",
    "show": "4", "haze": "6", "how": "Q", "point": "q",
    "spot": "l", "let": "7", "with": "-",
}  # fmt: skip
"""The letter of each role."""
OTHER, COMMA, COLON, QUOTE, STOP = "_", ",", ":", '"', "."
OPTION = 0xE000
"""The first of the letters that stand for the diseases of a question with several."""
_OPTIONS = {OPTION + place: "1" for place in range(26)}

_NOTATION = Notation(
    Alphabet(LETTER | {"other": OTHER, "comma": COMMA, "colon": COLON, "quote": QUOTE}, {}),
    families={
        "<cannot>": (
            "cannot", "not ..2 can", "not ..2 may", "can not", "may not", "can ..4 no", "not good", "no ..2 can",
        ),
        "<the>": ("the|this",),
    },
    gaps={"..": ".", "~": "[^,:;nN]", "=": f"[{OTHER}@wty&-]"},
    starts={"^": ["^"]},
    end="$",
)  # fmt: skip


def pattern(*lines: str) -> RolePattern:
    """One pattern out of lines of role names, any of which may match the shape of a sentence.

    Beside what every notation has: "..3" is up to three words of any role, "~3" up to three words of one phrase, "=3"
    up to three that have no role of note, "^" where the sentence begins.

    >>> shape = "".join(LETTER[role] for role in "the picture be too spoilt".split())
    >>> bool(pattern("picture ..2 be ~2 spoilt").search(shape))
    True
    """
    return _NOTATION.pattern(*lines)


def unnamed(shape: str) -> str:
    """A shape in which every disease has the one letter of them all."""
    return shape.translate(_OPTIONS)


def lexicon(*languages: Mapping[str, str]) -> dict[str, str]:
    """Words with the letters of their roles; where languages differ on a word, the first counts."""
    words: dict[str, str] = {}
    for roles in languages:
        for role, listed in roles.items():
            for word in listed.split():
                words.setdefault(word, LETTER[role])
    return words
