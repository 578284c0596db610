"""Strict parsers as published: each accepts one form of answer, to recompute a paper's table."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from snellen.items import LETTERS, Item
from snellen.reading.choice import RULES
from snellen.reading.choice.fragments import MarkedPlace, answer_tags, boxes, double_brackets
from snellen.reading.choice.option_words import option_words
from snellen.reading.language.cleaning import cut_long, strip_thinking
from snellen.reading.outcomes import Outcome, Reading, choice_outcome, has_options
from snellen.reading.parsers import Parser
from snellen.runtime import regex

_ID_AND_LETTER = regex(r"\s*[^\s,]+\s*,\s*([A-Za-z])\s*")
_LEADING_LETTER = regex(r"[\s({\[]*(?:\\text(?:bf)?\s?\{)?\s*\(?([A-Za-z])(?![0-9A-Za-zÀ-ɏ'])")


def read_first_line(text: str, item: Item) -> Reading:
    """Read a response as in the Italian paper: the first line must be exactly `ID, LETTER`.

    >>> from snellen.items import Option
    >>> read_first_line("IT0006, C", Item(id="IT0006", question="?", options=tuple(map(Option, "ABCDE")))).choice
    2
    """
    line = cut_long(text).lstrip().split("\n", 1)[0]
    found = _ID_AND_LETTER.fullmatch(line)
    if found is None:
        return _read_no_answer(line)
    return _read_letter(found.group(1), item, "first-line", line)


def read_double_brackets(text: str, item: Item) -> Reading:
    """Read the last `[[X]]`, as in the Mirage paper. X is a letter or an option's words."""
    return _last_mark(double_brackets, text, item) if "[[" in text else _NOTHING


def read_answer_tag(text: str, item: Item) -> Reading:
    """Read the last `<answer>B: the option's words</answer>`, as in the Readiness paper."""
    return _last_mark(answer_tags, text, item) if "<" in text else _NOTHING


def read_boxed(text: str, item: Item) -> Reading:
    r"""Read the last `\boxed{B}`."""
    return _last_mark(boxes, text, item) if "oxed" in text or "_of_box" in text else _NOTHING


def _last_mark(find: Callable[[str], Iterable[MarkedPlace]], text: str, item: Item) -> Reading:
    found = list(find(strip_thinking(cut_long(text))))
    if not found:
        return _NOTHING
    mark = found[-1]
    words = option_words(item.options)
    whole = words.match_exactly(mark.content)
    if whole is not None:
        return Reading(mark.rule, choice=whole, evidence=mark.content.strip()[:120])
    letter = _LEADING_LETTER.match(mark.content)
    return _read_letter(letter.group(1), item, mark.rule, mark.content) if letter else _read_no_answer(mark.content)


def _read_letter(letter: str, item: Item, rule: str, evidence: str) -> Reading:
    place = LETTERS.index(letter.upper())
    if place < len(item.options):
        return Reading(rule, choice=place, evidence=evidence.strip()[:120])
    return Reading("letter-not-offered", silence=Outcome.UNPARSED, evidence=evidence.strip()[:120])


def _read_no_answer(evidence: str) -> Reading:
    return Reading("no-answer", silence=Outcome.UNPARSED, evidence=evidence.strip()[:120])


_NOTHING = _read_no_answer("")


def _form(
    name: str, read: Callable[[str, Item], Reading], marks: tuple[str, ...], source: str, about: str, *rules: str
) -> Parser:
    return Parser(
        name=name,
        source=source,
        about=f"{about} Everything else counts as not right.",
        takes=has_options,
        read=lambda reply, item: read(reply.text, item),
        outcome=choice_outcome,
        rules={rule: RULES[rule] for rule in (*rules, "letter-not-offered", "no-answer")},
        weighs=frozenset(("no-answer",)),
        strict=True,
        marks=marks,
    )


FIRST_LINE = _form(
    "strict-first-line",
    read_first_line,
    (",",),
    "As published in “Are Large Vision Language Models Truly Grounded in Medical Images?” (the Italian paper)",
    "the first line is the question's id, a comma and a letter, and nothing else.",
    "first-line",
)
DOUBLE_BRACKETS = _form(
    "double-brackets",
    read_double_brackets,
    ("[[",),
    "As published in “Mirage: The Illusion of Visual Understanding” (the Mirage paper)",
    "a letter or an option's words in double square brackets, the last ones.",
    "double-brackets",
)
ANSWER_TAG = _form(
    "answer-tag",
    read_answer_tag,
    ("<",),
    "As published in “The Illusion of Readiness” (the Readiness paper)",
    "what stands between answer tags, the last ones.",
    "answer-tag",
)
BOXED = _form(
    "boxed",
    read_boxed,
    ("oxed", "_of_box"),
    "A common form of answer in mathematics",
    "a letter in a box, the last one.",
    "boxed",
)
