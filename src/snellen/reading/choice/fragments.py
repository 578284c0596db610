"""Short texts that should be an answer: a tag, a first line, words after "the answer is"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from snellen.items import LETTERS
from snellen.reading.choice.letters import CONFLICT, EDGES, NOT_OFFERED, TWO_OPTIONS, Fragment, read_letter
from snellen.reading.choice.option_names import combination
from snellen.reading.choice.option_words import OptionWords
from snellen.reading.language.acts import answering as cues
from snellen.runtime import regex


class MarkedPlace(NamedTuple):
    """A marked place in a response: its content, and the rule that found it."""

    start: int
    end: int
    content: str
    rule: str


_TAG_OPEN = regex(r"<\s?(?:final[_ ]?)?(?:answer|ans)\s?>", re.IGNORECASE)
_TAG_CLOSE = regex(r"<\s?/\s?(?:final[_ ]?)?(?:answer|ans)\s?>", re.IGNORECASE)
_BRACKETS = regex(r"\[\[([^\[\]\n]{1,300})\]\]")
_BOX = regex(r"oxed\s?\{|<\|begin_of_box\|>")
_COMMAND = regex(r"\\(?:text|math|bold|bf|rm|it|large|Large|quad|mbox|hbox|operatorname)[a-z]{0,10}\s?\{?")
_BOX_END = "<|end_of_box|>"
_REACH = 400
_MOST = 50


def answer_tags(text: str) -> Iterator[MarkedPlace]:
    """Find the content of answer tags; without a closing tag, the rest of the line."""
    for opening in islice(_TAG_OPEN.finditer(text), _MOST):
        inside = text[opening.end() : opening.end() + _REACH]
        closing = _TAG_CLOSE.search(inside)
        content = inside[: closing.start()] if closing else inside.split("\n", 1)[0]
        if content.strip():
            yield MarkedPlace(opening.start(), opening.end() + len(content), content, "answer-tag")


def double_brackets(text: str) -> Iterator[MarkedPlace]:
    """Find the text in double square brackets."""
    for found in islice(_BRACKETS.finditer(text), _MOST):
        yield MarkedPlace(found.start(), found.end(), found.group(1), "double-brackets")


def boxes(text: str) -> Iterator[MarkedPlace]:
    """Find the content of LaTeX boxes with balanced braces, even if the backslash is missing."""
    for opening in islice(_BOX.finditer(text), _MOST):
        inside = text[opening.end() : opening.end() + _REACH]
        content = inside.split(_BOX_END, 1)[0] if opening.group().startswith("<") else _cut_at_closing_brace(inside)
        content = _COMMAND.sub(" ", content)
        if content.strip():
            yield MarkedPlace(opening.start(), opening.end() + len(content), content, "boxed")


def _cut_at_closing_brace(inside: str) -> str:
    depth = 1
    for place, sign in enumerate(inside):
        depth += (sign == "{") - (sign == "}")
        if depth == 0:
            return inside[:place]
    return inside.split("\n", 1)[0]


def marks(text: str) -> list[MarkedPlace]:
    """Find all marked places (tags, brackets, boxes), in order."""
    found: list[MarkedPlace] = []
    tagged = "<" in text
    if tagged:
        found.extend(answer_tags(text))
    if "[" in text and "[[" in text:
        found.extend(double_brackets(text))
    if "oxed" in text or (tagged and "_of_box" in text):
        found.extend(boxes(text))
    return sorted(found)


NONE_OF_THESE = Fragment(None, "none-of-these")

_ARABIC_ORDER = "أبجدهوزحطيكل"
_REPEATED = regex(r"([A-Z])(?:[\s,.;]+\1){1,400}[\s,.;]*")
_INITIALS = regex(r"[A-Z](?=[A-Za-z]*[A-Z])[A-Za-z]{1,6}")
_PAIR = regex(r"([A-Z])(?!\1)[A-Z]")
"""Two letters written together as if they were one answer, such as "AC"."""
_CHINESE = regex("[\u4e00-\u9fff]")
_NUMBER = regex(r"#?\(?(\d{1,2})(?:[).:\s]|$)")
_VERSUS = regex(r"\b(?:vs|versus)\b", re.IGNORECASE)
_LETTER_BEHIND = regex(
    r"[^()\n]{1,200}?(?:\((?:[Oo]ption |[Cc]hoice |[Aa]nswer )?([A-Z])(?:\)|$)|,? (?:which is |that is |i\.e\.,? "
    r")?[Oo]ption ([A-Z])(?![A-Za-z]))"
)
_A_FOR_ANSWER = regex(r"A:\s{0,3}[(\[]?([A-Z])[)\].]{0,2}")
_SHORT = 80
_CONSIDERED = 300


def read_fragment(text: str, words: OptionWords) -> Fragment | None:
    """Read the option that a short text begins with: a letter, the option's words, yes or no, or an ordinal."""
    whole = words.match_exactly(text[:_CONSIDERED])
    if whole is None and text.strip(EDGES).lower() in ("n/a", "none", "null"):
        return None
    if whole is not None:
        return Fragment(whole, "option-text")
    body = text[:_CONSIDERED].strip(EDGES)
    if " > " in body and not words.signs:
        body = body.split(" > ", 1)[0]
    if len(body) <= 1:
        return _lone(body, words) if body else None
    if short := _A_FOR_ANSWER.fullmatch(body):
        body = short.group(1)
        return _lone(body, words)
    together = _find_combination(body, words)
    if together is not None:
        return together
    body = without_lead(body)
    if len(body) == 1 or _REPEATED.fullmatch(body):
        return _lone(body[0], words)
    return _read_body(body, words)


@lru_cache(maxsize=256)  # the first line and a statement often end in the same words
def _read_body(body: str, words: OptionWords) -> Fragment | None:
    return read_letter(body, words) or _read_words(body, words)


def _find_combination(body: str, words: OptionWords) -> Fragment | None:
    """Find the option that combines the letters or numerals of a short text: "both A and C"."""
    if not words.combined or len(body) > _SHORT:
        return None
    said = words.normal(cues.INTRODUCES.sub("", body, count=1) if cues.INTRODUCES.match(body) else body)
    named = combination(said)
    if named is None or (len(named) < 2 and "only" not in said):
        return None
    place = words.combined.get(named)
    return None if place is None else Fragment(place, "combined-letters")


def without_lead(body: str) -> str:
    """Remove words that only introduce an answer, such as "the correct option"."""
    lead = cues.INTRODUCES.match(body)
    return body[lead.end() :].strip(EDGES) if lead and len(body) > lead.end() else body


def _lone(sign: str, words: OptionWords) -> Fragment | None:
    place = LETTERS.find(sign.upper()) if sign.isascii() else _ARABIC_ORDER.find(sign)
    if 0 <= place < words.size:
        return Fragment(place, "letter")
    if sign.isdigit():
        return _find_by_number(sign, words)
    return NOT_OFFERED if sign.isascii() and sign.isalpha() else _yes_no(sign, words)


def _read_words(body: str, words: OptionWords) -> Fragment | None:
    opening = words.opening(body)
    if opening is not None and opening in words.find_named(body):
        return _find_contradiction(body, opening, words) or Fragment(opening, "option-text")
    if cues.OPENS_WITH_NONE.match(body):
        return NONE_OF_THESE
    agreed = _yes_no(body, words)
    if agreed is not None:
        return agreed
    counted = _ordinal(body, words)
    if counted is not None:
        return counted
    if len(body) <= _SHORT:
        return _find_by_short_form(body, words)
    return None


def _find_by_short_form(body: str, words: OptionWords) -> Fragment | None:
    """Find an option by part of its words, its initials, or similar words."""
    part = words.part(body)
    if part is not None:
        return Fragment(part, "part-of-option-text")
    if _INITIALS.fullmatch(body) and body.lower() in words.initials:
        return Fragment(words.initials[body.lower()], "initials")
    like = words.match_loosely(body)
    if like is not None:
        return Fragment(like, "near-option-text")
    return TWO_OPTIONS if _PAIR.fullmatch(body) and set(body) <= set(LETTERS[: words.size]) else None


def _find_contradiction(body: str, opening: int, words: OptionWords) -> Fragment | None:
    """Return the problem if another option's words or letter follow an option's words; otherwise None."""
    others = set(words.series(body)) - {opening}
    if others and (others & set(words.find_named(body)) or _VERSUS.search(body)):
        return TWO_OPTIONS
    letter = _LETTER_BEHIND.match(body)
    place = LETTERS.index(letter.group(1) or letter.group(2)) if letter else opening
    return CONFLICT if place != opening and place < words.size else None


def _yes_no(body: str, words: OptionWords) -> Fragment | None:
    """Read yes or no if it is the first word and set off: "No, …" but not "No evidence of …"."""
    if not words.polarity:
        return None
    found = cues.YES_OR_NO.match(body)
    if found is None:
        return None
    word = words.normal(found.group())
    rest = body[found.end() :]
    if cues.OR_YES_NO.match(rest):
        return TWO_OPTIONS
    positive = word in cues.YES_WORDS
    if _CHINESE.match(word):
        if not cues.JOINED_YES_NO.match(body):
            return None
    elif rest and not positive and rest[0] not in ",.;:!\n-)(":
        return None
    return Fragment(words.polarity["yes" if positive else "no"], "yes-no")


def _find_by_number(body: str, words: OptionWords) -> Fragment | None:
    """Read a number as an option's position, if no option's text contains a number."""
    found = _NUMBER.match(body)
    if found is None or any(letter.isdigit() for key in words.keys for letter in key):
        return None
    place = int(found.group(1)) - 1
    return Fragment(place, "ordinal") if 0 <= place < words.size else None


def _ordinal(body: str, words: OptionWords) -> Fragment | None:
    if len(body) > _SHORT:
        return None
    listed = _NUMBER.match(body)
    if listed and words.opening(body[listed.end() :]) is not None:
        return Fragment(words.opening(body[listed.end() :]), "option-text")
    if _NUMBER.fullmatch(body) or _NUMBER.fullmatch(body + ")"):
        return _find_by_number(body, words)
    for place, pattern in enumerate(cues.ORDINAL_NAMED[: words.size]):
        if pattern.match(body):
            return Fragment(place, "ordinal")
    return None
