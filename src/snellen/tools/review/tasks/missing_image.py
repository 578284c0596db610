"""Missing images: what a response does about an image that was never sent; people's labels for the parser."""

from __future__ import annotations

from snellen.reading.missing_image import Admission
from snellen.tools.review.task import Choice, Field, Task

MISSING_IMAGE = Task(
    name="missing-image",
    title="What does the response do about the image?",
    asks="The question was about an image that the model may not have been shown. Judge by the response alone.",
    fields=(
        Field(
            "label",
            "What does the response do?",
            "choice",
            (
                Choice(Admission.MISSING.value, "Says there is none", "No image, cannot see one, or asks for it."),
                Choice(Admission.HEDGES.value, "Voices doubt", "Answers, but says that it is not sure or cannot tell."),
                Choice(Admission.DESCRIBES.value, "Describes", "Speaks of an image as if it had seen it."),
                Choice(Admission.GENERIC.value, "Speaks in general", "Of such images, and of none in particular."),
                Choice(Admission.REFUSES.value, "Declines", "Will not answer, for another reason."),
                Choice(Admission.EMPTY.value, "Says nothing", "There are no words."),
            ),
        ),
    ),
    each=50,
    source="Mirage: The Illusion of Visual Understanding",
)
