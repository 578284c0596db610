"""Reasons for no answer: poor or missing image, refusal, or doubt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from snellen.lexicon import read_lexicon
from snellen.reading.language.acts.missing import may_say_missing, says_missing
from snellen.reading.language.acts.quality import QUALITY
from snellen.reading.language.detection_roles import pattern
from snellen.reading.language.sentences import sentences_of
from snellen.reading.outcomes import Outcome, Reading
from snellen.runtime import regex

_LEXICON = read_lexicon("declining")

_SPACED = ("it", "es", "fr", "de")
_PARTS = (*(_LEXICON.read_phrases("language parts", language) for language in _SPACED), ())
_COMMON = (*(_LEXICON.read_words("common words", language) for language in _SPACED), frozenset[str]())

LACKING = _LEXICON.read_lines("lacking")
DECLINES = _LEXICON.read_lines("declines")
UNTOLD = _LEXICON.read_lines("untold")
REFUSES = pattern(*_LEXICON.read_lines("refuses"))
DEFERS = pattern(*_LEXICON.read_lines("defers"))


class _PhraseKind(NamedTuple):
    """A kind of phrases: its outcome and rule, and its patterns by language."""

    outcome: Outcome
    rule: str
    english: tuple[tuple[Sequence[str], re.Pattern[str]], ...]
    abroad: tuple[re.Pattern[str], ...]


def _kind(outcome: Outcome, rule: str, phrases: Sequence[str], parts: Sequence[Sequence[str]]) -> _PhraseKind:
    compiled = [regex(phrase, re.MULTILINE) for phrase in phrases]
    english, abroad = compiled[: -len(_PARTS)], compiled[-len(_PARTS) :]
    return _PhraseKind(outcome, rule, tuple(zip(parts, english, strict=True)), tuple(abroad))


_UNWILLING = _LEXICON.read_lines("unwilling")
_POOR = _LEXICON.read_lines("poor parts")
_QUALITY = _kind(Outcome.FLAGGED_QUALITY, "quality-phrase", QUALITY, [_POOR] * (len(QUALITY) - len(_PARTS)))
_OTHERS = (
    _kind(Outcome.ABSTAINED, "abstention-phrase", LACKING, _LEXICON.read_groups("lacking parts")),
    _kind(Outcome.REFUSED, "refusal-phrase", DECLINES, _LEXICON.read_groups("declines parts")),
    _kind(Outcome.ABSTAINED, "abstention-phrase", UNTOLD, _LEXICON.read_groups("untold parts")),
)
_FEW_WORDS = 100
"""Shorter texts need not contain common words of their language."""
_LONG = 700
_SHORT = 30
_HEAD, _TAIL = 300, 400
_EVIDENCE = 120


def read_silence(low: str, question: str = "") -> tuple[Reading, int] | None:
    """Return why a lower-case response has no answer, and where it says so. None if it gives no reason.

    The first reason that fits counts: poor image, missing image, other missing information, refusal, "I cannot tell".
    Only the ends of a long response are searched: in the middle, "cannot determine" is part of an argument. The search
    for a missing image covers the whole response.
    """
    ends = _ends(low)
    abroad = _languages(ends)
    return _search_kinds(ends, abroad, _QUALITY) or _missing(low, question) or _search_kinds(ends, abroad, *_OTHERS)


def _ends(low: str) -> str:
    return low if len(low) <= _LONG else f"{low[:_HEAD]}\n{low[-_TAIL:]}"


_DOUBTED = _LEXICON.compile_text("doubted")


def read_doubt(low: str) -> Reading | None:
    """Read doubt in a lower-case response that only calls something uncertain. A long one is read at both ends."""
    found = _DOUBTED.search(_ends(low))
    if found is None:
        return None
    return Reading("abstention-phrase", silence=Outcome.ABSTAINED, evidence=found.group()[:_EVIDENCE])


_UNABLE_WORDS = _LEXICON.compile_text("unable words")
_TO_TELL = _LEXICON.compile_text("to tell")
_UNABLE_TO = _LEXICON.compile_text("unable to")


def speaks_of_telling(low: str) -> bool:
    """Return whether a lower-case text has words such as "to tell", which poor quality prevents."""
    return _TO_TELL.search(low) is not None


@lru_cache(maxsize=4096)
def silences_offered(options: tuple[str, ...]) -> list[Outcome | None]:
    """Return the outcome that each option states, such as a refusal; None for an answer."""
    read = [read_silence(option.lower()) for option in options]
    return [found[0].silence if found else None for found in read]


_FINDS_NONE = _LEXICON.compile_text("finds none")


def may_withhold(sentence: str) -> bool:
    """Return whether a lower-case sentence has a word that `withholds` needs; a quick check."""
    return _UNABLE_WORDS.search(sentence) is not None


def withholds(sentence: str, question: str) -> Reading | None:
    """Return why a sentence takes back the yes or no before it, or None.

    A remark that the image is poor, or advice to see a doctor, is not enough.

    >>> withholds("the quality is too poor to tell if there is a mass", "Is there a mass?").rule
    'quality-phrase'
    >>> withholds("the quality is poor", "Is there a mass?") is None
    True
    """
    silent = read_silence(sentence, question)
    read = silent[0] if silent else read_doubt(sentence)
    if read is None or (read.rule == "quality-phrase" and _TO_TELL.search(sentence) is None):
        return None
    if read.rule == "refusal-phrase" and _UNABLE_TO.search(sentence) is None:
        return None
    return None if _FINDS_NONE.search(read.evidence) else read


def opening_of(text: str) -> str:
    """Return a short text, or the first sentence of a longer one: only there can it decline the whole task."""
    return text if len(text.split()) <= _SHORT else (sentences_of(text) or [text])[0]


def read_unanswered(low: str) -> Reading | None:
    """Return the reason why a short text has no answer: a refusal, or "I cannot tell". None if there is none."""
    found = _search_kinds(low, _languages(low), *_OTHERS)
    return found[0] if found else None


def _languages(text: str) -> list[int]:
    """Return the languages whose phrases a text may contain. A longer text must have common words of the language."""
    words = set(text.split()) if len(text) > _FEW_WORDS else frozenset()
    return [
        place
        for place, (parts, common) in enumerate(zip(_PARTS, _COMMON, strict=True))
        if not (words and common and common.isdisjoint(words)) and _contains_any(text, parts)
    ]


_TASK_DECLINED = _LEXICON.compile_text("task declined")


def declines_outright(sentence: str) -> bool:
    """Return whether a lower-case sentence declines to read medical images or to name people.

    Inability to see a single image is not enough.

    >>> declines_outright("i am unable to view or interpret medical images.")
    True
    >>> declines_outright("i cannot view the medical image.")
    False
    """
    return _TASK_DECLINED.search(sentence) is not None


_WORD = regex(r"[^\W_]+")
_REQUESTS = _LEXICON.read_words("requests")


def may_miss(low: str) -> bool:
    """Return whether a lower-case text has words to call an image missing. A quick check before `says_missing`."""
    words = _WORD.findall(low)
    return may_say_missing(words) or not _REQUESTS.isdisjoint(words)


def _missing(low: str, question: str) -> tuple[Reading, int] | None:
    found = says_missing(low, question) if may_miss(low) else None
    if found is None or declines_outright(found.sentence):
        return None
    evidence = low[found.start : found.end].strip()[:_EVIDENCE]
    return Reading("no-image", silence=Outcome.ABSTAINED, evidence=evidence), found.start


def _search_kinds(ends: str, abroad: Sequence[int], *kinds: _PhraseKind) -> tuple[Reading, int] | None:
    for kind in kinds:
        for parts, phrase in kind.english if kind is not _QUALITY or _contains_any(ends, _POOR) else ():
            if (parts is _POOR or _contains_any(ends, parts)) and (found := phrase.search(ends)):
                return _make_reading(kind, found)
        for place in abroad:
            if found := kind.abroad[place].search(ends):
                return _make_reading(kind, found)
    return None


def _make_reading(kind: _PhraseKind, found: re.Match[str]) -> tuple[Reading, int]:
    return Reading(kind.rule, silence=kind.outcome, evidence=found.group().strip()[:_EVIDENCE]), found.start()


def list_guarded_phrases() -> list[tuple[re.Pattern[str], Sequence[str]]]:
    """Return every phrase with its required parts of words, one of which must occur. Chinese phrases have none."""
    english = [(phrase, parts) for kind in (_QUALITY, *_OTHERS) for parts, phrase in kind.english]
    return english + [guard for kind in (_QUALITY, *_OTHERS) for guard in zip(kind.abroad, _PARTS, strict=True)]


def _contains_any(low: str, parts: Sequence[str]) -> bool:
    """Return whether a text contains one of these parts of words. Without parts, characters beyond ASCII count."""
    for part in parts:
        if part in low:
            return True
    return not parts and not low.isascii()


_LABEL = _LEXICON.compile_text("label")
_CLAUSE_END = regex(r"[,;:(\n]|\.\s|\s-{1,3}\s")
_NOTHING = _LEXICON.compile_text("nothing")
_DECLINED = _LEXICON.compile_text("declined")


def is_silent(content: str) -> bool:
    """Return whether a text says anywhere that it makes no diagnosis."""
    return _silence(_strip_label(content)) is not None


def before_silence(content: str) -> str | None:
    """Return the text before a first clause's refusal to give a diagnosis. None if that clause does not decline.

    >>> before_silence("Diagnosis: unable to determine, possibly melanoma")
    ''
    >>> before_silence("Melanoma; please consult a dermatologist") is None
    True
    """
    clause = _CLAUSE_END.split(_strip_label(content), maxsplit=1)[0]
    place = _silence(clause)
    return None if place is None else clause[:place]


def _strip_label(content: str) -> str:
    """Return a diagnosis in lower case, without "final diagnosis:" before it."""
    # "Indeterminate nodule" is a finding, so the word is removed; `_NOTHING` matches a lone "indeterminate".
    low = content.lower().replace("indeterminate ", "")
    label = _LABEL.match(low)
    return (low[label.end() :] if label else low).strip()


def _silence(low: str) -> int | None:
    """Return where a lower-case text says that there is no diagnosis, or None."""
    if _NOTHING.fullmatch(low):
        return 0
    declined, silence = _DECLINED.search(low), read_silence(low)
    places = [declined.start()] if declined else []
    return min([*places, silence[1]] if silence else places, default=None)
