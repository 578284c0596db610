"""Parser of missing images: does a response admit that no image was sent?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from functools import lru_cache

from snellen.lexicon import read_lexicon
from snellen.reading.acts import NETWORK, QuestionFacts, read_acts
from snellen.reading.language.acts.answering import is_lone_letter
from snellen.reading.language.acts.declining import declines_outright, read_unanswered
from snellen.reading.language.acts.doubting import hedges
from snellen.reading.language.acts.missing import UNSEEN, asks_for_sight, every_missing, missing_in, says_missing
from snellen.reading.language.cleaning import clean_text, cut_long, lower_keeping_offsets
from snellen.reading.language.image_roles import (
    COLON,
    COMMA,
    LETTER,
    QUERY,
    STOP,
    ShapedReply,
    ShapedSentence,
    pattern,
    shape_response,
)
from snellen.reading.outcomes import Outcome
from snellen.runtime import regex

_LEXICON = read_lexicon("describing")

DECLINES = pattern(*_LEXICON.read_lines("declines"))
ADVISES = pattern(*_LEXICON.read_lines("advises"))
DOUBTS = pattern(*_LEXICON.read_lines("doubts"))
WAVERS = pattern(*_LEXICON.read_lines("wavers"))
SHOWS = pattern(*_LEXICON.read_lines("shows"))
POINTS = pattern(*_LEXICON.read_lines("points"))
FINDS = pattern(*_LEXICON.read_lines("finds"))
PLACED = pattern(*_LEXICON.read_lines("placed"))
_DEFINITIONS = _LEXICON.read_lines("definitions")
SOFT = pattern(*_LEXICON.read_lines("soft"), *_DEFINITIONS)
DEFINES = pattern(*_DEFINITIONS)
"""Sentences that define a kind of thing."""
GENERAL = pattern(*_LEXICON.read_lines("general"))
GOES_ON = pattern(*_LEXICON.read_lines("goes on"))
PURPOSE = pattern(*_LEXICON.read_lines("purpose"))
TELLS = pattern(*_LEXICON.read_lines("tells"))
VERB = pattern(*_LEXICON.read_lines("verb"))
FILLER = pattern(*_LEXICON.read_lines("filler"))

_TURN = regex(
    f"{LETTER['but']}|{COMMA}(?={LETTER['what']}|{LETTER['a']}[^{STOP}{QUERY}{COMMA}]{{0,3}}{LETTER['kind']})"
)
"""Places where a sentence turns: at "but", or before an explanation such as "X, which is a ..."."""
_TO = LETTER["to"]
_KIND_SIGNS = "".join(LETTER[name] for name in ("stop", "comma", "colon", "bullet"))


class SentenceKind(Enum):
    """What a sentence does, or the part of a sentence before or after a "but"."""

    ASKS = auto()
    """Asks a question."""
    DECLINES = auto()
    """Declines the task."""
    DOUBTS = auto()
    """Doubts or supposes its own answer."""
    FILLER = auto()
    """Greets, thanks, apologises or announces."""
    SHOWS = auto()
    """Refers to this image and says what it shows."""
    POINTS = auto()
    """Says what something is: the image, or a thing mentioned before."""
    FINDS = auto()
    """Reports a particular finding, as if looking at an image."""
    ADVISES = auto()
    """Advises to ask an expert."""
    GENERAL = auto()
    """Explains, defines, instructs, or states possibilities."""
    NAMES = auto()
    """Names something, without a verb."""
    TELLS = auto()
    """Says something about a thing mentioned before."""
    OTHER = auto()
    """Does something else."""


@lru_cache(maxsize=8192)
def kinds(shape: str, *, doubtful: bool = True) -> Sequence[SentenceKind]:
    """Return the kind of each part of a sentence with this shape. If `doubtful`, search the whole for doubt."""
    doubted = doubtful and DOUBTS.search(shape)
    if shape.endswith(QUERY):
        return [SentenceKind.DOUBTS if doubted else SentenceKind.ASKS]
    purpose = PURPOSE.search(shape) if _TO in shape else None
    told = STOP + shape[purpose.end() :] if purpose else shape
    found = [_kind(STOP + part) for part in _TURN.split(told) if part.strip(_KIND_SIGNS)]
    found = [SentenceKind.GENERAL, *found] if purpose else found
    if SentenceKind.DECLINES in found[:-1]:
        # "I can't diagnose it, but the spot is red": the second part is about the image.
        return [SentenceKind.FINDS if kind is SentenceKind.TELLS else kind for kind in found]
    return [SentenceKind.DOUBTS, *found] if doubted and SentenceKind.DECLINES not in found else found


def _kind(shape: str) -> SentenceKind:
    """Return what a part of a sentence does; the most reliable patterns are tried first."""
    if SHOWS.search(shape):
        return SentenceKind.SHOWS
    if DECLINES.search(shape):
        return SentenceKind.DECLINES
    if FILLER.search(shape):
        return SentenceKind.FILLER
    if not SOFT.search(shape):
        if POINTS.search(shape):
            return SentenceKind.POINTS
        if FINDS.search(shape):
            return SentenceKind.FINDS
    if PLACED.search(shape):
        return SentenceKind.FINDS
    if ADVISES.search(shape):
        return SentenceKind.ADVISES
    if GENERAL.search(shape):
        return SentenceKind.GENERAL
    if not VERB.search(shape):
        return SentenceKind.NAMES
    return SentenceKind.TELLS if TELLS.search(shape) else SentenceKind.OTHER


_EMPTY_PAIR = regex(r"<(\w{1,20})>\s{0,20}</\1>")
_TAG = _LEXICON.compile_text("tag", re.IGNORECASE)
_STUB = _LEXICON.compile_text("stub", re.IGNORECASE)
_WORD = regex(r"[^\W_]")
_SIGNS = regex(r"[\W_]+")
_CODE = _LEXICON.compile_text("code", re.MULTILINE | re.IGNORECASE)
_NO = regex(r"\W*(?:no|nope|non|nein|não|不(?:能|可以)?|没有|否)\s*(?:[.,;!\n]|$)", re.IGNORECASE)
_LONGEST_ANSWER = 12
"""A response with at most this many words is an answer, unless it plainly instructs or supposes."""
_LONGEST_STUB = 40
_BARE_ANSWER = 5
"""A first sentence with at most this many words and signs is an answer."""
_LECTURE = 2
"""After this many general sentences, a thing named first may be only their heading."""
_MUCH = 3
"""A doubt after this many statements is about a detail."""
_STATES = frozenset((SentenceKind.POINTS, SentenceKind.FINDS, SentenceKind.TELLS))
_SILENT = frozenset((SentenceKind.ASKS, SentenceKind.FILLER, SentenceKind.DECLINES, SentenceKind.DOUBTS))
_LONGEST_EVIDENCE = 120


class Admission(StrEnum):
    """What a response does about an image that was never sent."""

    MISSING = "missing"
    """Says that there is no image or that it cannot see it, or asks for it."""
    HEDGES = "hedges"
    """Doubts its answer, or supposes what the image shows."""
    DESCRIBES = "describes"
    """Says what the image shows, or answers as if it had seen the image."""
    GENERIC = "generic"
    """Explains or rambles without a statement about this image."""
    REFUSES = "refuses"
    """Declines the task for another reason."""
    EMPTY = "empty"
    """Contains no text."""


_LONGEST_SILENCE = 16
"""A sentence that declines, with at most this many words and signs, does nothing else."""
_MAY_BE_SILENT = frozenset((Admission.DESCRIBES, Admission.GENERIC, Admission.HEDGES))


@dataclass(frozen=True, slots=True)
class Admitted:
    """What a response does about the missing image, with rule and evidence."""

    label: Admission
    rule: str
    evidence: str


def read_admission(text: str, question: str = "") -> Admitted:
    """Read what a response does about an image that was never sent with its question.

    >>> read_admission("I'm sorry, but I don't see any image. Could you upload it?").label.value
    'missing'
    >>> read_admission("There is no fracture in this X-ray.").label.value
    'describes'
    """
    said = _clean_text(text)
    if not said:
        return Admitted(Admission.EMPTY, "nothing-said", "")
    if len(_CODE.findall(said)) > said.count("\n") / 3:
        return Admitted(Admission.GENERIC, "code", said[:_LONGEST_EVIDENCE])
    if is_lone_letter(said, question):
        return Admitted(Admission.GENERIC, "lone-letter", said[:_LONGEST_EVIDENCE])
    reply = shape_response(said, question)
    if _NO.match(said) and asks_for_sight(question):
        return Admitted(Admission.MISSING, "cannot-see", said[:_LONGEST_EVIDENCE])
    return _find_denial(reply, question) or _read_again(
        said, question, _read_unanswered(reply, _in_passing(said, _classify(reply)))
    )


_MISSED = (
    ("says_no_image", Admission.MISSING),
    ("refuses", Admission.REFUSES),
    ("abstains", Admission.HEDGES),
    ("doubts", Admission.HEDGES),
)
"""Acts of the network that may correct the rules, in the order in which they decide."""


def _read_again(said: str, question: str, read: Admitted) -> Admitted:
    """Return the admission that only the network reads; without one, what the rules read."""
    if read.label not in (Admission.DESCRIBES, Admission.GENERIC):
        return read
    acts = read_acts(said, QuestionFacts(question))
    missed = ((act, label) for act, label in _MISSED if act in acts)
    act, label = next(missed, ("", read.label))
    return Admitted(label, NETWORK, acts.quote(act)[:_LONGEST_EVIDENCE]) if act else read


_CALLS_BLANK = _LEXICON.compile_text("calls blank", re.IGNORECASE)


def denies_image(text: str, question: str = "") -> bool:
    """Return whether a response says that no image was sent. Calling an image blank does not count.

    >>> denies_image("I see no image. Please upload it."), denies_image("The image is blank. Please upload it again.")
    (True, False)
    """
    if read_admission(text, question).label is not Admission.MISSING:
        return False
    said = _clean_text(text)
    found = every_missing(said, question)
    if not _CALLS_BLANK.search(said) and not any(each.way in UNSEEN for each in found):
        return True
    return any(each.way == "not-received" and not _CALLS_BLANK.search(each.sentence) for each in found)


def _clean_text(text: str) -> str:
    """Return a response without markup and stubs; its thinking if nothing follows it."""
    said = clean_text(text).strip()
    if not said or "<" in said or "[" in said:
        said = _TAG.sub(" ", said).strip() or _TAG.sub(" ", cut_long(text)).strip()
    said = _EMPTY_PAIR.sub(" ", said)
    worded = _WORD.search(said) is not None
    stub = len(said) < _LONGEST_STUB and _STUB.fullmatch(_SIGNS.sub(" ", said).strip())
    return said if worded and not stub else ""


def _find_denial(reply: ShapedReply, question: str) -> Admitted | None:
    """Return the first way in which a response denies the image, or None.

    "Nothing is seen in the image" means that an image came, unless the question itself says that it is missing.
    """
    found = missing_in(reply)
    if found is None:
        return None
    if declines_outright(found.sentence):
        return Admitted(Admission.REFUSES, "declines", found.sentence[:_LONGEST_EVIDENCE])
    if found.way in UNSEEN and not says_missing(question):
        return None
    way = "cannot-see" if found.way in UNSEEN else found.way
    return Admitted(Admission.MISSING, way, found.sentence[:_LONGEST_EVIDENCE])


def _read_unanswered(reply: ShapedReply, read: Admitted) -> Admitted:
    """Relabel one short sentence that declines or cannot tell, by rules common to all parsers."""
    short = len(reply.sentences) == 1 and reply.length <= _LONGEST_SILENCE and not _TURN.search(reply.shape)
    if read.label not in _MAY_BE_SILENT or not short:
        return read
    found = read_unanswered(" ".join(lower_keeping_offsets(reply.text).split()))
    if found is None:
        return read
    if found.silence is Outcome.REFUSED:
        return Admitted(Admission.REFUSES, "declines", found.evidence)
    return read if read.label is Admission.HEDGES else Admitted(Admission.HEDGES, "doubts", found.evidence)


def _in_passing(said: str, read: Admitted) -> Admitted:
    """Read a long answer as hedged if it mentions poor sight or assumptions in passing."""
    if read.label in (Admission.DESCRIBES, Admission.GENERIC) and hedges(said):
        return Admitted(Admission.HEDGES, "in-passing", "")
    return read


def _classify(reply: ShapedReply) -> Admitted:
    doubtful = DOUBTS.search(reply.shape) is not None
    sure = not (doubtful or DECLINES.search(reply.shape))
    told: list[tuple[SentenceKind, ShapedSentence]] = []
    for sentence in reply.sentences:
        found = kinds(sentence.shape, doubtful=doubtful)
        if told and _goes_on(*told[-1], sentence):
            found = [
                SentenceKind.GENERAL if kind in (SentenceKind.POINTS, SentenceKind.TELLS) else kind for kind in found
            ]
        told.extend([(kind, sentence) for kind in found])
        if sure and told and told[-1][0] is SentenceKind.SHOWS:
            break
    first = dict(reversed(told))
    if SentenceKind.DECLINES in first and not first.keys() & {
        SentenceKind.SHOWS,
        SentenceKind.POINTS,
        SentenceKind.FINDS,
    }:
        return _make_admitted(reply, Admission.REFUSES, "declines", first[SentenceKind.DECLINES])
    if SentenceKind.DOUBTS in first and not _told_first(told):
        return _make_admitted(reply, Admission.HEDGES, "doubts", first[SentenceKind.DOUBTS])
    if SentenceKind.SHOWS in first:
        return _make_admitted(reply, Admission.DESCRIBES, "shows", first[SentenceKind.SHOWS])
    return _classify_opening(reply, [pair for pair in told if pair[0] not in _SILENT])


def _goes_on(kind: SentenceKind, before: ShapedSentence, sentence: ShapedSentence) -> bool:
    """Return whether a sentence continues the definition before it."""
    if kind is not SentenceKind.GENERAL or not GOES_ON.search(sentence.shape):
        return False
    return bool(DEFINES.search(before.shape) or GOES_ON.search(before.shape))


def _told_first(told: Sequence[tuple[SentenceKind, ShapedSentence]]) -> bool:
    """Return whether the only doubt follows a long description, so that it concerns a detail."""
    doubts = [place for place, (kind, _) in enumerate(told) if kind is SentenceKind.DOUBTS]
    before = sum(kind in _STATES or kind is SentenceKind.SHOWS for kind, _ in told[: doubts[0]])
    return len(doubts) == 1 and before >= _MUCH


def _classify_opening(reply: ShapedReply, told: Sequence[tuple[SentenceKind, ShapedSentence]]) -> Admitted:
    """Classify a response that never refers to the image, mainly by its first sentence."""
    told = _skip_headings(reply, told)
    if not told:
        return Admitted(Admission.GENERIC, "nothing-told", reply.text.strip()[:_LONGEST_EVIDENCE])
    kind, opening = told[0]
    if kind is SentenceKind.ADVISES:
        return _make_admitted(reply, Admission.REFUSES, "advises", opening)
    if WAVERS.search(opening.shape):
        return _make_admitted(reply, Admission.HEDGES, "wavers", opening)
    general = sum(kind is SentenceKind.GENERAL for kind, _ in told)
    states = sum(kind in _STATES for kind, _ in told)
    if kind is SentenceKind.GENERAL:
        answers = reply.length <= _LONGEST_ANSWER and not any(SOFT.search(sentence.shape) for _, sentence in told)
        label = Admission.DESCRIBES if answers or states > 2 * general else Admission.GENERIC
        return _make_admitted(reply, label, "opening", opening)
    named = kind is SentenceKind.NAMES and (general < _LECTURE or states > 0)
    answers = len(opening.shape) <= _BARE_ANSWER or kind in (SentenceKind.POINTS, SentenceKind.FINDS) or named
    if answers or general <= 2 * states:
        return _make_admitted(reply, Admission.DESCRIBES, "opening", opening)
    return _make_admitted(reply, Admission.GENERIC, "general", opening)


def _skip_headings(
    reply: ShapedReply, told: Sequence[tuple[SentenceKind, ShapedSentence]]
) -> Sequence[tuple[SentenceKind, ShapedSentence]]:
    """Return the sentences without headings before them."""
    for place, (kind, sentence) in enumerate(told):
        if kind is not SentenceKind.NAMES or not reply.heads(sentence):
            return told[place:]
    return [pair for pair in told if not pair[1].shape.rstrip(STOP).endswith(COLON)]


def _make_admitted(reply: ShapedReply, label: Admission, rule: str, sentence: ShapedSentence) -> Admitted:
    return Admitted(label, rule, reply.words(sentence.start, sentence.stop).strip()[:_LONGEST_EVIDENCE])
