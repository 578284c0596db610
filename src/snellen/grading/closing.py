"""The usual reply at little cost: reasoning that names no option, then "Answer: B" or "The answer is (B)." at its end.

Takes only replies in which nothing but that end could be read as an answer, so that it agrees with the whole cascade.
"""

from __future__ import annotations

import re

from snellen.grading.keywords import speaks_of_answers, tokens
from snellen.grading.option_text import option_words
from snellen.grading.verdicts import Reading
from snellen.items import LETTERS, Item

_CLOSING = re.compile(
    r"(?:^|\n[ \t]*|(?<=[a-z)%][.!]) )((?:(?:Therefore|Thus|Hence|So),? )?\*{0,2}"
    r"(?:(?:[Tt]he )?(?:[Ff]inal |[Cc]orrect )?[Aa]nswer is|(?:Final )?[Aa]nswer):?\*{0,2} "
    r"?\*{0,2}\(?([A-Z])\)?\*{0,2}\.?)$"
)
_REACH = 64
_VERBS = r"(?:is|was|fits|matches|seems|appears|remains|would be|and|or|as)\b"
_LONE_LETTER = re.compile(rf"(?<![A-Za-z'])(?:A(?! (?!{_VERBS})[a-z])|I(?![ '](?!{_VERBS})[a-z]))(?![A-Za-z'])|\(a\)")
_SINGLES = frozenset(letter.encode() for letter in LETTERS + LETTERS.lower())
_HARMLESS = frozenset((b"A", b"I", b"a", b"s", b"t", b"d", b"m"))
"""Single letters that are words or the ends of words; A and I are looked at more closely."""
_MARGIN = 20
"""A first line so much longer than any option is not an option's words alone."""


def read_closing(text: str, item: Item) -> Reading | None:
    """The letter at the end, where it is the only answer in sight; None leaves the reply to the other rules."""
    whole = text.rstrip()
    found = _CLOSING.search(whole, max(0, len(whole) - _REACH))
    if found is None:
        return None
    body = whole[: found.start()]
    if not body.isascii() or "<" in body or "[[" in body or "{" in body:
        return None
    place = LETTERS.index(found.group(2))
    words = option_words(item.options)
    first = body.lstrip().partition("\n")[0]
    if place >= words.size or words.polarity or len(first) <= words.longest + _MARGIN:
        return None
    singles = tokens(body) & _SINGLES
    if singles - _HARMLESS or (singles and _LONE_LETTER.search(body)):
        return None
    low = body.lower()
    if speaks_of_answers(low, tokens(low)):
        return None
    return Reading("answer-phrase", choice=place, evidence=found.group(1).strip())
