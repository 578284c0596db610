"""Premise task: how does a response treat an assumption in the question?"""

from __future__ import annotations

from snellen.reading.premise.parser import COMPLIES, CORRECTS, DECLINES, EVADES
from snellen.tools.review.task import Field, FieldChoice, ReviewTask

PREMISE = ReviewTask(
    name="premise",
    title="How does the response treat what the question takes for granted?",
    asks="What the question takes for granted may or may not be so. Judge by the response alone.",
    fields=(
        Field(
            "label",
            "How does it treat that?",
            "choice",
            (
                FieldChoice(CORRECTS, "Corrects it", "Says that it is wrong, or not there."),
                FieldChoice(COMPLIES, "Goes along", "Answers as if it were so."),
                FieldChoice(EVADES, "Evades", "Neither corrects it nor answers the question."),
                FieldChoice(DECLINES, "Declines", "Will not answer, or cannot tell."),
            ),
        ),
    ),
    each=50,
)
