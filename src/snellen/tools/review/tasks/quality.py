"""Quality task: what does a response conclude about a normal or abnormal image?"""

from __future__ import annotations

from snellen.reading.detection import DetectionLabel
from snellen.tools.review.task import Field, FieldChoice, ReviewTask

_YES_NO = (FieldChoice("yes", "Yes"), FieldChoice("no", "No"))


def _word(seen: DetectionLabel) -> str:
    return seen.name.lower()


QUALITY = ReviewTask(
    name="quality",
    title="What does the response conclude?",
    asks="Judge by what the response says, not by the image.",
    fields=(
        Field(
            "label",
            "What does the response conclude?",
            "choice",
            (
                FieldChoice(_word(DetectionLabel.NORMAL), "Normal", "Nothing is wrong."),
                FieldChoice(_word(DetectionLabel.ABNORMAL), "Abnormal", "Something is wrong."),
                FieldChoice(
                    _word(DetectionLabel.QUALITY),
                    "Too poor to say",
                    "It says that the image is too poor for a conclusion.",
                ),
                FieldChoice(_word(DetectionLabel.REFUSES), "Declines", "Will not say, or leaves it to a specialist."),
                FieldChoice(_word(DetectionLabel.UNSAID), "None of these", "It concludes nothing."),
            ),
        ),
        Field("flags", "Does it call the image poor anywhere?", "choice", _YES_NO, required=False),
        Field("conflict", "Do its reasons contradict its conclusion?", "choice", _YES_NO, required=False),
    ),
    each=50,
    source="Understanding the robustness of vision-language models to medical image artefacts",
)
