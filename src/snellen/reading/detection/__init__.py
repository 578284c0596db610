"""Detection: what a response says of an image that is either normal or not, and whether it could be read at all.

Every word becomes a letter for the role it plays (`language/detection_roles`), and sentences are told apart by the part
of the response they stand in (`language/parts`). What is named and what is denied (`language/negation`) makes the
conclusion (`conclusions`), and what is said to be seen (`reasoning`) is held against it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from snellen.items import Item
from snellen.models.base import ZERO_SHOT
from snellen.reading import choice
from snellen.reading.confidence import counted
from snellen.reading.detection.columns import detections
from snellen.reading.detection.parser import Detection, Seen, read_as_published, read_conclusion, read_detection
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
"""The rules by which disease is told from health, in words."""
WEIGHS = choice.WEIGHS | {
    "concluding-sentence", "image-sentence", "findings", "disease-unnamed", "quality-mentioned", "no-conclusion",
}  # fmt: skip
PAPER = "“Understanding the robustness of vision-language models to medical image artefacts” (the artefacts paper)"
AGREEMENT = Path(__file__).with_name("agreement.json")


def read_quality(reply: Readable, item: Item) -> Detection | None:
    """What a response says of the image; None where no option means normal.

    A response by probabilities alone says nothing beside its answer.
    """
    if reply.finish == ZERO_SHOT:
        return Detection(Seen.UNSAID, ZERO_SHOT)
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
    counted=counted("lenient"),
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
    counted=counted("quality"),
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

__all__ = ["Detection", "Seen", "columns", "read_detection", "read_quality"]
