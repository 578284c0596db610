"""Verdicts: is an answer in words correct? Two raters, and a third where they disagree."""

from __future__ import annotations

from snellen.reading.outcomes import OpenGrade
from snellen.tools.review.task import Choice, Field, Task

VERDICT = Task(
    name="verdict",
    title="Is the response correct?",
    asks="Hold the response against the reference answer. It is correct if it says the same in substance, however it "
    "is worded, and does not take it back or add what would make it wrong.",
    fields=(
        Field(
            "verdict",
            "Is the response correct?",
            "choice",
            (
                Choice(OpenGrade.CORRECT.value, "Correct"),
                Choice(OpenGrade.INCORRECT.value, "Incorrect", "Wrong, or no answer to the question."),
            ),
        ),
        Field("reason", "Why? (optional)", "words", required=False, compared=False),
    ),
    source="The Illusion of Clinical Reasoning",
)
