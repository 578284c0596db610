"""The answer part of a response: a marked place, a final statement, or its sentences."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

from snellen.reading.choice.fragments import marks
from snellen.reading.language.acts.answering import DIAGNOSED, EXPLAINS, STATED
from snellen.reading.language.sentences import sentences_of

SHORT = 30
"""A response with at most this many words is an answer as a whole."""
_MOST = 200


class OpenAnswer(NamedTuple):
    """The answer of a response: its statements; `stated` if it comes from an explicit place."""

    statements: tuple[str, ...]
    stated: bool = False


def answer_of(text: str) -> OpenAnswer:
    r"""Return the part of a cleaned response that answers.

    >>> answer_of("The angle is blunted, so fluid is likely.\nAnswer: pleural effusion").statements
    ('pleural effusion',)
    """
    marked = marks(text)
    if marked:
        return OpenAnswer((marked[-1].content.strip(),), stated=True)
    stated = list(islice(STATED.finditer(text), _MOST))
    if stated and (content := (stated[-1].group(1) or stated[-1].group(2)).strip()):
        return OpenAnswer((content,), stated=True)
    if len(text.split()) <= SHORT:
        return OpenAnswer((" ".join(text.split()),))
    diagnosed = DIAGNOSED.search(text)
    if diagnosed is not None:
        return OpenAnswer((diagnosed.group(1).strip(),), stated=True)
    statements = [each for each in sentences_of(text) if any(map(str.isalnum, each))]
    telling = [each for each in statements if not EXPLAINS.match(each)]
    return OpenAnswer(tuple(telling or statements))
