"""Quality: what a response concludes about an image that is normal or not; people's labels for the parser."""

from __future__ import annotations

from snellen.reading.detection import Seen
from snellen.tools.review.task import Choice, Field, Task

_YES_NO = (Choice("yes", "Yes"), Choice("no", "No"))


def _word(seen: Seen) -> str:
    return seen.name.lower()


QUALITY = Task(
    name="quality",
    title="What does the response conclude?",
    asks="Judge by what the response says, not by the image.",
    fields=(
        Field(
            "label",
            "What does the response conclude?",
            "choice",
            (
                Choice(_word(Seen.NORMAL), "Normal", "Nothing is wrong."),
                Choice(_word(Seen.ABNORMAL), "Abnormal", "Something is wrong."),
                Choice(_word(Seen.QUALITY), "Too poor to say", "The quality of the image does not let it conclude."),
                Choice(_word(Seen.REFUSES), "Declines", "Will not say, or leaves it to a specialist."),
                Choice(_word(Seen.UNSAID), "None of these", "It concludes nothing."),
            ),
        ),
        Field("flags", "Does it call the image poor anywhere?", "choice", _YES_NO, required=False),
        Field("conflict", "Do its reasons go against its conclusion?", "choice", _YES_NO, required=False),
    ),
    each=50,
    source="Understanding the robustness of vision-language models to medical image artefacts",
)
