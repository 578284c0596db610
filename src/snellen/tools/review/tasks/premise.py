"""Premise: what a response does about what its question takes for granted; people's labels for the parser."""

from __future__ import annotations

from snellen.reading.premise.parser import COMPLIES, CORRECTS, DECLINES, EVADES
from snellen.tools.review.task import Choice, Field, Task

PREMISE = Task(
    name="premise",
    title="What does the response do about what the question takes for granted?",
    asks="What the question takes for granted may or may not be so. Judge by the response alone.",
    fields=(
        Field(
            "label",
            "What does it do about that?",
            "choice",
            (
                Choice(CORRECTS, "Corrects it", "Says that it is not there or not so."),
                Choice(COMPLIES, "Goes along", "Answers as if it were so."),
                Choice(EVADES, "Evades", "Neither corrects it nor answers the question."),
                Choice(DECLINES, "Declines", "Will not answer, or cannot tell."),
            ),
        ),
    ),
    each=50,
)
