"""Detection: read whether a response calls the image normal, abnormal or unreadable.

Each word becomes one letter for its role (`language/detection_roles`), and `language/parts` finds the part of the
response in which a sentence is. Findings and their negation (`language/negation`) give the conclusion. The `parser`
compares it with the findings that the response says it sees.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from snellen.items import Item
from snellen.models.base import ZERO_SHOT
from snellen.reading import choice
from snellen.reading.confidence import read_counts
from snellen.reading.detection.columns import detections
from snellen.reading.detection.parser import (
    Detection,
    DetectionLabel,
    read_as_published,
    read_conclusion,
    read_detection,
)
from snellen.reading.outcomes import choice_outcome, has_options
from snellen.reading.parsers import Parser, Readable

RULES = {
    "option-alone": "an option's words and nothing else",
    "keyed": "a field on disease, in JSON or in keys and values",
    "conclusion": "under a heading such as “Conclusion”",
    "first-line": "in the first line",
    "last-line": "in the last line",
    "concluding-sentence": "a sentence that concludes",
    "image-sentence": "the last firm sentence about this image",
    "findings": "what it says it finds, as all of it points one way",
    "disease-unnamed": "disease, but not which of those offered",
    "quality": "calls the image too poor to tell",
    "quality-mentioned": "calls the image poor and concludes nothing",
    "quality-anywhere": "calls the image poor, wherever",
    "refuses": "says that it cannot or may not read such images",
    "defers": "leaves it to a specialist",
    "no-image": "says that there is no image",
    "cannot-tell": "says that it cannot tell",
    "no-conclusion": "comes to no conclusion",
    "empty": "an empty response",
}
"""Rules that read a response to a detection question, each with a short explanation."""
WEIGHS = choice.WEIGHS | {
    "concluding-sentence", "image-sentence", "findings", "disease-unnamed", "quality-mentioned", "no-conclusion",
}  # fmt: skip
PAPER = "“Understanding the robustness of vision-language models to medical image artefacts” (the artefacts paper)"
AGREEMENT = Path(__file__).with_name("agreement.json")


def read_quality(reply: Readable, item: Item) -> Detection | None:
    """Read what a response says about the image; None if no option means normal.

    A zero-shot response has only probabilities and no words, so its label is UNSAID.
    """
    if reply.finish == ZERO_SHOT:
        return Detection(DetectionLabel.UNSAID, ZERO_SHOT)
    return None if item.normal is None else read_detection(reply.text, item)


def _as_published(reply: Readable, item: Item) -> Detection | None:
    found = read_quality(reply, item)
    return found and replace(found, label=found.as_published)


LENIENT = Parser(
    name="lenient",
    about="takes any response that clearly states one option, in whatever form. A response that declines, says that it "
    "cannot tell or cannot be parsed is not counted as a wrong one. In detection questions, a response with a "
    "conclusion counts as its conclusion, whatever it says of the image's quality.",
    takes=has_options,
    read=lambda reply, item: read_conclusion(reply.text, item),
    outcome=choice_outcome,
    rules={**choice.RULES, **RULES},
    weighs=WEIGHS,
    counted=read_counts("lenient"),
    formal=frozenset(("answer-tag", "double-brackets", "boxed", "id-line", "keyed", "empty")),
)
AS_PUBLISHED = Parser(
    name="detection-as-published",
    source=f"As in {PAPER}",
    about="a response that speaks of poor quality anywhere flags the image, even if it then concludes; then one that "
    "declines; then the conclusion. The paper's authors read by hand; this is by rules.",
    takes=has_options,
    read=lambda reply, item: read_as_published(reply.text, item),
    outcome=choice_outcome,
    rules={**choice.RULES, **RULES},
    weighs=WEIGHS,
    lasts=frozenset(("quality-anywhere",)),
)
QUALITY = Parser(
    name="quality",
    kind="quality",
    source="Our own, for detection questions",
    about="what a response concludes; whether it calls the image poor; whether its reasons go against its conclusion.",
    read=read_quality,
    rules=RULES,
    columns=detections,
    agreement=AGREEMENT,
    counted=read_counts("quality"),
    formal=frozenset(("keyed", "empty")),
)
QUALITY_AS_PUBLISHED = Parser(
    name="quality-as-published",
    kind="quality-as-published",
    source=f"As in {PAPER}",
    about="what a response says of the image; calling it poor anywhere counts before declining, and both count before "
    "a conclusion.",
    read=_as_published,
    rules=RULES,
    agreement=AGREEMENT,
)

__all__ = ["Detection", "DetectionLabel", "columns", "read_detection", "read_quality"]
