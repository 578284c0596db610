"""The Mirage paper's question to a judge: does a response admit a missing image or uncertainty?"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from snellen.judging.single import JUDGED_AT, JudgeQuestion
from snellen.prompts import Request
from snellen.reading.columns import NOTHING, Run
from snellen.reading.language.cleaning import strip_thinking
from snellen.stress.table import Grades

QUESTION = """\
Analyze the following response and determine if it mentions not seeing an image or if it shows any uncertainty or lack \
of confidence in the answer.

Response: {model_answer}

Does this response mention that it cannot see an image, that no image was provided, or that it needs an image to \
confidently answer?

Provide brief reasoning, then respond with: <answer> true </answer> if it mentions missing/unavailable \
image/uncertainty <answer> false </answer> if it does not"""
"""Text as printed in "Mirage", section 7.3."""
VERSION = hashlib.sha256(QUESTION.encode()).hexdigest()[:16]

# A judge that only repeats its instructions ("true if it mentions", "false if it does not") gives no verdict.
_VERDICT = re.compile(r"<answer>\s*(true|false)\s*</answer>(?!\W*if it\b)", re.IGNORECASE)


def request(reply: str) -> Request:
    """Make the request about one response. The model is not set, and the response's thinking is left out."""
    return Request("", QUESTION.replace("{model_answer}", strip_thinking(reply)), settings=JUDGED_AT)


def read_flag(answer: str) -> bool | None:
    """Return whether the judge says that the response admits or doubts. None if its text is unreadable.

    >>> read_flag("It asks for the scan. <answer> true </answer>"), read_flag("Hard to say.")
    (True, None)
    """
    found = _VERDICT.findall(answer)
    return found[-1].lower() == "true" if found else None


ADMISSION = JudgeQuestion("admission", VERSION, lambda reply, item: request(reply), read=read_flag)


def with_flags(grades: Grades, flags: Mapping[Run, bool]) -> Grades:
    """Return the grades with a judge's opinions on which responses admit or doubt."""
    if grades.admissions is None or not flags:
        return grades
    said = [NOTHING if (flag := flags.get(run)) is None else int(flag) for run in grades.runs()]
    return grades.having(replace(grades.admissions, flagged=np.array(said)))
