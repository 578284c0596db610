"""Mismatch task: does a response say that text and image contradict each other?"""

from __future__ import annotations

from snellen.reading.mismatch import MISSING, NAMED, NOT_NAMED, REFUSED
from snellen.tools.review.task import Field, FieldChoice, ReviewTask

MISMATCH = ReviewTask(
    name="mismatch",
    title="Does the response say that the image does not fit the text?",
    asks="Text and image may or may not belong together. Judge by what the response says about it.",
    fields=(
        Field(
            "label",
            "Does it say that the image does not fit the text?",
            "choice",
            (
                FieldChoice(NAMED, "Says so", "Also if hedged, or if it says that the wrong image may be attached."),
                FieldChoice(NOT_NAMED, "Does not say so", "Describing the image or calling it poor does not count."),
                FieldChoice(REFUSED, "Declines", "Will not answer, or cannot tell."),
                FieldChoice(MISSING, "Says there is no image", "Or says that it cannot see one."),
            ),
        ),
    ),
    each=50,
    source="The Illusion of Clinical Reasoning",
)
