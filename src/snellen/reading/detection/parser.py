"""What a response to a detection question says: normal, abnormal, an image too poor, a refusal, or none of these."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate

from snellen.errors import DataError
from snellen.items import Item
from snellen.reading.choice.parser import WEIGHED, read_choice
from snellen.reading.detection.conclusions import Conclusion, concluded
from snellen.reading.detection.options import Choices, choices
from snellen.reading.detection.reasoning import conflicts, sight
from snellen.reading.language.acts.declining import DEFERS, REFUSES, declines_outright, may_miss, read_unanswered
from snellen.reading.language.acts.missing import says_missing
from snellen.reading.language.acts.quality import flags
from snellen.reading.language.cleaning import cleaned, lowered
from snellen.reading.language.detection_roles import KEYED
from snellen.reading.language.negation import UNDECIDED
from snellen.reading.language.parts import Sentence, sentences
from snellen.reading.outcomes import Outcome, Reading
from snellen.runtime import regex


class Seen(Enum):
    """What a response says of the image, by the codes of the artefacts paper; `UNSAID` is ours."""

    NORMAL = 0
    ABNORMAL = 1
    QUALITY = 2
    """The image is too poor to say."""
    REFUSES = 3
    """It declines, or leaves it to a specialist."""
    UNSAID = "unsaid"
    """It says none of these."""


@dataclass(frozen=True, slots=True)
class Detection:
    """What a response says, by which rule, from which words; the option it concludes, and what it says on the way.

    `label` is its conclusion where it has one, whatever else it says. Advice to see a specialist beside a conclusion is
    not a refusal.
    """

    label: Seen
    rule: str
    evidence: str = ""
    choice: int | None = None
    """The option concluded; None also where no single disease of several is named."""
    flagged: str = ""
    """The first words that call the image poor, spoilt or not to be read, wherever they stand."""
    declined: str = ""
    """The first words by which it says that it cannot or may not read such images."""
    conflict: bool | None = None
    """Whether what it says it sees goes against what it concludes; None where it says nothing clear of the image."""

    @property
    def flags(self) -> bool:
        """Whether it says anywhere that the image is poor."""
        return bool(self.flagged)

    @property
    def concludes(self) -> bool:
        """Whether it gives a conclusion all the same."""
        return self.label in (Seen.NORMAL, Seen.ABNORMAL)

    @property
    def as_published(self) -> Seen:
        """The class as the artefacts paper counts: whether it flags quality anywhere, then whether it declines."""
        if self.flagged:
            return Seen.QUALITY
        return Seen.REFUSES if self.declined else self.label


_EVIDENCE = 120
_OPENS = ("{", "```", '"')
_FIELDS = 2
"""A response of no more sentences than this may be a field alone."""
_ALONE = 60
"""The longest response that may be an option's very text in quotes or bold."""
_THINKING = regex("<unused94>.*?<unused95>", re.DOTALL)


def read_detection(text: str, item: Item) -> Detection:
    """What a response to a question with a normal option says of the image.

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
            "or read the response with a parser of choices."
        )
    alone = among.exact.get(text.strip().strip('*".').casefold()) if len(text) <= _ALONE else None
    if alone is not None:
        return Detection(_label(alone, among), "option-alone", text.strip(), alone)
    said = cleaned(_THINKING.sub("", text) if "<unused94>" in text else text)
    told = sentences(said, among.vocabulary)
    if not told:
        return Detection(Seen.UNSAID, "empty")
    return _keyed(text, told, among) or _read(told, among)


def _keyed(text: str, told: Sequence[Sentence], among: Choices) -> Detection | None:
    """What a response in JSON, or in keys and values, says in the field on disease; None where it has no such field."""
    field = (":" in text or "=" in text) and (text.lstrip().startswith(_OPENS) or len(told) <= _FIELDS)
    found = KEYED.search(text) if field else None
    if found is None:
        return None
    flagged = next((one for one in told if flags(one)), None)
    if found["unsaid"]:
        label, rule = (Seen.QUALITY, "quality-mentioned") if flagged else (Seen.UNSAID, "no-conclusion")
        return Detection(label, rule, found.group(), None, _words(flagged))
    one = next(iter(among.diseases.values())) if len(among.diseases) == 1 else None
    ill = found["ill"] is not None
    choice = one if ill else among.normal
    return Detection(Seen.ABNORMAL if ill else Seen.NORMAL, "keyed", found.group(), choice, _words(flagged))


def _label(choice: int, among: Choices) -> Seen:
    """What an option says; one that means "I do not know" says nothing of the image."""
    if choice == among.normal:
        return Seen.NORMAL
    return Seen.ABNORMAL if choice in among.diseases.values() else Seen.UNSAID


def _read(told: Sequence[Sentence], among: Choices) -> Detection:
    flagged = next((one for one in told if flags(one) and not declines_outright(lowered(one.text))), None)
    declined = next((one for one in told if _declines(one)), None)
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
    """Why a response comes to no conclusion: no image, a poor one, declining, deferring, or not being able to tell."""
    missing = _missing([one for one in told if one is not declined]) if flagged is None else None
    if missing is not None:
        return Detection(Seen.UNSAID, "no-image", _words(missing))
    undecided = next((one for one in told if UNDECIDED.search(one.shape)), None)
    deferred = next((one for one in told if DEFERS.search(one.shape)), None)
    for label, rule, one in (
        (Seen.QUALITY, "quality" if undecided else "quality-mentioned", flagged),
        (Seen.REFUSES, "refuses", declined),
        (Seen.REFUSES, "defers", deferred),
    ):
        if one is not None:
            return Detection(label, rule, _words(one), None, _words(flagged), _words(declined))
    return _unanswered(told, undecided)


_FEW = 3
"""A response of more sentences says something else besides."""


def _unanswered(told: Sequence[Sentence], undecided: Sentence | None) -> Detection:
    """A response that declines or cannot tell by the rule of all parsers; else one without a conclusion."""
    spoken = [one for one in told if one.text.count(" ") > 1 or not one.text.isascii()] if len(told) <= _FEW else []
    silences = [(one, read_unanswered(lowered(one.text))) for one in spoken]
    refused = next((one for one, said in silences if said and said.silence is Outcome.REFUSED), None)
    if refused is not None:
        return Detection(Seen.REFUSES, "refuses", _words(refused))
    unable = undecided or next((one for one, said in silences if said), None)
    if unable is not None:
        return Detection(Seen.UNSAID, "cannot-tell", _words(unable))
    return Detection(Seen.UNSAID, "no-conclusion", _words(told[-1]))


def _declines(one: Sentence) -> bool:
    """Whether a sentence declines the task; not if it only says that it cannot tell or see."""
    if REFUSES.search(one.shape) is None:
        return False
    low = lowered(one.text)
    if declines_outright(low):
        return True
    if may_miss(low) and says_missing(low) is not None:
        return False
    said = read_unanswered(low)
    return said is None or said.silence is not Outcome.ABSTAINED


def _missing(told: Sequence[Sentence]) -> Sentence | None:
    """The sentence that says that there is no image, or asks for it."""
    text = "\n\n".join([one.text for one in told])
    found = says_missing(text) if may_miss(lowered(text)) else None
    if found is None or declines_outright(found.sentence):
        return None
    ends = accumulate(len(one.text) + 2 for one in told)
    return next(one for one, end in zip(told, ends, strict=True) if found.start < end)


def _words(sentence: Sentence | None) -> str:
    return sentence.text[:_EVIDENCE] if sentence else ""


_SILENCES = {
    Seen.QUALITY: Outcome.FLAGGED_QUALITY,
    Seen.REFUSES: Outcome.REFUSED,
    Seen.ABNORMAL: Outcome.UNPARSED,
    Seen.UNSAID: Outcome.UNPARSED,
}
_ABSTAINS = frozenset(("no-image", "cannot-tell"))
_LETTER = regex(
    r"(?:^|\n|(?i:answer|option|choice|choose|select)(?i:\s{1,2}is)?)[\s:*(\[\"]{0,6}([A-Z])(?:[).:\]*]|\s*$|\s*\n)"
)
"""What a response that answers by letter holds somewhere."""


def read_conclusion(text: str, item: Item) -> Reading:
    """The option that a response concludes, whatever it says of the image's quality; else why it concludes none.

    A response that answers by letter, and one to a question without a normal option, is read as any other choice.

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
    """The same as the artefacts paper counts: a response that flags quality or declines to diagnose is no answer.

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
    """The option of a response that answers by letter."""
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
