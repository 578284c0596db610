"""Replies without an answer: the model cannot tell, declines the task, or finds the image too poor."""

from __future__ import annotations

import re
from collections.abc import Sequence

from snellen.grading.silence_words import DECLINES, LANGUAGES, QUALITY, UNSEEN, UNTOLD
from snellen.grading.verdicts import Outcome, Reading


def _compiled(phrases: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(phrase, re.MULTILINE) for phrase in phrases)


_KINDS = (
    (Outcome.FLAGGED_QUALITY, "quality-phrase", _compiled(QUALITY)),
    (Outcome.ABSTAINED, "abstention-phrase", _compiled(UNSEEN)),
    (Outcome.REFUSED, "refusal-phrase", _compiled(DECLINES)),
    (Outcome.ABSTAINED, "abstention-phrase", _compiled(UNTOLD)),
)
_PARTS = tuple(LANGUAGES.values())
_LONG = 700
_HEAD, _TAIL = 300, 400


def read_silence(low: str) -> tuple[Reading, int] | None:
    """Why a reply in lower case holds no answer, and where it says so.

    What says most comes first: an image too poor, then something missing, then a refusal, then "I cannot tell". Long
    replies are searched at both ends: in the middle of an argument, "cannot determine" is about the argument.
    """
    ends = low if len(low) <= _LONG else f"{low[:_HEAD]}\n{low[-_TAIL:]}"
    abroad = [place for place, parts in enumerate(_PARTS) if _speaks(ends, parts)]
    for outcome, rule, patterns in _KINDS:
        usable = (*patterns[: -len(_PARTS)], *(patterns[place - len(_PARTS)] for place in abroad))
        found = next(filter(None, (pattern.search(ends) for pattern in usable)), None)
        if found:
            return Reading(rule, silence=outcome, evidence=found.group().strip()[:120]), found.start()
    return None


def _speaks(low: str, parts: Sequence[str]) -> bool:
    """Whether a text may hold phrases of a language."""
    return any(part in low for part in parts) if parts else not low.isascii()
