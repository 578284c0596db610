"""Roles of words in a response to a detection question, and patterns of these roles.

A `Vocabulary` holds the words of all languages and those of one question's options. A *shape* is a sentence with one
letter per word, for its role.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from snellen.reading.language.patterns import Alphabet, Notation, RolePattern
from snellen.reading.language.words.roles import DETECTION, DETECTION_PHRASES
from snellen.runtime import regex

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
    "spot": "l", "let": "7", "with": "-", "moving": "8", "who": "9", "much": "^",
}  # fmt: skip
"""The letter of each role."""
OTHER, COMMA, COLON, QUOTE, STOP = "_", ",", ":", '"', "."
OPTION = 0xE000
"""Letter of the first disease, if a question has several."""
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
    """Return one pattern from lines of role names.

    In addition to `Notation`: "..3" is up to three words of any role, "~3" up to three words of one phrase, "=3" up to
    three words without an important role, "^" the beginning of the sentence.

    >>> shape = "".join(LETTER[role] for role in "the picture be too spoilt".split())
    >>> bool(pattern("picture ..2 be ~2 spoilt").search(shape))
    True
    """
    return _NOTATION.pattern(*lines)


def merge_disease_letters(shape: str) -> str:
    """Replace the letters of all diseases in a shape by their common letter."""
    return shape.translate(_OPTIONS)


def lexicon(*languages: Mapping[str, str]) -> dict[str, str]:
    """Return words with the letters of their roles. If languages differ on a word, the first one counts."""
    words: dict[str, str] = {}
    for roles in languages:
        for role, listed in roles.items():
            for word in listed.split():
                words.setdefault(word, LETTER[role])
    return words


KEYED = regex(
    r"[\"']?\b(?:disease|diseased|abnormal|abnormality|pathology|pathological|tumou?r|lesion|findings?|has_disease)"
    r"(?:_present|_detected)?[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:(?P<ill>true|yes|present|positive|1)|"
    r"(?P<well>false|no|absent|negative|none|0)|(?P<unsaid>null|unknown|n/?a))\b",
    re.IGNORECASE,
)
"""A field, in JSON or key-value form, that says if there is disease."""
BETWEEN = "\x00"
"""Separator of sentences, so that all of them are split into words at once."""
_APART = {sign: f" {sign} " for sign in ',:";' + BETWEEN} | {"(": " , ", ")": " , "}
_AWAY = ".!?[]{}<>=/\\|%$&#~^+…"
HAN = regex("[\u3400-\u9fff]")
WORDS = lexicon(*DETECTION.values()) | {
    ",": COMMA, ":": COLON, '"': QUOTE, "(": COMMA, ")": COMMA, ";": ";", "-": ";", BETWEEN: BETWEEN,
}  # fmt: skip
"""Every word and sign that has a role, with its letter."""
JOINED = {
    tuple(phrase.split()): LETTER.get(role, OTHER) for role, listed in DETECTION_PHRASES.items() for phrase in listed
} | {
    ("i'd",): "iW",
    ("it's",): "5B",
    ("that's",): "tB",
    ("here's",): "tB",
    ("what's",): "QB",
    ("he's",): "_B",
    ("note", "that"): OTHER,
}
"""Phrases that are read as one word, and contractions read as two, in the form that `spelling` returns."""
_ELIDED = regex(r"(?:l|d|un|dell|all|nell|sull|qu|j|s|c)'(?=\w)")
_BRITISH = (("oedema", "edema"), ("tumour", "tumor"), ("haemorrhag", "hemorrhag"), ("isation", "ization"))
_LISTED = sorted((word for words in DETECTION["zh"].values() for word in words.split()), key=len, reverse=True)


def split_words(text: str) -> list[str]:
    """Return the words of a text and the signs that have a role. Other signs are dropped."""
    for sign, spaced in _APART.items():
        text = text.replace(sign, spaced)
    for sign in _AWAY:
        if sign in text:
            text = text.replace(sign, " ")
    return text.split()


def chinese_words(own: list[str]) -> re.Pattern[str]:
    """Return the pattern that splits Chinese text. Longest first: words of the question (`own`) and with a role."""
    words = "|".join(map(re.escape, sorted(own, key=len, reverse=True) + _LISTED))
    return re.compile(rf"{words}|[\u3400-\u9fff]|[a-z0-9]+|[,:;\"()\x00]")


@lru_cache(maxsize=20_000)
def spelling(word: str) -> str:
    """Return a word in American spelling, without a plural s.

    >>> spelling("tumours"), spelling("oedema"), spelling("diseases"), spelling("diagnosis")
    ('tumor', 'edema', 'disease', 'diagnosis')
    """
    word = word.strip("'-") or word
    word = _ELIDED.sub("", word, count=1) if "'" in word else word
    for british, american in _BRITISH:
        word = word.replace(british, american)
    plural = len(word) > 4 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if plural else word


_REMEMBERED = 20_000


class Phrase(NamedTuple):
    """Words of a phrase as `spelling` returns them, and the letter of the phrase."""

    words: tuple[str, ...]
    letter: str


class Vocabulary(dict[str, str]):
    """Cache of the letter of each word. A word that may begin a phrase has an empty letter."""

    def __init__(self, phrases: Iterable[Phrase], own: list[str], *, several: bool) -> None:
        super().__init__()
        self.several = several
        self._han = chinese_words(own)
        self._alone: dict[str, str] = {}
        self._phrases: dict[str, dict[str, list[Phrase]]] = {}
        # Among phrases of one length, those of the options come first.
        for phrase in sorted(phrases, key=lambda one: -len(one.words)):
            first, *rest = phrase.words
            following = self._phrases.setdefault(first, {})
            if rest:
                following.setdefault(rest[0], []).append(phrase)
            else:
                self._alone.setdefault(first, phrase.letter)

    def __missing__(self, word: str) -> str:
        letter = "" if spelling(word) in self._phrases else self._letter(word)
        if len(self) < _REMEMBERED:
            self[word] = letter
        return letter

    def _letter(self, word: str) -> str:
        spelled = spelling(word)
        return self._alone.get(spelled) or WORDS.get(word) or WORDS.get(spelled) or OTHER

    def shapes(self, text: str) -> list[str]:
        """Return the shapes of lower-case sentences: one letter for each word, sign or phrase."""
        han = not text.isascii() and HAN.search(text) is not None
        words = self._han.findall(text) if han else split_words(text)
        letters = [self[word] for word in words]
        passed = 0
        for place, letter in enumerate(letters):
            if not letter and place >= passed:
                letters[place], passed = self._phrase(words, place)
                letters[place + 1 : passed] = [" "] * (passed - place - 1)
        return "".join(letters).replace(" ", "").split(BETWEEN)

    def _phrase(self, words: list[str], place: int) -> tuple[str, int]:
        """Return the letter of the longest phrase or word at a place, and its end."""
        following = self._phrases[spelling(words[place])]
        if following and place + 1 < len(words):
            for phrase in following.get(spelling(words[place + 1]), ()):
                end = place + len(phrase.words)
                if phrase.words[2:] == tuple(map(spelling, words[place + 2 : end])):
                    return phrase.letter, end
        return self._letter(words[place]), place + 1
