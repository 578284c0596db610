"""Mismatch: whether a response names the contradiction between words and image; people's labels for the parser."""

from __future__ import annotations

from snellen.reading.mismatch import MISSING, NAMED, NOT_NAMED, REFUSED
from snellen.tools.review.task import Choice, Field, Task

MISMATCH = Task(
    name="mismatch",
    title="Does the response say that the image does not fit the text?",
    asks="Text and image may or may not belong together. Judge by what the response says about it.",
    fields=(
        Field(
            "label",
            "Does it say that the image does not fit the text?",
            "choice",
            (
                Choice(NAMED, "Says so", "Also hedged, or that the wrong image may be attached."),
                Choice(NOT_NAMED, "Does not say so", "To describe the image or call it poor does not count."),
                Choice(REFUSED, "Declines", "Will not answer, or cannot tell."),
                Choice(MISSING, "Says there is none", "No image, or it cannot see one."),
            ),
        ),
    ),
    each=50,
    source="The Illusion of Clinical Reasoning",
)
