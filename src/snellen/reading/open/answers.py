"""Which part of a response is its answer: a marked place, a final statement, all of a short one, or its sentences."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

from snellen.reading.choice.fragments import marks
from snellen.reading.language.acts.answering import DIAGNOSED, EXPLAINS, STATED
from snellen.reading.language.sentences import sentences_of

SHORT = 30
"""Words of a response that is an answer as a whole."""
_MOST = 200


class Answer(NamedTuple):
    """The answer of a response: its statements, and whether it stands in a place made for it."""

    statements: tuple[str, ...]
    stated: bool = False


def answer_of(text: str) -> Answer:
    r"""The part of a cleaned response that answers.

    >>> answer_of("The angle is blunted, so fluid is likely.\nAnswer: pleural effusion").statements
    ('pleural effusion',)
    """
    marked = marks(text)
    if marked:
        return Answer((marked[-1].content.strip(),), stated=True)
    stated = list(islice(STATED.finditer(text), _MOST))
    if stated and (content := (stated[-1].group(1) or stated[-1].group(2)).strip()):
        return Answer((content,), stated=True)
    if len(text.split()) <= SHORT:
        return Answer((" ".join(text.split()),))
    diagnosed = DIAGNOSED.search(text)
    if diagnosed is not None:
        return Answer((diagnosed.group(1).strip(),), stated=True)
    statements = [each for each in sentences_of(text) if any(map(str.isalnum, each))]
    telling = [each for each in statements if not EXPLAINS.match(each)]
    return Answer(tuple(telling or statements))
