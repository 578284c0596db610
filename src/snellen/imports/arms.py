"""Arms by name: what was done to the questions of imported answers, as our tests call it."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import get_args

from snellen.conditions import Condition, Together, condition_named
from snellen.errors import DataError, StudyError
from snellen.prompts import ATTACHMENT_COUNTED, BARE, PROMPTS, REWORDINGS, VISUAL_EVIDENCE, Effort

_PLAIN = re.compile(r"\w[\w.+ -]{0,79}")
_SCAFFOLDS = (BARE, VISUAL_EVIDENCE, ATTACHMENT_COUNTED)
_WAYS_OF_ASKING = frozenset((*PROMPTS, *(each.name for each in (*REWORDINGS, *_SCAFFOLDS)), *get_args(Effort)))
"""What an arm's name may end with: a prompt, a change of its words, an effort."""


def arm_name(name: object) -> str:
    """The name as the tests know it; DataError where it is none.

    >>> arm_name("image-blank:size=placeholder,fill=noise"), arm_name("image-blank:fill=white")
    ('image-blank:fill=noise,size=placeholder', 'image-blank')
    >>> arm_name("degraded:noise,0.5+detection-cot")
    'degraded:noise,weak+detection-cot'
    """
    if isinstance(name, str):
        head, sign, _ = name.strip().partition(":")
        if not sign and _PLAIN.fullmatch(head):
            return head
        label, asked = _parted(name.strip())
        with suppress(StudyError):
            if sign and (condition := condition_named(label)) is not None:
                return "+".join((condition.label, *asked))
    raise DataError(f"its condition is {name!r}, expected a plain name such as 'original' or 'image-removed'")


def conditions_of(arm: str) -> tuple[Condition, ...]:
    """The conditions of ours that an arm's name says, one after the other; none where it is no arm of ours.

    >>> [type(each).__name__ for each in conditions_of("image-removed+options-shuffled+cot")]
    ['ImageRemoved', 'OptionsShuffled']
    """
    with suppress(StudyError):
        condition = condition_named(_parted(arm)[0])
        if condition is not None:
            return condition.parts if isinstance(condition, Together) else (condition,)
    return ()


def _parted(name: str) -> tuple[str, list[str]]:
    """The conditions of an arm, and the ways of asking that its name ends with."""
    parts = name.split("+")
    asked: list[str] = []
    while len(parts) > 1 and parts[-1] in _WAYS_OF_ASKING:
        asked.insert(0, parts.pop())
    return "+".join(parts), asked
