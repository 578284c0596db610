"""Parser of claims: statements of a response that something is seen in the image."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain
from typing import NamedTuple, TypeAlias

from snellen.items import Item
from snellen.reading.language.acts import seeing as sights
from snellen.reading.language.acts.doubting import voices_doubt
from snellen.reading.language.acts.missing import every_missing, may_say_missing
from snellen.reading.language.acts.seeing import Announced, Sight, read_heading, says_absent, seeing, seeing_in_chinese
from snellen.reading.language.acts.stating import QuestionContent, asks, states
from snellen.reading.language.acts.supposing import ASKED, without_asides
from snellen.reading.language.sentences import Passages, PlacedSentence, ResponseLine, passages, plain, sentences
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
"""A few words in brackets that rephrase the words before them."""
_LABEL_END = regex(r"[:(]| [-–—] ")
_APART = "\n\n"
_CHINESE = regex("[\u4e00-\u9fff]")
_ANY_CLUE = ("",)
"""Any text matches, because Chinese does not separate words by spaces."""
_BRIEF = 600
"""In longer responses, only lines that may say that the image is missing are searched."""
_SHORT = 60
_PATIENCE = 2
"""Flat statements count from the first sentence until this many sentences say nothing about the case."""
_MERE = 12
"""A sentence with fewer characters than this is only an answer."""
_MOST_TOLD, _MOST_TOLD_IN_CHINESE = 10, 40
"""Content words or Chinese characters above which a question, besides what it asks, describes a case."""
_SAYS_ENOUGH = 3
"""The sentence before a list is a claim of its own if it has this many content words."""
_TOLD = 0.6
"""A claim comes from the question if the question contains this share of its content words."""


class ParserAgreement(NamedTuple):
    """A parser's precision and recall against labels, with intervals.

    `n` responses were labelled; `words` describes them.
    """

    precision: tuple[float, float, float]
    recall: tuple[float, float, float]
    n: int
    words: str


AGREEMENT = (
    ParserAgreement(
        precision=(0.96, 0.80, 0.99),
        recall=(0.92, 0.75, 0.98),
        n=108,
        words="responses of Claude Sonnet 4.5 and GPT-5-mini to an Italian exam with blank images, not tuned on (other "
        "responses to the same 60 questions were; 18 more that could be read either way left out)",
    ),
    ParserAgreement(
        precision=(0.84, 0.80, 0.87),
        recall=(0.83, 0.80, 0.87),
        n=902,
        words="responses of two small chat models to questions about images that were not sent, kept apart",
    ),
)
"""Agreement with labels, for responses without an image.

The label: does the response make a firm claim that is not in the question?
"""


_Span: TypeAlias = tuple[int, int]


class SeenClaim(NamedTuple):
    """A sentence or bullet that says that something is seen, with its offsets."""

    start: int
    end: int
    absent: bool
    """True if the claim says that something is absent."""
    told: bool
    """True if the question already contains the claim."""
    firm: bool = True
    """True if the claim answers flatly, or names a finding and its observer or image. Others continue a claim."""


def read_claims(text: str, question: str = "") -> tuple[SeenClaim, ...]:
    """Return the statements that something is seen in the image or true of this case.

    Statements about the case are read only with a question that does not itself describe the case.

    >>> reply = "The ECG shows ST elevation. An old infarct would show Q waves."
    >>> [reply[claim.start : claim.end] for claim in read_claims(reply)]
    ['The ECG shows ST elevation.']
    """
    return claims_in(passages(text), question)


def claims_in(reply: Passages, question: str) -> tuple[SeenClaim, ...]:
    """Return the claims of a response that is already split into passages."""
    low, told = reply.low, _content_of(question)
    return tuple(
        SeenClaim(start, end, absent or says_absent(low[start:end]), _is_from_question(low[start:end], told), firm)
        for start, end, absent, firm in _spans(reply, _denials(reply, question), _read_question(question), loose=True)
    )


def firm_claims(reply: Passages, question: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets of firm claims that are not in the question."""
    return _firm_claims(reply, question, _denials(reply, question))


def _firm_claims(reply: Passages, question: str, denials: Sequence[_Span]) -> Iterator[_Span]:
    told = _content_of(question)
    for start, end, _, firm in _spans(reply, denials, _read_question(question), loose=False):
        if firm and not _is_from_question(reply.low[start:end], told):
            yield start, end


def _denials(reply: Passages, question: str) -> list[_Span]:
    """Return the offsets of passages that say that the image is missing."""
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


class _Context(NamedTuple):
    """Context that earlier lines of a response set for the next line."""

    looked: bool = False
    """True if an earlier line says that the image was looked at."""
    listing: bool = False
    """True inside a list of findings. `absent`: a list of missing findings; `firm`: its entries are firm claims."""
    absent: bool = False
    firm: bool = False
    named: bool = False
    """True if the last heading that matters named the image."""


def _spans(
    reply: Passages, denials: Sequence[_Span], asked: QuestionContent | None, *, loose: bool
) -> Iterator[tuple[int, int, bool, bool]]:
    """Yield the claims in order: start, end, whether absent, and whether firm.

    `loose` adds claims that only continue an earlier sentence. Firm claims are the same either way.
    """
    known, patience = _Context(), _PATIENCE if asked else 0
    for line in reply.lines:
        looked = known.looked and (loose or line.heading)
        clues = _clues(line, looked=looked) if not reply.chinese else _ANY_CLUE
        if not (clues or known.listing or line.heading or patience):
            continue
        body, lead = line.body, Sight.NONE
        if known.listing and not body:
            known = _Context(looked=known.looked, named=known.named)
        for number, sentence in enumerate(sentences(line, body=body)):
            opens = line.heading and sentence.start + len(sentence.text) == line.start + len(line.text)
            denied = _find_denial(sentence, denials) if denials else None
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
                start, end = _trim_markup(reply.low, sentence)
                if end > start and (not opens or len(content(reply.low[start:end])) >= _SAYS_ENOUGH):
                    absent = listed and known.absent and sights.VERBS.isdisjoint(line.words)
                    firm = stated or (claiming is Sight.FIRM and _says_something(reply.low[start:end]))
                    yield start, end, absent, firm
            lead = claiming if opens else Sight.NONE
        if line.heading:
            known = _read_heading(line, known, lead=lead, nested=body > 0)


def _says_something(claim: str) -> bool:
    """Return whether a claim names anything but the image and the chosen answer."""
    claim = without_asides(claim)
    return len(claim) > _SHORT or bool(content(claim))


def _clues(line: ResponseLine, *, looked: bool) -> Collection[str]:
    """Return the words that mark a line as a possible claim. Without them, no sentence of the line is a claim."""
    if not sights.SIGHTED.isdisjoint(line.words):
        return sights.SIGHTED.intersection(line.words)
    return sights.CONTINUING.intersection(line.words) if looked else ()


def _read_heading(line: ResponseLine, known: _Context, *, lead: Sight, nested: bool) -> _Context:
    """Return the context below a heading. The heading may begin, continue or end a list of findings."""
    said = read_heading(line.words, looked=known.looked)
    other = not lead and (said is Announced.OTHER or line.option)
    going_on = known.listing and nested
    listing = not other and (lead > Sight.NONE or going_on or said is Announced.FINDINGS)
    absent = listing and sights.DENIES.search(line.text, line.text.rfind(". ") + 1) is not None
    named = not sights.PICTURES.isdisjoint(line.words) or (known.named and not other)
    firm = listing and (lead is Sight.FIRM or (not lead and (named or (going_on and known.firm))))
    return _Context(known.looked, listing, absent, firm, named)


def _find_denial(sentence: PlacedSentence, denials: Sequence[_Span]) -> _Span | None:
    start, end = sentence.start, sentence.start + len(sentence.text)
    meeting = ((first, last) for first, last in denials if first < end and start < last)
    return next(((max(first - start, 0), last - start) for first, last in meeting), None)


def _lists(line: ResponseLine) -> bool:
    """Return whether a list entry names a finding instead of explaining one."""
    first = next((word for word in line.words if word.isalpha()), "")
    return (
        first not in sights.INTERPRETING
        and sights.EXPLAINING.isdisjoint(line.words)
        and sights.GENERALLY.isdisjoint(line.words)
        and "rebbe" not in line.text
        and not line.option
    )


def _claims(sentence: str, line: ResponseLine, clues: Collection[str], denied: _Span | None, *, looked: bool) -> Sight:
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
    return Sight.NONE if sights.CANNOT_TELL.search(sentence) else seeing(_remove_denial(sentence, denied), looked=False)


def _remove_denial(sentence: str, denied: _Span) -> str:
    """Remove the clause in which a sentence says that the image is missing."""
    start, end = denied
    rest = _CLAUSE_END.search(sentence, end)
    return sentence[:start] + (sentence[rest.start() :] if rest else "")


def _trim_markup(low: str, sentence: PlacedSentence) -> tuple[int, int]:
    """Return the offsets of a sentence without markup, number and label."""
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
    """Return the content words of a question, except for what it asks."""
    told = ASKED.sub(" ", plain(question))
    return frozenset(content(told) | content(spelt_out(told)))


@lru_cache(maxsize=32768)
def _read_question(question: str) -> QuestionContent | None:
    """Return the content of a question; None if it is empty or describes a case."""
    low = plain(question)
    in_chinese = len(_CHINESE.findall(ASKED.sub(" ", low))) if not low.isascii() else 0
    tells = len(_content_of(question)) > _MOST_TOLD or in_chinese > _MOST_TOLD_IN_CHINESE
    return None if tells or not low.strip() else asks(low)


def _is_from_question(claim: str, told: frozenset[str]) -> bool:
    """Return whether most of a claim, or of its label, was already in the question."""
    for hint in sights.TOLD_HINTS:
        if hint in claim:
            if sights.SOMEBODY_TOLD.search(claim):
                return True
            break
    if not told:
        return False
    claim = _ASIDE.sub(" ", claim) if "(" in claim else claim
    named = content(sights.MEANS.split(claim, maxsplit=1)[0]) or content(claim)
    if _mostly(named, told):
        return True
    label, *rest = _LABEL_END.split(claim, maxsplit=1)
    if not rest or "immagin" in rest[0] or "image" in rest[0]:
        return False
    of_label = content(label)
    return len(of_label) > 1 and _mostly(of_label, told) and sights.SIGHTED.isdisjoint(label.replace("'", " ").split())


def _mostly(named: set[str], told: frozenset[str]) -> bool:
    return len(named & told) >= _TOLD * len(named)


class Rationale(NamedTuple):
    """Claims of one response, without those from the question, and how it speaks.

    `notices`: it says that the image is missing. `hedges`: it voices doubt.
    """

    claims: tuple[str, ...]
    notices: bool
    hedges: bool
    explains: bool
    """True if the response says more than its answer."""

    @property
    def rule(self) -> str:
        """Kind of response, for which the reliability of the reading is known."""
        if self.claims:
            return "several-claims" if len(self.claims) > 1 else "one-claim"
        if self.notices:
            return "notices"
        return "explains" if self.explains else "answers"


_LETTER_ALONE = regex(r"[\s*(]{0,8}[A-Za-z][\s*).]{0,8}")
"""A letter alone: the most common response, which claims, denies and doubts nothing."""
_SHORT_REPLY = 400
_WORDS, _CHARACTERS = 8, 16
"""Words, or characters in scripts without spaces, from which a response is more than an answer."""


def read_rationale(text: str, reasoning: str, item: Item) -> Rationale:
    """Read the rationale of a response, including the separate reasoning of the model.

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
    return Rationale(claims, bool(denials), voices_doubt(reply), _explains(said, item))


def _explains(said: str, item: Item) -> bool:
    if len(said) > _SHORT_REPLY:
        return True
    for option in item.options:
        said = said.replace(option.text, " ")
    words = said.split()
    letters = sum(map(len, words))
    return len(words) >= _WORDS or (not said.isascii() and letters >= _CHARACTERS)
