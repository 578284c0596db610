"""Parsers as published: each takes one form of answer and nothing else, so that a paper's table can be recomputed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from snellen.grading.choice.fragments import Mark, answer_tags, boxes, double_brackets
from snellen.grading.choice.option_words import option_words
from snellen.grading.language.cleaning import spoken, windowed
from snellen.grading.outcomes import Outcome, Reading
from snellen.items import LETTERS, Item

_ID_AND_LETTER = re.compile(r"\s*[^\s,]+\s*,\s*([A-Za-z])\s*")
_LEADING_LETTER = re.compile(r"[\s({\[]*(?:\\text(?:bf)?\s?\{)?\s*\(?([A-Za-z])(?![0-9A-Za-zÀ-ɏ'])")


def read_first_line(text: str, item: Item) -> Reading:
    """Paper 002: the first line is `ID, LETTER` and nothing else.

    >>> from snellen.items import Option
    >>> read_first_line("IT0006, C", Item(id="IT0006", question="?", options=tuple(map(Option, "ABCDE")))).choice
    2
    """
    line = windowed(text).lstrip().split("\n", 1)[0]
    found = _ID_AND_LETTER.fullmatch(line)
    if found is None:
        return _unread(line)
    return _offered(found.group(1), item, "first-line", line)


def read_double_brackets(text: str, item: Item) -> Reading:
    """Paper 003: `[[X]]`, X a letter or an option's words; the last one counts."""
    return _last_mark(double_brackets, text, item)


def read_answer_tag(text: str, item: Item) -> Reading:
    """Paper 000: `<answer>B: the option's words</answer>`; the last one counts."""
    return _last_mark(answer_tags, text, item)


def read_boxed(text: str, item: Item) -> Reading:
    r"""`\boxed{B}`; the last one counts."""
    return _last_mark(boxes, text, item)


def _last_mark(find: Callable[[str], Iterable[Mark]], text: str, item: Item) -> Reading:
    found = list(find(spoken(windowed(text))))
    if not found:
        return _unread("")
    mark = found[-1]
    words = option_words(item.options)
    whole = words.whole(mark.content)
    if whole is not None:
        return Reading(mark.rule, choice=whole, evidence=mark.content.strip()[:120])
    letter = _LEADING_LETTER.match(mark.content)
    return _offered(letter.group(1), item, mark.rule, mark.content) if letter else _unread(mark.content)


def _offered(letter: str, item: Item, rule: str, evidence: str) -> Reading:
    place = LETTERS.index(letter.upper())
    if place < len(item.options):
        return Reading(rule, choice=place, evidence=evidence.strip()[:120])
    return Reading("letter-not-offered", silence=Outcome.UNPARSED, evidence=evidence.strip()[:120])


def _unread(evidence: str) -> Reading:
    return Reading("no-answer", silence=Outcome.UNPARSED, evidence=evidence.strip()[:120])
