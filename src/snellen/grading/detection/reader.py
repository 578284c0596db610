"""What a reply to a detection question says: normal, abnormal, an image too poor, a refusal, or none of these."""

from __future__ import annotations

import re
from collections.abc import Sequence

from snellen.errors import DataError
from snellen.grading.cleaning import cleaned
from snellen.grading.detection.conclusions import Conclusion, concluded
from snellen.grading.detection.declining import DEFERS, REFUSES, misses_image
from snellen.grading.detection.options import Choices, choices
from snellen.grading.detection.quality import flags
from snellen.grading.detection.reasoning import conflicts, sight
from snellen.grading.detection.record import Detection, Seen
from snellen.grading.detection.sentences import Sentence, sentences
from snellen.grading.detection.stances import UNDECIDED
from snellen.items import Item

_EVIDENCE = 120
_ALONE = 60
"""The longest reply that may be an option's very text in quotes or bold."""
_THINKING = re.compile("<unused94>.*?<unused95>", re.DOTALL)


def read_detection(text: str, item: Item) -> Detection:
    """What a reply to a question with a normal option says of the image.

    >>> from snellen.items import Option
    >>> options = (Option("brain tumor"), Option("normal"))
    >>> item = Item(id="1", question="?", options=options, metadata={"normal": "normal"})
    >>> read = read_detection("The scan is noisy, but no mass is seen. Conclusion: normal", item)
    >>> read.label.name, read.as_published.name, read.choice, read.conflict
    ('NORMAL', 'QUALITY', 1, False)
    """
    among = choices(item)
    if among is None:
        raise DataError(
            f"Item {item.id!r} has no option that is known to mean normal. Name its text in metadata['normal'], "
            "or read the reply with a reader of choices."
        )
    alone = among.exact.get(text.strip().strip('*".').casefold()) if len(text) <= _ALONE else None
    if alone is not None:
        return Detection(_label(alone, among), "option-alone", text.strip(), alone)
    said = cleaned(_THINKING.sub("", text) if "<unused94>" in text else text)
    told = sentences(said, among.vocabulary)
    return _read(told, among) if told else Detection(Seen.UNSAID, "empty")


def _label(choice: int, among: Choices) -> Seen:
    """What an option says; one that means "I do not know" says nothing of the image."""
    if choice == among.normal:
        return Seen.NORMAL
    return Seen.ABNORMAL if choice in among.diseases.values() else Seen.UNSAID


def _read(told: Sequence[Sentence], among: Choices) -> Detection:
    flagged = next((one for one in told if flags(one)), None)
    declined = next((one for one in told if REFUSES.search(one.shape)), None)
    seen = [sight(one) for one in told]
    found = concluded(told, seen, silent=(flagged or declined) is not None)
    if found is None:
        return _silent(told, flagged, declined)
    others = [what for one, what in zip(told, seen, strict=True) if what and one is not found.sentence]
    return Detection(
        Seen.ABNORMAL if found.stance.ill else Seen.NORMAL,
        found.rule,
        _words(found.sentence),
        _choice(found, among),
        _words(flagged),
        _words(declined),
        conflicts(others, ill=found.stance.ill),
    )


def _choice(found: Conclusion, among: Choices) -> int | None:
    if not found.stance.ill:
        return among.normal
    if len(among.diseases) == 1:
        return next(iter(among.diseases.values()))
    named = [among.diseases[letter] for letter in found.stance.named if letter in among.diseases]
    return named[0] if len(named) == 1 else None


def _silent(told: Sequence[Sentence], flagged: Sentence | None, declined: Sentence | None) -> Detection:
    """Why a reply comes to no conclusion: no image, a poor one, declining, deferring, or not being able to tell."""
    missing = misses_image([one for one in told if one is not declined]) if flagged is None else None
    if missing is not None:
        return Detection(Seen.UNSAID, "no-image", _words(missing))
    undecided = next((one for one in told if UNDECIDED.search(one.shape)), None)
    deferred = next((one for one in told if DEFERS.search(one.shape)), None)
    for label, rule, one in (
        (Seen.QUALITY, "quality" if undecided else "quality-mentioned", flagged),
        (Seen.REFUSES, "refuses", declined),
        (Seen.REFUSES, "defers", deferred),
        (Seen.UNSAID, "cannot-tell", undecided),
    ):
        if one is not None:
            return Detection(label, rule, _words(one), None, _words(flagged), _words(declined))
    return Detection(Seen.UNSAID, "no-conclusion", _words(told[-1]))


def _words(sentence: Sentence | None) -> str:
    return sentence.text[:_EVIDENCE] if sentence else ""
