"""The usual reply at little cost: reasoning that names no option, then a last line of the form "Answer: B".

Takes only replies in which nothing but that line could be read as an answer, so that it agrees with the whole cascade.
"""

from __future__ import annotations

import re

from snellen.grading.statements import speaks_of_answers, tokens
from snellen.grading.verdicts import Reading
from snellen.items import LETTERS, Item

_CLOSING = re.compile(r"\*{0,2}(?:Final )?[Aa]nswer:\*{0,2} ?\*{0,2}\(?([A-Z])\)?\*{0,2}\.?")
_LONE_LETTER = re.compile(r"(?<![A-Za-z'])(?:A(?! [a-z])|I(?![ '][a-z]))(?![A-Za-z'])|\(a\)")
_SINGLES = frozenset(letter.encode() for letter in LETTERS + LETTERS.lower())
_HARMLESS = frozenset((b"A", b"I", b"a", b"s", b"t", b"d", b"m"))
"""Single letters that are words or the ends of words; A and I are looked at more closely."""
_MARGIN = 20
"""A first line so much longer than any option is not an option's words alone."""


def read_closing(text: str, item: Item) -> Reading | None:
    """The letter of the last line, where it is the only answer in sight; None leaves the reply to the other rules."""
    body, _, last = text.rstrip().rpartition("\n")
    found = _CLOSING.fullmatch(last.strip())
    if found is None or not body.isascii() or "<" in body or "[[" in body or "{" in body:
        return None
    place = LETTERS.index(found.group(1))
    first = body.lstrip().partition("\n")[0]
    if place >= len(item.options) or len(first) <= max(len(option.text) for option in item.options) + _MARGIN:
        return None
    singles = tokens(body) & _SINGLES
    if singles - _HARMLESS or (singles and _LONE_LETTER.search(body)):
        return None
    low = body.lower()
    if speaks_of_answers(low, tokens(low)):
        return None
    return Reading("answer-phrase", choice=place, evidence=last.strip())
