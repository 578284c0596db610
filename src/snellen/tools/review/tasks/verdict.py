"""Verdict task: is the response to an open question correct?"""

from __future__ import annotations

from snellen.reading.outcomes import OpenGrade
from snellen.tools.review.task import Field, FieldChoice, ReviewTask

VERDICT = ReviewTask(
    name="verdict",
    title="Is the response correct?",
    asks="Compare the response with the reference answer. It is correct if it says the same in substance, in any "
    "words, and neither takes it back nor adds anything that makes it wrong.",
    fields=(
        Field(
            "verdict",
            "Is the response correct?",
            "choice",
            (
                FieldChoice(OpenGrade.CORRECT.value, "Correct"),
                FieldChoice(OpenGrade.INCORRECT.value, "Incorrect", "Wrong, or no answer to the question."),
            ),
        ),
        Field("reason", "Why? (optional)", "words", required=False, compared=False),
    ),
    source="The Illusion of Clinical Reasoning",
)
