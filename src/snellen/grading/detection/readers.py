"""The two readers of detection replies as readers of choices: by what a reply concludes, and as paper 004 counts."""

from __future__ import annotations

import re

from snellen.grading.choices import WEIGHED, read_choice
from snellen.grading.detection.reader import read_detection
from snellen.grading.detection.record import Detection, Seen
from snellen.grading.verdicts import Outcome, Reading
from snellen.items import Item

_SILENCES = {
    Seen.QUALITY: Outcome.FLAGGED_QUALITY,
    Seen.REFUSES: Outcome.REFUSED,
    Seen.ABNORMAL: Outcome.UNPARSED,
    Seen.UNSAID: Outcome.UNPARSED,
}
_ABSTAINS = frozenset(("no-image", "cannot-tell"))
_LETTER = re.compile(
    r"(?:^|\n|(?i:answer|option|choice|choose|select)(?i:\s{1,2}is)?)[\s:*(\[\"]{0,6}([A-Z])(?:[).:\]*]|\s*$|\s*\n)"
)
"""What a reply that answers by letter holds somewhere."""


def read_conclusion(text: str, item: Item) -> Reading:
    """The option that a reply concludes, whatever it says of the image's quality; else why it concludes none.

    A reply that answers by letter, and one to a question without a normal option, is read as any other choice.

    >>> from snellen.items import Option
    >>> options = (Option("brain tumor"), Option("normal"))
    >>> item = Item(id="1", question="?", options=options, metadata={"normal": "normal"})
    >>> read_conclusion("The image is blurred, but I see a mass. brain tumor", item).choice
    0
    >>> read_as_published("The image is blurred, but I see a mass. brain tumor", item).silence.value
    'flagged_quality'
    """
    if item.normal is None:
        return read_choice(text, item)
    return _lettered(text, item) or _reading(read_detection(text, item), text, item)


def read_as_published(text: str, item: Item) -> Reading:
    """The same as paper 004 counts: any reply that flags quality is no answer, nor is one that declines to diagnose.

    Advice to see a specialist, without declining, counts only where there is no conclusion.
    """
    if item.normal is None:
        return read_choice(text, item)
    read = read_detection(text, item)
    if read.flagged:
        return Reading("quality-anywhere", silence=Outcome.FLAGGED_QUALITY, evidence=read.flagged)
    if read.declined:
        return Reading("refuses", silence=Outcome.REFUSED, evidence=read.declined)
    return _lettered(text, item) or _reading(read, text, item)


def _lettered(text: str, item: Item) -> Reading | None:
    """The option of a reply that answers by letter."""
    if _LETTER.search(text) is None:
        return None
    read = read_choice(text, item)
    return read if read.choice is not None and read.rule not in WEIGHED else None


def _reading(read: Detection, text: str, item: Item) -> Reading:
    if read.choice is not None:
        return Reading(read.rule, choice=read.choice, evidence=read.evidence)
    if read.label is Seen.UNSAID and any(option.abstains for option in item.options):
        chosen = read_choice(text, item)
        if chosen.choice is not None and item.options[chosen.choice].abstains:
            return chosen
    silence = Outcome.ABSTAINED if read.rule in _ABSTAINS else _SILENCES[read.label]
    rule = "disease-unnamed" if read.label is Seen.ABNORMAL else read.rule
    return Reading(rule, silence=silence, evidence=read.evidence)
