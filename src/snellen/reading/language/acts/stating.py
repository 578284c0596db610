"""Find sentences that flatly describe this case.

Examples are "The aorta is dilated" and "There is no fracture": they name neither the image nor an observer. General
sentences differ in their subject (an organ that everybody has, or no article such as "this") or in their predicate (a
definition, a use, a possibility).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from snellen.lexicon import read_lexicon
from snellen.reading.language.acts.seeing import EXAMINATIONS, PICTURES
from snellen.reading.language.acts.supposing import keep_asserted
from snellen.reading.language.patterns import word_set
from snellen.reading.language.words.anatomy import SICK, NamedAnatomy, find_anatomy
from snellen.reading.language.words.findings import CONCEPTS, concepts, content
from snellen.reading.language.words.roles import COMMON, SMALL
from snellen.runtime import regex

_LEXICON = read_lexicon("stating")

_LEAD = _LEXICON.compile_text("lead")
_ASIDE = regex(r", (?:also|or|as|both|which) [^,]{0,80},")
_EXISTS = _LEXICON.read_text("exists")
_THERE = regex(rf"(?:{_EXISTS})\b(?P<rest>.*)", re.DOTALL)
_PLACED = _LEXICON.compile_text("placed", re.DOTALL)
_NONE_SEEN = _LEXICON.compile_text("none seen", re.DOTALL)
_OF_ONE = _LEXICON.compile_text("of one", re.DOTALL)
_OF_THIS = _LEXICON.compile_text("of this", re.DOTALL)
_PRESENT = _LEXICON.compile_text("present", re.DOTALL)
_CAN_BE_SEEN = _LEXICON.compile_text("can be seen")
_IN_REPORTS = _LEXICON.compile_text("in reports", re.DOTALL)
_CLAUSE_END = regex(r"[,;:(]| (?:which|but|because|although|while|whereas|as it|since|mais|ma|pero|aber)\b")

_CASE = (
    PICTURES
    | EXAMINATIONS
    | word_set(
        "patient patient's plane section view study paziente scansione paciente finding findings pathology alterazione "
        "anomalia anomalía anomalie veränderung"
    )
)
"""Words that always refer to this case."""
_PARTS = _LEXICON.read_words("parts")
_BODY = _LEXICON.read_words("body")
_COMPOUNDS = _LEXICON.read_phrases("compounds")
_SIDES = word_set("left right upper lower anterior posterior")
_ENGLISH = _LEXICON.read_words("english")
_POINTING = ("thi", "thes", "your", "ques", "est", "cet", "dies")
_NOT_SEEN = _LEXICON.read_words("not seen")
_SIGNS = word_set("signs sign evidence segni segno signos evidencia signes anzeichen zeichen hinweise")
_NORMAL = _LEXICON.read_words("normal")
_GENERAL = _LEXICON.read_words("general")
_DEFINING = _LEXICON.read_words("defining")
_KINDS = _LEXICON.read_words("kinds")
_SOMEWHERE = word_set("located found situated present")
_ARTICLES = word_set("a an the one l un una uno une ein eine einer il lo la el los le les der die das")
_INDEFINITE = word_set("a an un una une ein eine einer einem")
_ADVERBS = _LEXICON.read_words("adverbs")
_LONGEST_KIND = 7
_LONGEST_NAME = 3
"""A predicate with at most this many words only names something."""
_SMALL = frozenset.union(SMALL, PICTURES, *COMMON.values())
_ACCENTS = regex("[\u0300-\u036f]+")

_CHINESE = regex("[\u4e00-\u9fff]")
_CHINESE_RUN = regex("[\u4e00-\u9fff]{2,}")
_IN_CHINESE = _LEXICON.compile_text("in chinese")
_OPEN_IN_CHINESE = _LEXICON.compile_text("open in chinese")
_OPEN = _LEXICON.compile_text("open")
_OFFERS = regex(r"\b(?:or|o|oppure|ou|oder)\b|[:/]")


class QuestionContent(NamedTuple):
    """Content of a question: what it names, its words, and whether it is open.

    An open question asks what, which or how many, and offers no options.
    """

    names: frozenset[str]
    words: frozenset[str]
    open: bool
    pairs: frozenset[str]
    """Pairs of neighbouring Chinese characters in the question."""


def asks(question: str) -> QuestionContent:
    """Return the content of a lower-case question."""
    words = _words(question)
    is_open = _OPEN.search(question) is not None and _OFFERS.search(question) is None
    return QuestionContent(frozenset(_names(question)), frozenset(words) - _SMALL, is_open, _pairs(question))


def states(sentence: str, asked: QuestionContent) -> bool:
    """Return whether a lower-case sentence states, without doubt, something visible or asked for.

    >>> asked = asks("is the aorta dilated?")
    >>> states("yes, the aorta is dilated.", asked), states("there is no aneurysm", asked)
    (True, True)
    >>> states("the aorta is a large artery.", asked), states("an aorta may be dilated", asked)
    (False, False)
    """
    if not sentence.isascii() and _CHINESE.search(sentence):
        return _OPEN_IN_CHINESE.search(sentence) is None and _says_in_chinese(sentence, asked)
    if " can " in sentence and _CAN_BE_SEEN.match(sentence):
        return True
    if not _says(_ASIDE.sub("", sentence, count=1) if "," in sentence else sentence, asked):
        return False
    says_nothing = asked.open and _names(sentence) <= asked.names
    return not says_nothing and bool(keep_asserted(sentence, _words(sentence)))


def _pairs(text: str) -> frozenset[str]:
    """Return the pairs of neighbouring Chinese characters in a text."""
    if text.isascii():
        return frozenset()
    return frozenset(pair for run in _CHINESE_RUN.findall(text) for pair in map("".join, pairwise(run)))


def _says_in_chinese(sentence: str, asked: QuestionContent) -> bool:
    """Return whether a Chinese sentence asserts something, or repeats the question as a statement."""
    if _IN_CHINESE.match(sentence):
        return True
    pairs = _pairs(sentence)
    return len(pairs) > 2 and 2 * len(pairs & asked.pairs) >= len(pairs) and "是" not in sentence.lstrip("是")


def _says(sentence: str, asked: QuestionContent) -> bool:
    """Return whether a sentence has the form of a statement about what images show."""
    lead = _LEAD.match(sentence)
    start = lead.end() if lead else 0
    if lead and lead.group("answer") and not asked.open and _repeats(sentence[start:], asked):
        return True
    if said := _NONE_SEEN.match(sentence):
        return _can_be_seen(_words(said.group("sign") or said.group("seen")), asked)
    if said := _PLACED.match(sentence, start):
        place, rest = _words(said.group("place")), _clause(said)
        return (
            _plain(place + rest)
            and _INDEFINITE.isdisjoint(place)
            and _NOT_SEEN.isdisjoint(place + rest)
            and _is_about_asked(rest, asked)
        )
    if said := _THERE.match(sentence, start):
        return _can_be_seen(_clause(said), asked)
    if said := _OF_ONE.match(sentence, start):
        return _says_of_one(said, asked, answers=lead is not None and lead.group("answer") is not None)
    if said := _PRESENT.match(sentence, start):
        subject = _words(said.group("subject"))
        return _plain(subject + _clause(said)) and _NOT_SEEN.isdisjoint(subject) and _is_about_asked(subject, asked)
    if said := _OF_THIS.match(sentence, start):
        rest = _clause(said)
        return _plain(rest) and _tells(rest) and (_is_about_asked(rest, asked) or not EXAMINATIONS.isdisjoint(rest))
    if said := _IN_REPORTS.match(sentence, start):
        subject, rest = _words(said.group("subject")), _clause(said)
        return _plain(subject + rest) and _is_part(subject) and any(name.things for name in _find_names(rest[:1]))
    return False


def _can_be_seen(words: Sequence[str], asked: QuestionContent) -> bool:
    return (
        _plain(words)
        and _NOT_SEEN.isdisjoint(words)
        and PICTURES.isdisjoint(words[:3])
        and _is_about_asked(words, asked)
    )


def _repeats(said: str, asked: QuestionContent) -> bool:
    """Return whether an answer repeats the question as a statement: "yes, the bowel perforated"."""
    words, names = _words(said), _names(said)
    return (
        len(words) > _LONGEST_NAME - any(word in _ENGLISH for word in words[:1])
        and _INDEFINITE.isdisjoint(words[:1])
        and len(names) > 1
        and names <= asked.names
        and _plain(words)
        and _NOT_SEEN.isdisjoint(words)
        and _DEFINING.isdisjoint(words)
    )


def _says_of_one(said: re.Match[str], asked: QuestionContent, *, answers: bool) -> bool:
    """Return whether a statement about a subject belongs to this case."""
    article, subject, rest = said.group("the") or "", _words(said.group("subject")), _clause(said)
    if (
        not (subject and (rest or said.group("does")) and _plain(subject + rest) and _NOT_SEEN.isdisjoint(subject))
        or subject[0] in _NORMAL
    ):
        return False
    pointing = article.startswith(_POINTING) or not _CASE.isdisjoint(subject)
    sick = any(thing in SICK for name in _find_names(subject) for thing in name.things)
    part = _is_part(subject)
    organ = part and not (pointing or sick)
    if not (pointing or sick or part or _is_asked(subject, asked)):
        return False
    if said.group("does"):
        return answers or not organ or not _SIGNS.isdisjoint(rest) or any(name.things for name in _find_names(rest))
    return _tells(rest, of_any=not answers and (organ or not (pointing or article in _ENGLISH)))


def _tells(said: Sequence[str], *, of_any: bool = False) -> bool:
    """Return whether a predicate is neither a definition nor a use. `of_any`: the subject may be a kind of thing."""
    place = 0
    while place < len(said) and said[place] in _ADVERBS:
        place += 1
    first = said[place] if place < len(said) else ""
    if not first or first in _DEFINING:
        return False
    if first in _ARTICLES:
        return not of_any and _KINDS.isdisjoint(said[place : place + _LONGEST_KIND])
    return not (of_any and first in _SOMEWHERE)


def _clause(said: re.Match[str]) -> list[str]:
    """Return the words of the predicate, up to the next clause."""
    start, end = said.span("rest")
    stop = _CLAUSE_END.search(said.string, min(start + 2, end))
    return _words(said.string[start : stop.start() if stop else end])


def _words(text: str) -> list[str]:
    return [word for piece in text.replace("'", " ").split() if (word := piece.strip('.,;:()"“”!?*¿¡'))]


def _plain(words: Sequence[str]) -> bool:
    return _GENERAL.isdisjoint(words)


def _find_names(words: Sequence[str]) -> list[NamedAnatomy]:
    """Return the anatomy and findings that words name, as in a radiology report."""
    return [name for word in words if (name := _name(word))]


@lru_cache(maxsize=32768)
def _name(word: str) -> NamedAnatomy | None:
    """Return the anatomy and findings that a word names, with or without accents."""
    return find_anatomy(word if word.isascii() else _ACCENTS.sub("", unicodedata.normalize("NFKD", word)))


def _names(text: str) -> set[str]:
    """Return everything that a text names, including kinds of image and qualities."""
    return content(text).union(*(name.things for name in _find_names(_words(text))))


def _is_part(words: Sequence[str]) -> bool:
    return (
        not _PARTS.isdisjoint(words)
        or any(word.startswith(_COMPOUNDS) for word in words)
        or any(name.parts for name in _find_names(words))
        or not _BODY.isdisjoint(concepts(words))
    )


def _is_asked(words: Sequence[str], asked: QuestionContent) -> bool:
    """Return whether the question has one of these words, in any form or language."""
    return not (asked.words.isdisjoint(words) and asked.names.isdisjoint(concepts(words)))


def _is_about_asked(words: Sequence[str], asked: QuestionContent) -> bool:
    """Return whether words name something asked for, a finding or a body part."""
    return (
        _is_asked(words, asked)
        or _is_part(words)
        or not _SIDES.isdisjoint(words)
        or bool(_find_names(words))
        or not CONCEPTS.keys().isdisjoint(concepts(words))
    )
