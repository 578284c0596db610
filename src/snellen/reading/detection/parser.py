"""Readings of detection responses: normal, abnormal, poor image, refusal or none of these."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from snellen.errors import DataError
from snellen.items import Item, Option
from snellen.lexicon import read_lexicon
from snellen.reading.choice.parser import WEIGHED, read_choice
from snellen.reading.language.acts.declining import DEFERS, REFUSES, declines_outright, may_miss, read_unanswered
from snellen.reading.language.acts.missing import says_missing
from snellen.reading.language.acts.quality import flags
from snellen.reading.language.cleaning import clean_text, lower_keeping_offsets
from snellen.reading.language.detection_roles import (
    HAN,
    JOINED,
    KEYED,
    LETTER,
    OPTION,
    OTHER,
    Phrase,
    Vocabulary,
    pattern,
    spelling,
)
from snellen.reading.language.negation import (
    ILL,
    NOT_NORMAL,
    SOUND,
    UNDECIDED,
    Stance,
    blank_open_labels,
    is_denied,
    stance,
)
from snellen.reading.language.parts import ResponsePart, Sentence, sentences
from snellen.reading.language.words.diagnoses import ALIASES, PLACES
from snellen.reading.outcomes import Outcome, Reading
from snellen.runtime import regex

_LEXICON = read_lexicon("detection")

_FINDING = regex("[f61]")
_SAYS = regex("[f610z]")
_SOUND = regex("(?<!n)(?<!n.)[0z]")
_PUT_RIGHT = regex("[V3]|[f6][^;]{0,6}BZ")
_LEFT_OPEN = regex("[hI]")
_FRAGMENT = 2
_PLAINLY = pattern(*_LEXICON.read_lines("plainly"))


class SentenceFinding(Enum):
    """Finding that a sentence states about the image."""

    ILL = auto()
    """The sentence says that a finding is present."""
    MAYBE = auto()
    """The sentence says that a finding may be present."""
    SOUND = auto()
    """The sentence says that all is normal, or that a finding is absent."""


def sight(sentence: Sentence) -> SentenceFinding | None:
    """Return what a sentence says it sees in this image; None if nothing."""
    shape = sentence.shape
    if (
        sentence.general
        or _SAYS.search(shape) is None
        or len(shape.strip('".,')) < _FRAGMENT
        or _PUT_RIGHT.search(shape)
    ):
        return None
    ill = sound = False
    for clause in map(blank_open_labels, shape.split(";")):
        findings = [found.start() for found in _FINDING.finditer(clause)]
        there = [place for place in findings if not is_denied(clause, place)]
        ill |= bool(there) or NOT_NORMAL.search(clause) is not None
        sound |= len(there) < len(findings) or (not there and _SOUND.search(clause) is not None)
    if ill:
        return SentenceFinding.MAYBE if _LEFT_OPEN.search(shape) else SentenceFinding.ILL
    return SentenceFinding.SOUND if sound else None


def plainly_seen(sentence: Sentence) -> bool:
    """Return whether a sentence plainly reports what is in this image."""
    return sentence.part is ResponsePart.IMAGE or _PLAINLY.search(sentence.shape) is not None


def conflicts(seen: Iterable[SentenceFinding], *, ill: bool) -> bool | None:
    """Return whether a conclusion contradicts the findings; None if no finding is clear."""
    said = list(seen)
    there, not_there = said.count(SentenceFinding.ILL), said.count(SentenceFinding.SOUND)
    if ill:
        if there or SentenceFinding.MAYBE in said:
            return False
        return True if not_there else None
    if there and not_there <= 2 * there:
        return True
    return False if not_there else None


class Choices(NamedTuple):
    """Possible conclusions: the normal option, the letter of each disease option, and the words of all."""

    normal: int
    diseases: Mapping[str, int]
    exact: Mapping[str, int]
    vocabulary: Vocabulary


def choices(item: Item) -> Choices | None:
    """Return the possible conclusions for a question. None if no option is known to mean normal."""
    normal = item.normal
    return None if normal is None else _choices(item.options, normal)


@lru_cache(maxsize=256)
def _choices(options: tuple[Option, ...], normal: int) -> Choices:
    texts = [option.text.strip().casefold() for option in options]
    others = [at for at, option in enumerate(options) if at != normal and not option.abstains]
    letters = {at: LETTER["abnormal"] if len(others) == 1 else chr(OPTION + at) for at in others}
    phrases = [Phrase(words, letters[at]) for at in others for words in _ways(texts[at], texts)]
    phrases += [Phrase(words, LETTER["normal"]) for words in _ways(texts[normal], texts)]
    phrases += [Phrase(tuple(name.split()), OTHER) for name in PLACES]
    phrases += [Phrase(tuple(map(spelling, words)), letter) for words, letter in JOINED.items()]
    own = [text for text in texts if HAN.search(text)]
    exact = {text: at for at, text in enumerate(texts)}
    vocabulary = Vocabulary(phrases, own, several=len(others) > 1)
    return Choices(normal, {letter: at for at, letter in letters.items()}, exact, vocabulary)


def _ways(text: str, texts: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the words of an option. Also yield names of its disease that no other option has."""
    if HAN.search(text):
        yield (text,)
        return
    known = next((names for names in ALIASES if _american(text) in names), ())
    for name in (text, *(name for name in known if name not in texts)):
        words = tuple(map(spelling, re.findall(r"\w+(?:['-]\w+)*", name)))
        if words:
            yield words


def _american(text: str) -> str:
    return " ".join(map(spelling, text.split()))


_BARE = regex('"*(?:[01]"*){1,3}(?:,.*,)?"*$')
_CUED = pattern(*_LEXICON.read_lines("cued"))
_AT_LARGE = pattern(*_LEXICON.read_lines("at large"))
_NORMAL_IMAGE = pattern(*_LEXICON.read_lines("normal image"))
_ILL_IMAGE = pattern(*_LEXICON.read_lines("ill image"))
_CLAUSE = regex("[^;]+|;")
_MAY = regex("h")


class Conclusion(NamedTuple):
    """A response's conclusion, with the rule and the sentence from which it was read."""

    rule: str
    stance: Stance
    sentence: Sentence


def find_conclusion(
    told: Sequence[Sentence], seen: Sequence[SentenceFinding | None], *, silent: bool
) -> Conclusion | None:
    """Return the conclusion of a response, or None.

    `silent`: the response declines or calls the image poor; then single findings do not count.
    """
    stated = _list_stated(told)
    plain = [one for one in told if not one.general]
    if stated or any(one.part is ResponsePart.END and UNDECIDED.search(one.body) for one in plain):
        return stated[-1] if stated else None
    if cued := _find_concluding_sentence(plain):
        return cued
    open_at = max((one.place for one in plain if UNDECIDED.search(one.shape)), default=-1)
    found = _of_the_image([one for one in plain if one.place >= open_at])
    return found or (
        None if silent or open_at >= 0 or SentenceFinding.MAYBE in seen else _conclude_from_findings(told, seen)
    )


def _find_concluding_sentence(plain: Sequence[Sentence]) -> Conclusion | None:
    """Return the last sentence that announces a conclusion and gives one."""
    for one in reversed(plain):
        if _CUED.search(one.shape) is None or _AT_LARGE.search(one.shape):
            continue
        cued = "".join(
            part.group() if _CUED.search(part.group()) else ";" * len(part.group())
            for part in _CLAUSE.finditer(one.shape)
        )
        if (given := stance(cued, one.naming)).clear:
            return Conclusion("concluding-sentence", given, one)
    return None


def _list_stated(told: Sequence[Sentence]) -> list[Conclusion]:
    """Return conclusions below a heading or label, and lines that consist of one."""
    found = []
    lines = _answering(told)
    for one in told:
        if one.part is ResponsePart.END and not one.general:
            rule = "conclusion"
        elif one in lines:
            rule = "last-line" if one.place else "first-line"
        else:
            continue
        if (given := _stance(one, final=True)).clear:
            found.append(Conclusion(rule, given, one))
    return found


def _answering(told: Sequence[Sentence]) -> list[Sentence]:
    """Return lines that contain only a label. If the labels differ, only one that ends the response counts."""
    bare = [one for one in told if (one.closes or one.place == 0) and _BARE.match(one.shape)]
    headings = len({one.text.strip('".').lower() for one in bare}) > 1
    return [one for one in bare if one is told[-1] or not (headings or one.part is ResponsePart.LESSON)]


def _stance(one: Sentence, *, final: bool = False) -> Stance:
    return stance(one.body, one.naming[one.label :], final=final)


def _of_the_image(plain: Sequence[Sentence]) -> Conclusion | None:
    """Return the conclusion about the whole image. A named disease or "normal" outranks the absence of one disease."""
    given = [(one, stance(one.shape, one.naming)) for one in plain]
    told = [pair for pair in given if pair[1].clear and _of_the_whole(pair[0].shape, pair[1])]
    firm = [pair for pair in told if pair[1].ill or pair[1].normal] or told
    return Conclusion("image-sentence", firm[-1][1], firm[-1][0]) if firm else None


def _of_the_whole(shape: str, said: Stance) -> bool:
    if _MAY.search(shape):
        return False
    if said.denies and not said.normal and not said.ill:
        return True
    wanted = _ILL_IMAGE if said.ill else _NORMAL_IMAGE
    return any(wanted.search(clause) for clause in shape.split(";"))


def _conclude_from_findings(told: Sequence[Sentence], seen: Sequence[SentenceFinding | None]) -> Conclusion | None:
    """Conclude from plainly reported findings: abnormal if any is present, normal if all are absent."""
    plain = [(one, what) for one, what in zip(told, seen, strict=True) if what and plainly_seen(one)]
    ill = [one for one, what in plain if what is SentenceFinding.ILL]
    if ill:
        return Conclusion("findings", ILL, ill[0])
    well = [one for one, what in plain if what is SentenceFinding.SOUND]
    return Conclusion("findings", SOUND, well[0]) if well and len(well) == len(plain) else None


class DetectionLabel(Enum):
    """Label of a response, coded as in the artefacts paper; `UNSAID` is our addition."""

    NORMAL = 0
    ABNORMAL = 1
    QUALITY = 2
    """The response calls the image too poor to judge."""
    REFUSES = 3
    """The response declines, or leaves the decision to a specialist."""
    UNSAID = "unsaid"
    """The response fits none of these."""


@dataclass(frozen=True, slots=True)
class Detection:
    """A response's conclusion with its rule, words and option, and its other statements.

    `label` is the conclusion if there is one. A conclusion with advice to see a specialist is not a refusal.
    """

    label: DetectionLabel
    rule: str
    evidence: str = ""
    choice: int | None = None
    """The option of the conclusion; None too if the response names no single disease of several."""
    flagged: str = ""
    """The first words that call the image poor or unreadable, anywhere in the response."""
    declined: str = ""
    """The first words that say that the model cannot or may not read such images."""
    conflict: bool | None = None
    """True if findings and conclusion contradict each other; None if no finding is clear."""

    @property
    def flags(self) -> bool:
        """True if the response calls the image poor anywhere."""
        return bool(self.flagged)

    @property
    def concludes(self) -> bool:
        """True if the response gives a conclusion."""
        return self.label in (DetectionLabel.NORMAL, DetectionLabel.ABNORMAL)

    @property
    def as_published(self) -> DetectionLabel:
        """Class as in the artefacts paper: a quality flag counts first, then declining, then the label."""
        if self.flagged:
            return DetectionLabel.QUALITY
        return DetectionLabel.REFUSES if self.declined else self.label


_EVIDENCE = 120
_OPENS = ("{", "```", '"')
_FIELDS = 2
"""A response with at most this many sentences may consist of a single field."""
_ALONE = 60
"""Longest response that may be just an option's text in quotes or bold."""
_THINKING = regex("<unused94>.*?<unused95>", re.DOTALL)


def read_detection(text: str, item: Item) -> Detection:
    """Read what a response says about the image; the question needs a normal option.

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
    said = clean_text(_THINKING.sub("", text) if "<unused94>" in text else text)
    told = sentences(said, among.vocabulary)
    if not told:
        return Detection(DetectionLabel.UNSAID, "empty")
    return _read_field(text, told, among) or _read(told, among)


def _read_field(text: str, told: Sequence[Sentence], among: Choices) -> Detection | None:
    """Read the disease field of a response in JSON or key-value form. None if it has no such field."""
    field = (":" in text or "=" in text) and (text.lstrip().startswith(_OPENS) or len(told) <= _FIELDS)
    found = KEYED.search(text) if field else None
    if found is None:
        return None
    flagged = next((one for one in told if flags(one)), None)
    if found["unsaid"]:
        label, rule = (
            (DetectionLabel.QUALITY, "quality-mentioned") if flagged else (DetectionLabel.UNSAID, "no-conclusion")
        )
        return Detection(label, rule, found.group(), None, _words(flagged))
    one = next(iter(among.diseases.values())) if len(among.diseases) == 1 else None
    ill = found["ill"] is not None
    choice = one if ill else among.normal
    return Detection(
        DetectionLabel.ABNORMAL if ill else DetectionLabel.NORMAL, "keyed", found.group(), choice, _words(flagged)
    )


def _label(choice: int, among: Choices) -> DetectionLabel:
    """Return the label of an option. An option that means "I do not know" is UNSAID."""
    if choice == among.normal:
        return DetectionLabel.NORMAL
    return DetectionLabel.ABNORMAL if choice in among.diseases.values() else DetectionLabel.UNSAID


def _read(told: Sequence[Sentence], among: Choices) -> Detection:
    flagged = next((one for one in told if flags(one) and not declines_outright(lower_keeping_offsets(one.text))), None)
    declined = next((one for one in told if _declines(one)), None)
    seen = [sight(one) for one in told]
    found = find_conclusion(told, seen, silent=(flagged or declined) is not None)
    if found is None:
        return _silent(told, flagged, declined)
    others = [what for one, what in zip(told, seen, strict=True) if what and one is not found.sentence]
    return Detection(
        DetectionLabel.ABNORMAL if found.stance.ill else DetectionLabel.NORMAL,
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
    """Return the reason for no conclusion, such as a missing or poor image."""
    missing = _missing([one for one in told if one is not declined]) if flagged is None else None
    if missing is not None:
        return Detection(DetectionLabel.UNSAID, "no-image", _words(missing))
    undecided = next((one for one in told if UNDECIDED.search(one.shape)), None)
    deferred = next((one for one in told if DEFERS.search(one.shape)), None)
    for label, rule, one in (
        (DetectionLabel.QUALITY, "quality" if undecided else "quality-mentioned", flagged),
        (DetectionLabel.REFUSES, "refuses", declined),
        (DetectionLabel.REFUSES, "defers", deferred),
    ):
        if one is not None:
            return Detection(label, rule, _words(one), None, _words(flagged), _words(declined))
    return _read_unanswered(told, undecided)


_FEW = 3
"""A response with more sentences is not searched for phrases of declining; it says other things too."""


def _read_unanswered(told: Sequence[Sentence], undecided: Sentence | None) -> Detection:
    """Read a response without a conclusion by the rules of declining that all parsers share."""
    spoken = [one for one in told if one.text.count(" ") > 1 or not one.text.isascii()] if len(told) <= _FEW else []
    silences = [(one, read_unanswered(lower_keeping_offsets(one.text))) for one in spoken]
    refused = next((one for one, said in silences if said and said.silence is Outcome.REFUSED), None)
    if refused is not None:
        return Detection(DetectionLabel.REFUSES, "refuses", _words(refused))
    unable = undecided or next((one for one, said in silences if said), None)
    if unable is not None:
        return Detection(DetectionLabel.UNSAID, "cannot-tell", _words(unable))
    return Detection(DetectionLabel.UNSAID, "no-conclusion", _words(told[-1]))


def _declines(one: Sentence) -> bool:
    """Return whether a sentence declines the task. Saying that it cannot tell or see is not enough."""
    if REFUSES.search(one.shape) is None:
        return False
    low = lower_keeping_offsets(one.text)
    if declines_outright(low):
        return True
    if may_miss(low) and says_missing(low) is not None:
        return False
    said = read_unanswered(low)
    return said is None or said.silence is not Outcome.ABSTAINED


def _missing(told: Sequence[Sentence]) -> Sentence | None:
    text = "\n\n".join([one.text for one in told])
    found = says_missing(text) if may_miss(lower_keeping_offsets(text)) else None
    if found is None or declines_outright(found.sentence):
        return None
    ends = accumulate(len(one.text) + 2 for one in told)
    return next(one for one, end in zip(told, ends, strict=True) if found.start < end)


def _words(sentence: Sentence | None) -> str:
    return sentence.text[:_EVIDENCE] if sentence else ""


_SILENCES = {
    DetectionLabel.QUALITY: Outcome.FLAGGED_QUALITY,
    DetectionLabel.REFUSES: Outcome.REFUSED,
    DetectionLabel.ABNORMAL: Outcome.UNPARSED,
    DetectionLabel.UNSAID: Outcome.UNPARSED,
}
_ABSTAINS = frozenset(("no-image", "cannot-tell"))
_LETTER = regex(
    r"(?:^|\n|(?i:answer|option|choice|choose|select)(?i:\s{1,2}is)?)[\s:*(\[\"]{0,6}([A-Z])(?:[).:\]*]|\s*$|\s*\n)"
)
"""Pattern that every response with a letter as answer contains."""


def read_conclusion(text: str, item: Item) -> Reading:
    """Read the option that a response concludes, or why there is none. Remarks on image quality are ignored.

    Answers by letter, and responses to questions without a normal option, are read like other choices.

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
    return _read_letter(text, item) or _reading(read_detection(text, item), text, item)


def read_as_published(text: str, item: Item) -> Reading:
    """Read a response as in the artefacts paper: a quality flag or a refusal outranks the answer.

    Advice to see a specialist counts as declining only without a conclusion.
    """
    if item.normal is None:
        return read_choice(text, item)
    read = read_detection(text, item)
    if read.flagged:
        return Reading("quality-anywhere", silence=Outcome.FLAGGED_QUALITY, evidence=read.flagged)
    if read.declined:
        return Reading("refuses", silence=Outcome.REFUSED, evidence=read.declined)
    return _read_letter(text, item) or _reading(read, text, item)


def _read_letter(text: str, item: Item) -> Reading | None:
    """Read the option of a response that answers by letter; None if it does not."""
    if _LETTER.search(text) is None:
        return None
    read = read_choice(text, item)
    return read if read.choice is not None and read.rule not in WEIGHED else None


def _reading(read: Detection, text: str, item: Item) -> Reading:
    if read.choice is not None:
        return Reading(read.rule, choice=read.choice, evidence=read.evidence)
    if read.label is DetectionLabel.UNSAID and any(option.abstains for option in item.options):
        chosen = read_choice(text, item)
        if chosen.choice is not None and item.options[chosen.choice].abstains:
            return chosen
    silence = Outcome.ABSTAINED if read.rule in _ABSTAINS else _SILENCES[read.label]
    rule = "disease-unnamed" if read.label is DetectionLabel.ABNORMAL else read.rule
    return Reading(rule, silence=silence, evidence=read.evidence)
