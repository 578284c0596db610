"""Parsers and judges held against people's labels, row by row.

`choices`, `missing_image` and `quality` hold what is a parser's own: what its rows need, which labels there are, what
it predicts. `judge` asks a judge what a parser was asked, beside it. `judge_agreement` holds a judge itself against
people, on the questions that `open_answers` and `rationales` put.
"""

from __future__ import annotations

from snellen.judging.held_against_people import THRESHOLD
from snellen.qualify.held import qualify, qualify_file, write_rows
from snellen.qualify.judge import Judged, judge_rows
from snellen.qualify.judge_agreement import (
    QUESTIONS,
    JudgeAgreement,
    Kept,
    keep,
    qualify_judge,
    qualify_judge_file,
)
from snellen.qualify.missing_image import flagging
from snellen.qualify.qualification import Qualification, Read
from snellen.qualify.quality import beside
from snellen.qualify.text import agreement_as_text, as_text, judged_as_text

__all__ = [
    "QUESTIONS",
    "THRESHOLD",
    "JudgeAgreement",
    "Judged",
    "Kept",
    "Qualification",
    "Read",
    "agreement_as_text",
    "as_text",
    "beside",
    "flagging",
    "judge_rows",
    "judged_as_text",
    "keep",
    "qualify",
    "qualify_file",
    "qualify_judge",
    "qualify_judge_file",
    "write_rows",
]
