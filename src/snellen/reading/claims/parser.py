"""Claims: what a response says it sees in the image, with the places where it says so."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain
from typing import NamedTuple, TypeAlias

from snellen.items import Item
from snellen.reading.language.acts.doubting import hedged
from snellen.reading.language.acts.missing import every_missing, may_say_missing
from snellen.reading.language.acts.seeing import (
    CANNOT_TELL,
    CONTINUING,
    DENIES,
    EXPLAINING,
    GENERALLY,
    INTERPRETING,
    MEANS,
    PICTURES,
    SIGHTED,
    SOMEBODY_TOLD,
    TOLD_HINTS,
    VERBS,
    Announced,
    Sight,
    announced,
    says_absent,
    seeing,
    seeing_in_chinese,
)
from snellen.reading.language.acts.stating import Asked, asks, states
from snellen.reading.language.acts.supposing import ASKED, without_asides
from snellen.reading.language.sentences import Passage, Passages, PlacedSentence, passages, plain, sentences
from snellen.reading.language.words.findings import content, spelt_out
from snellen.runtime import regex

_CLAUSE_END = regex(r"[,);:]")
_EDGES = " \t\r\n*#_`>-–—•·+:：,;；。"
_BEFORE = regex(
    r"[\s*#>_-]{0,12}(?:(?:reasoning|ragionamento|motivazione|spiegazione|explanation|"
    r"rationale)[\s*]{0,4}:[\s*]{0,4})?"
    r"(?:\d{1,2}[.)][\s*]{1,4})?"
)
_ASIDE = regex(r"\([^\s()]+(?:\s[^\s()]+){0,3}\s?\)")
"""A few words in brackets, which put what stands before them in other words."""
_LABEL_END = regex(r"[:(]| [-–—] ")
_APART = "\n\n"
_CHINESE = regex("[\u4e00-\u9fff]")
_ANY_CLUE = ("",)
"""Chinese has no words set apart."""
_BRIEF = 600
"""Of a longer response, only lines that may say that the image is missing are looked at for it; else all or none."""
_SHORT = 60
_PATIENCE = 2
"""Flat statements count from the first sentence on, until so many have said nothing of this case."""
_MERE = 12
"""A shorter sentence is a mere answer."""
_MOST_TOLD, _MOST_TOLD_IN_CHINESE = 10, 40
"""A question that names more, or has more Chinese characters, beside what it asks, tells of a case."""
_SAYS_ENOUGH = 3
"""So many words of content make the sentence that opens a list a claim of its own."""
_TOLD = 0.6
"""A claim is told if this share of what it names stood in the question."""


class Agreement(NamedTuple):
    """How far a parser agrees with labels: precision and recall, each with its interval, of how many responses."""

    precision: tuple[float, float, float]
    recall: tuple[float, float, float]
    n: int
    words: str


AGREEMENT = (
    Agreement(
        precision=(0.96, 0.80, 0.99),
        recall=(0.92, 0.75, 0.98),
        n=108,
        words="responses of Claude Sonnet 4.5 and GPT-5-mini to an Italian exam with blank images, not tuned on (other "
        "responses to the same 60 questions were; 18 more that could be read either way left out)",
    ),
    Agreement(
        precision=(0.84, 0.80, 0.87),
        recall=(0.83, 0.80, 0.87),
        n=902,
        words="responses of two small chat models to questions about images that were not sent, kept apart",
    ),
)
"""Of responses without an image: whether they make a firm claim that was not told, as read here and as labelled."""


_Span: TypeAlias = tuple[int, int]


class Claim(NamedTuple):
    """A sentence or bullet that says something is seen, by its offsets in the response."""

    start: int
    end: int
    absent: bool
    """It says that something is not there."""
    told: bool
    """What it says it sees stood in the question already."""
    firm: bool = True
    """It names the image or someone who sees and states a finding, or answers flatly; others follow from others."""


def read_claims(text: str, question: str = "") -> tuple[Claim, ...]:
    """The statements in which a response asserts that something is seen in the image itself, or is so in this case.

    What is so in this case is only looked for where a question is given that does not itself tell of the case.

    >>> reply = "The ECG shows ST elevation. An old infarct would show Q waves."
    >>> [reply[claim.start : claim.end] for claim in read_claims(reply)]
    ['The ECG shows ST elevation.']
    """
    return claims_in(passages(text), question)


def claims_in(reply: Passages, question: str) -> tuple[Claim, ...]:
    """The claims of a response made ready to be read."""
    low, told = reply.low, _content_of(question)
    return tuple(
        Claim(start, end, absent or says_absent(low[start:end]), _told(low[start:end], told), firm)
        for start, end, absent, firm in _spans(reply, _denials(reply, question), _asked(question), loose=True)
    )


def firm_claims(reply: Passages, question: str) -> Iterator[tuple[int, int]]:
    """The places of the claims that are firm and were not told."""
    return _firm_claims(reply, question, _denials(reply, question))


def _firm_claims(reply: Passages, question: str, denials: Sequence[_Span]) -> Iterator[_Span]:
    told = _content_of(question)
    for start, end, _, firm in _spans(reply, denials, _asked(question), loose=False):
        if firm and not _told(reply.low[start:end], told):
            yield start, end


def _denials(reply: Passages, question: str) -> list[_Span]:
    """The places where a response says that the image is missing."""
    if len(reply.low) > _BRIEF:
        lines = [line for line in reply.lines if may_say_missing(line.words)]
    else:
        may = may_say_missing(chain.from_iterable([line.words for line in reply.lines]))
        lines = list(reply.lines) if may else []
    if not lines:
        return []
    ends = list(accumulate(len(line.text) + len(_APART) for line in lines))
    found = every_missing(_APART.join(line.text for line in lines), question)
    places = [(bisect_right(ends, one.start), one) for one in found]
    moves = [line.start + len(line.text) + len(_APART) - end for line, end in zip(lines, ends, strict=True)]
    return [(one.start + moves[at], one.end + moves[at]) for at, one in places]


class _Reading(NamedTuple):
    """What is known from the lines above."""

    looked: bool = False
    """The image was looked at."""
    listing: bool = False
    """A list of findings is running, below: of those that are missing, and of those that are firm claims."""
    absent: bool = False
    firm: bool = False
    named: bool = False
    """The last heading of any weight named the image."""


def _spans(
    reply: Passages, denials: Sequence[_Span], asked: Asked | None, *, loose: bool
) -> Iterator[tuple[int, int, bool, bool]]:
    """Where claims stand, in order, whether in a list of what is not seen, and whether firm; with or without the loose.

    Without them, what only goes on from a sentence before is not looked for; what is firm comes out the same.
    """
    known, patience = _Reading(), _PATIENCE if asked else 0
    for line in reply.lines:
        looked = known.looked and (loose or line.heading)
        clues = _clues(line, looked=looked) if not reply.chinese else _ANY_CLUE
        if not (clues or known.listing or line.heading or patience):
            continue
        body, lead = line.body, Sight.NONE
        if known.listing and not body:
            known = _Reading(looked=known.looked, named=known.named)
        for number, sentence in enumerate(sentences(line, body=body)):
            opens = line.heading and sentence.start + len(sentence.text) == line.start + len(line.text)
            denied = _denied(sentence, denials) if denials else None
            listed = known.listing and number == 0 and not (opens or denied) and _lists(line)
            claiming = _claims(sentence.text, line, clues, denied, looked=looked or (known.looked and loose))
            if listed and claiming is not Sight.FIRM:
                claiming = Sight.FIRM if known.firm else Sight.LOOSE
            stated = False
            if asked and patience > 0 and claiming is not Sight.FIRM and not opens:
                stated = not (denied or (number and line.option)) and states(sentence.text, asked)
                claiming = Sight.FIRM if stated else claiming
                patience -= 0 if stated else patience if denied else len(sentence.text) > _MERE
            if claiming:
                known = known if known.looked else known._replace(looked=True)
            if claiming is Sight.FIRM or (claiming and loose):
                start, end = _trimmed(reply.low, sentence)
                if end > start and (not opens or len(content(reply.low[start:end])) >= _SAYS_ENOUGH):
                    absent = listed and known.absent and VERBS.isdisjoint(line.words)
                    firm = stated or (claiming is Sight.FIRM and _says_something(reply.low[start:end]))
                    yield start, end, absent, firm
            lead = claiming if opens else Sight.NONE
        if line.heading:
            known = _under(line, known, lead=lead, nested=body > 0)


def _says_something(claim: str) -> bool:
    """Whether a claim names anything but the image and the answer chosen."""
    claim = without_asides(claim)
    return len(claim) > _SHORT or bool(content(claim))


def _clues(line: Passage, *, looked: bool) -> Collection[str]:
    """The words of a line without one of which no sentence in it can be a claim."""
    if not SIGHTED.isdisjoint(line.words):
        return SIGHTED.intersection(line.words)
    return CONTINUING.intersection(line.words) if looked else ()


def _under(line: Passage, known: _Reading, *, lead: Sight, nested: bool) -> _Reading:
    """What is known under a heading: whether a list of findings begins, goes on or ends; `lead` if it claims one."""
    said = announced(line.words, looked=known.looked)
    other = not lead and (said is Announced.OTHER or line.option)
    going_on = known.listing and nested
    listing = not other and (lead > Sight.NONE or going_on or said is Announced.FINDINGS)
    absent = listing and DENIES.search(line.text, line.text.rfind(". ") + 1) is not None
    named = not PICTURES.isdisjoint(line.words) or (known.named and not other)
    firm = listing and (lead is Sight.FIRM or (not lead and (named or (going_on and known.firm))))
    return _Reading(known.looked, listing, absent, firm, named)


def _denied(sentence: PlacedSentence, denials: Sequence[_Span]) -> _Span | None:
    """Where in a sentence the response says that the image is missing."""
    start, end = sentence.start, sentence.start + len(sentence.text)
    meeting = ((first, last) for first, last in denials if first < end and start < last)
    return next(((max(first - start, 0), last - start) for first, last in meeting), None)


def _lists(line: Passage) -> bool:
    """Whether an item of a list of findings names one, rather than saying what it means."""
    first = next((word for word in line.words if word.isalpha()), "")
    return (
        first not in INTERPRETING
        and EXPLAINING.isdisjoint(line.words)
        and GENERALLY.isdisjoint(line.words)
        and "rebbe" not in line.text
        and not line.option
    )


def _claims(sentence: str, line: Passage, clues: Collection[str], denied: _Span | None, *, looked: bool) -> Sight:
    """Whether a sentence says that something is seen."""
    chinese = clues is _ANY_CLUE
    if not looked:
        for clue in clues:
            if clue in sentence:
                break
        else:
            return Sight.NONE
    sight = seeing(sentence, looked=looked) or (seeing_in_chinese(sentence) if chinese else Sight.NONE)
    if not sight:
        return sight
    if denied is None:
        return Sight.LOOSE if line.option else sight
    return Sight.NONE if CANNOT_TELL.search(sentence) else seeing(_without(sentence, denied), looked=False)


def _without(sentence: str, denied: _Span) -> str:
    """The sentence without the clause in which it says that the image is missing."""
    start, end = denied
    rest = _CLAUSE_END.search(sentence, end)
    return sentence[:start] + (sentence[rest.start() :] if rest else "")


def _trimmed(low: str, sentence: PlacedSentence) -> tuple[int, int]:
    """The place of a sentence without the signs of markup, the number and the label around it."""
    start, end = sentence.start, sentence.start + len(sentence.text)
    before = _BEFORE.match(low, start, end)
    start = before.end() if before else start
    while start < end and low[start] in _EDGES:
        start += 1
    while end > start and low[end - 1] in _EDGES:
        end -= 1
    return start, end


@lru_cache(maxsize=32768)
def _content_of(question: str) -> frozenset[str]:
    """What a question tells; what it asks is not told."""
    told = ASKED.sub(" ", plain(question))
    return frozenset(content(told) | content(spelt_out(told)))


@lru_cache(maxsize=32768)
def _asked(question: str) -> Asked | None:
    """What a question asks for; None if it tells of a case, of which much can be said without seeing anything."""
    low = plain(question)
    in_chinese = len(_CHINESE.findall(ASKED.sub(" ", low))) if not low.isascii() else 0
    tells = len(_content_of(question)) > _MOST_TOLD or in_chinese > _MOST_TOLD_IN_CHINESE
    return None if tells or not low.strip() else asks(low)


def _told(claim: str, told: frozenset[str]) -> bool:
    """Whether most of what a claim names, or of the label that heads it, stood in the question, or it says so."""
    for hint in TOLD_HINTS:
        if hint in claim:
            if SOMEBODY_TOLD.search(claim):
                return True
            break
    if not told:
        return False
    claim = _ASIDE.sub(" ", claim) if "(" in claim else claim
    named = content(MEANS.split(claim, maxsplit=1)[0]) or content(claim)
    if _mostly(named, told):
        return True
    label, *rest = _LABEL_END.split(claim, maxsplit=1)
    if not rest or "immagin" in rest[0] or "image" in rest[0]:
        return False
    of_label = content(label)
    return len(of_label) > 1 and _mostly(of_label, told) and SIGHTED.isdisjoint(label.replace("'", " ").split())


def _mostly(named: set[str], told: frozenset[str]) -> bool:
    return len(named & told) >= _TOLD * len(named)


class Rationale(NamedTuple):
    """What one response says it sees, in its own words, less what the question had told."""

    claims: tuple[str, ...]
    notices: bool
    hedges: bool
    explains: bool
    """Whether it says more than its answer."""

    @property
    def rule(self) -> str:
        """What kind of response it is, which tells how far the reading can be relied on."""
        if self.claims:
            return "several-claims" if len(self.claims) > 1 else "one-claim"
        if self.notices:
            return "notices"
        return "explains" if self.explains else "answers"


_LETTER_ALONE = regex(r"[\s*(]{0,8}[A-Za-z][\s*).]{0,8}")
"""The commonest response of all, which sees nothing, denies nothing and doubts nothing, whatever the question."""
_SHORT_REPLY = 400
_WORDS, _CHARACTERS = 8, 16
"""A response of so many words, or of so many characters where words are not apart, says more than an answer does."""


def read_rationale(text: str, reasoning: str, item: Item) -> Rationale:
    """The rationale of a response, the thinking that came with it included.

    >>> read_rationale("The image shows a fracture of the left radius. Answer: B", "", Item("1", "What is it?")).claims
    ('The image shows a fracture of the left radius.',)
    """
    if not reasoning and _LETTER_ALONE.fullmatch(text):
        return Rationale((), notices=False, hedges=False, explains=_explains(text, item))
    told = f"{item.context}\n{item.question}"
    said = f"{reasoning}\n\n{text}" if reasoning else text
    reply = passages(said)
    denials = _denials(reply, told)
    claims = tuple(said[start:end] for start, end in _firm_claims(reply, told, denials))
    return Rationale(claims, bool(denials), hedged(reply), _explains(said, item))


def _explains(said: str, item: Item) -> bool:
    if len(said) > _SHORT_REPLY:
        return True
    for option in item.options:
        said = said.replace(option.text, " ")
    words = said.split()
    letters = sum(map(len, words))
    return len(words) >= _WORDS or (not said.isascii() and letters >= _CHARACTERS)
