"""The words of a response: how they are told apart and spelled, and which of them have a role."""

from __future__ import annotations

import re
from functools import lru_cache

from snellen.grading.language.detection_roles import COLON, COMMA, LETTER, OTHER, QUOTE, lexicon
from snellen.grading.language.words import chinese, english, french, german, italian, spanish

BETWEEN = "\x00"
"""Stands between sentences while the words of all of them are told apart at once."""
_APART = {sign: f" {sign} " for sign in ',:";' + BETWEEN} | {"(": " , ", ")": " , "}
_AWAY = ".!?[]{}<>=/\\|%$&#~^+…"
HAN = re.compile("[\u3400-\u9fff]")
WORDS = lexicon(*(tongue.DETECTION for tongue in (english, italian, spanish, french, german, chinese))) | {
    ",": COMMA, ":": COLON, '"': QUOTE, "(": COMMA, ")": COMMA, ";": ";", "-": ";", BETWEEN: BETWEEN,
}  # fmt: skip
"""Every word and sign that has a role, with its letter."""
JOINED = {
    tuple(phrase.split()): LETTER.get(role, OTHER)
    for role, listed in english.DETECTION_PHRASES.items()
    for phrase in listed.split("|")
} | {
    ("i'd",): "iW",
    ("it's",): "5B",
    ("that's",): "tB",
    ("here's",): "tB",
    ("what's",): "QB",
    ("he's",): "_B",
    ("note", "that"): OTHER,
}
"""Words in a row that are read as one, or one that is read as two, as `spelling` has them."""
_ELIDED = re.compile(r"(?:l|d|un|dell|all|nell|sull|qu|j|s|c)'(?=\w)")
_BRITISH = (("oedema", "edema"), ("tumour", "tumor"), ("haemorrhag", "hemorrhag"), ("isation", "ization"))
_LISTED = sorted((word for words in chinese.DETECTION.values() for word in words.split()), key=len, reverse=True)


def apart(text: str) -> list[str]:
    """The words of a text, and its signs that mean something; others fall away."""
    for sign, spaced in _APART.items():
        text = text.replace(sign, spaced)
    for sign in _AWAY:
        if sign in text:
            text = text.replace(sign, " ")
    return text.split()


def chinese_words(own: list[str]) -> re.Pattern[str]:
    """What tells Chinese words apart: those that have a role and those of a question's own, the longest first."""
    words = "|".join(map(re.escape, sorted(own, key=len, reverse=True) + _LISTED))
    return re.compile(rf"{words}|[\u3400-\u9fff]|[a-z0-9]+|[,:;\"()\x00]")


@lru_cache(maxsize=20_000)
def spelling(word: str) -> str:
    """A word as Americans write it, without the s of a plural.

    >>> spelling("tumours"), spelling("oedema"), spelling("diseases"), spelling("diagnosis")
    ('tumor', 'edema', 'disease', 'diagnosis')
    """
    word = word.strip("'-") or word
    word = _ELIDED.sub("", word, count=1) if "'" in word else word
    for british, american in _BRITISH:
        word = word.replace(british, american)
    plural = len(word) > 4 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if plural else word
