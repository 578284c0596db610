"""Negation: is a label or word of a sentence asserted, denied, only compared or left open?

A *shape* is a sentence as a string with one letter per word, by the word's role (`language/detection_roles`). Its
*labels* are the letters 0 for normal and 1 for a disease.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from snellen.lexicon import read_lexicon
from snellen.reading.language.acts.declining import REFUSES
from snellen.reading.language.detection_roles import pattern
from snellen.reading.language.patterns import word_set
from snellen.runtime import regex

_LEXICON = read_lexicon("negation")

_LABEL = regex("[01]")
_CLAUSE = regex("(?:[^;,]|,(?!H))+")
_SET_ASIDE = regex(
    # Nothing is chosen: "normal or a tumour", '"normal" and "tumour"', "between normal and tumour".
    r'0"?,?/"?[@w]?"?1|1"?,?/"?[@w]?"?0|"0",?&?"1|1"[,&]{1,2}"0|\|[^;]{0,4}?[01][^;]{0,4}?&[^;]{0,3}?[01]|'
    # Left open: "rather than a glioma", "cannot rule out a tumour", "a tumour cannot be excluded", "tell if it is
    # normal", "how tumours look".
    r">[^;:,]{0,4}?[01]|[cn][_B]{0,3}A[^;:,]{0,6}?[01]|1[^;:,]{0,3}[cn][_B]{0,3}A|[dlK].?I[^;,]*|Q[@w]?1"
)
NOT_NORMAL = regex(r'n[^,;:&/01nNfz]{0,4}?"?0')
_OF_A_PART = regex("0(?:[_fL]|y[_L]|[yp][4Wm])")
_FIRST = regex("3")
""""At first sight" or "initially", after which the sentence may change its mind."""
_BREAK = regex("[;E:]|,[q@]")
_DENIED = regex("[nNA]|c[^;,]{0,2}[vl]")
_DENIED_AFTER = regex("[^;,]{0,6}?(?:A|n[^;,]{0,3}?[vB_])|:N")
UNDECIDED = pattern(*_LEXICON.read_lines("undecided"))


class Stance(NamedTuple):
    """What a sentence says about the image: normal, ill, or a disease denied; and the diseases that it names."""

    normal: bool
    ill: bool
    denies: bool
    named: frozenset[str]

    @property
    def clear(self) -> bool:
        """True if the sentence says either normal or ill, or only denies a disease."""
        return self.ill != self.normal or (self.denies and not self.ill)


NOTHING = Stance(normal=False, ill=False, denies=False, named=frozenset())
SOUND = NOTHING._replace(normal=True)
ILL = NOTHING._replace(ill=True)


def stance(shape: str, naming: str, *, final: bool = False) -> Stance:
    """Read the stance of a sentence from its shape.

    In a `final` sentence, "normal" counts even if a body part follows.
    """
    if _LABEL.search(shape) is None:
        return NOTHING
    normal = ill = denies = False
    named: set[str] = set()
    for part in _CLAUSE.finditer(shape):
        if _FIRST.search(part.group()) and part.end() < len(shape):
            continue
        if UNDECIDED.search(part.group()) or REFUSES.search(part.group()):
            continue
        clause = blank_open_labels(part.group())
        not_normal = {found.end() - 1 for found in NOT_NORMAL.finditer(clause)}
        parts = set() if final else {found.start() for found in _OF_A_PART.finditer(clause)}
        for found in _LABEL.finditer(clause):
            place = found.start()
            if clause[place] == "0":
                ill |= place in not_normal
                normal |= place not in not_normal and place not in parts
            elif is_denied(clause, place):
                denies = True
            else:
                ill = True
                named.add(naming[part.start() + place])
    return Stance(normal, ill, denies, frozenset(named))


def blank_open_labels(clause: str) -> str:
    """Return a clause without labels that it only compares or leaves open."""
    return _SET_ASIDE.sub(lambda found: "_" * len(found.group()), clause) if _LABEL.search(clause) else clause


def is_denied(clause: str, place: int) -> bool:
    """Return whether a clause denies the label at a place.

    >>> is_denied("ENvf", 3), is_denied("EB@f", 3), is_denied("f:A", 0)
    (True, False, True)
    """
    start = max((found.end() for found in _BREAK.finditer(clause, 0, place)), default=0)
    return _DENIED.search(clause, start, place) is not None or _DENIED_AFTER.match(clause, place + 1) is not None


_NO = _LEXICON.read_words("no")
_NOT = _LEXICON.read_words("not")
_BEFORE_VERB = word_set("non no")
_VERB_AFTER = _LEXICON.read_words("verb after")
_RID = word_set("free clear")
_OF = _LEXICON.read_words("of")
_ENDS = _LEXICON.read_words("ends")
_AND = word_set("and e et und y")
_OR = word_set("or nor and o ni ou oder e et und y")
_OPENS = _LEXICON.read_words("opens")
_DENYING = _NO | _NOT | _BEFORE_VERB | _RID
_VERBS = _LEXICON.read_words("verbs")


def denied_words(words: Sequence[str]) -> list[bool]:
    """Return for each word of a lower-case sentence whether it is denied. Signs must be separate words.

    >>> denied_words("no mass , cyst or stone is seen but a fracture".split())
    [True, True, True, True, True, True, True, True, True, False, False]
    """
    if _DENYING.isdisjoint(words):
        return [False] * len(words)
    denied: list[bool] = []
    listing = False
    for start, end in _clauses(words):
        clause = words[start:end]
        first = _denying(clause)
        listing = first is None and listing and _goes_on(clause, words[end:])
        denied += [listing or (first is not None and at >= first) for at in range(len(clause))]
        listing = (listing or first is not None) and clause[-1] == ","
    return denied


def _clauses(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    start = 0
    for at, word in enumerate(words, start=1):
        following = words[at] if at < len(words) else ""
        if word in _ENDS or (word in _AND and following in _OPENS):
            yield start, at
            start = at
    if start < len(words):
        yield start, len(words)


def _denying(clause: Sequence[str]) -> int | None:
    """Return the index of the first denied word of a clause, or None."""
    for at, word in enumerate(clause):
        following = clause[at + 1] if at + 1 < len(clause) else ""
        if word in _NOT or (word in _BEFORE_VERB and following in _VERB_AFTER):
            return 0
        if word in _RID:
            if following in _OF:
                return at + 1
        elif word in _NO:
            return at
    return None


def _goes_on(clause: Sequence[str], rest: Sequence[str]) -> bool:
    """Return whether a clause is one more entry of a list that "or" closes."""
    joined = next((at for at, word in enumerate(clause) if word in _OR), None)
    verb = next((at for at, word in enumerate(clause) if word in _VERBS), None)
    if joined is not None:
        return verb is None or joined < verb
    return verb is None and not _OR.isdisjoint(rest)
