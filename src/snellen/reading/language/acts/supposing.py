"""Find sentences that mention an image without saying what this one shows.

Such sentences ask, give orders, state conditions, explain how something would look, or repeat the question. Others
describe any image of a kind or a disease in general, or are about the model itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from snellen.lexicon import read_lexicon
from snellen.runtime import regex

_LEXICON = read_lexicon("supposing")

_LEAD_IN = _LEXICON.compile_text("lead in")
_ORDERED = _LEXICON.read_text("ordered")
_METHOD = _LEXICON.read_text("method")
_ON_CONDITION = _LEXICON.read_text("on condition")
_ECHOED = _LEXICON.read_text("echoed")
_CHOOSES = regex(r"\b(?:is|are|è|es|est|ist):? \(?[a-h]\)?[.* ]{0,3}$")
_CHOICE_AT_MOST = 16
_LETTERS, _LETTER_AT_MOST = frozenset("abcdefgh"), 4
_PAUSE = _LEXICON.compile_text("pause")
_UNTOLD = _LEXICON.compile_text("untold")
_UNTOLD_WORDS = _LEXICON.read_words("untold words")
_OF_MYSELF = _LEXICON.compile_text("of myself")
_NOTHING_HERE = _LEXICON.compile_text("nothing here")
_UNSEEN_WORDS = _LEXICON.read_words("unseen words")
_BUT = _LEXICON.compile_text("but")
_OF_ANY = _LEXICON.compile_text("of any")
_OF_ANY_WORDS = _LEXICON.read_words("of any words")
_ANY_IMAGE = _LEXICON.read_text("any image")
_NO_STATEMENT = regex(f"{_ORDERED}|{_METHOD}|{_ON_CONDITION}|{_ECHOED}|{_ANY_IMAGE}")
_SUSPECT = _UNTOLD_WORDS | _UNSEEN_WORDS | _OF_ANY_WORDS
"""Words of unknown, missing and general images. Without them, the searches for these are skipped."""
_ASIDE = _LEXICON.compile_text("aside")
ASKED = _LEXICON.compile_text("asked")


def keep_asserted(sentence: str, words: Sequence[str]) -> str:
    """Return the part of a sentence about what this image shows: all of it, the part after "but", or nothing.

    `words` are the words of the sentence; they rule out most patterns quickly.

    >>> keep_asserted(said := "if the x-ray shows an effusion, drain it", said.split())
    ''
    >>> keep_asserted(said := "i cannot diagnose, but the x-ray shows an effusion", said.split())
    'the x-ray shows an effusion'
    """
    if sentence.rstrip(" *\"'”»)").endswith(("?", "？")):
        return ""
    if (
        not _LETTERS.isdisjoint(words[-_LETTER_AT_MOST:])
        and _CHOOSES.search(sentence[-_CHOICE_AT_MOST:])
        and _PAUSE.search(sentence) is None
    ):
        return ""
    suspect = not _SUSPECT.isdisjoint(words)
    if suspect and not (sentence := _told_in(sentence, words)):
        return ""
    lead = _LEAD_IN.match(sentence)
    if _NO_STATEMENT.match(sentence, lead.end() if lead else 0):
        return ""
    if suspect and not _OF_ANY_WORDS.isdisjoint(words) and _OF_ANY.search(without_asides(sentence)):
        return ""
    return sentence


def _told_in(sentence: str, words: Sequence[str]) -> str:
    """Return the part of a sentence that is not about uncertainty or a missing image."""
    if not _UNTOLD_WORDS.isdisjoint(words) and (untold := _UNTOLD.search(sentence)):
        sentence = _keep_outside(sentence, untold)
    if not _UNSEEN_WORDS.isdisjoint(words) and _says_unseen(sentence):
        turn = _BUT.search(sentence)
        sentence = sentence[turn.end() :] if turn else ""
        return "" if _says_unseen(sentence) else sentence
    return sentence


def _keep_outside(sentence: str, untold: re.Match[str]) -> str:
    """Return the part of a sentence outside the clause that says that nothing is known."""
    for turn in _BUT.finditer(sentence):
        if turn.end() <= untold.start():
            return sentence[: turn.start()]
        if turn.start() >= untold.end():
            return sentence[turn.end() :]
    return ""


def without_asides(sentence: str) -> str:
    """Return a sentence without text in brackets or after ", which"."""
    return _ASIDE.sub("", sentence) if "(" in sentence or ", which" in sentence else sentence


def _says_unseen(sentence: str) -> bool:
    return _OF_MYSELF.search(sentence) is not None or _NOTHING_HERE.search(sentence) is not None
