"""Letters of an eye chart: which of them a response names correctly."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from snellen.prompts.letters import LETTERS_QUESTION
from snellen.reading.language.acts.declining import read_silence
from snellen.reading.missing_image import denies_image
from snellen.reading.outcomes import Outcome
from snellen.runtime import regex


class LetterOutcome(StrEnum):
    """Outcome of one letter of a chart."""

    RIGHT = "right"
    WRONG = "wrong"
    """The response names another letter in its place."""
    DECLINED = "declined"
    """The response has a ? in its place, or says that the letter cannot be read."""
    MISSING = "missing"
    """The response has nothing in its place."""


@dataclass(frozen=True)
class LettersRead:
    """Letters of an eye chart, and those that a response names."""

    shown: str
    """Letters of the chart, row after row."""
    named: str
    """Letters that the response names, with ? for those that it says it cannot read."""
    outcomes: tuple[LetterOutcome, ...]
    said_no_image: bool = False
    refused: bool = False
    said: tuple[str, ...] = ()
    """For each letter of the chart, the one named in its place: may be ?, or empty if there is none."""

    @property
    def n(self) -> int:
        """Number of letters shown."""
        return len(self.shown)

    @property
    def right(self) -> int:
        """Number of letters named correctly."""
        return self.count(LetterOutcome.RIGHT)

    def count(self, outcome: LetterOutcome) -> int:
        """Return the number of letters with this outcome."""
        return self.outcomes.count(outcome)


_UNREAD = regex(r"[\[(]\s*(?:\?+|unclear|unreadable|illegible|blank)\s*[\])]|[_□■�]|\[\s*\]|\bn/a\b", re.IGNORECASE)
_LABEL = regex(
    r"^\s*(?:(?:row|line)\s*\d+|(?:letters|text|answer|image)\s*:|\d+\s*[.):]|[-*•>])\s*[:.)\-–]?\s*", re.IGNORECASE
)
_PADDING = regex(r"[\s,.;:|/*`\"'“”·–—-]+")
_IN_WORDS = regex(r"(?<![\w'’-])[A-Z?]+(?![\w'’-])")
_SPELT_IN_WORDS = regex(r"(?<![\w.'’-])[b-hj-z](?:(?:\s*[,;]\s*|\s+)(?:and\s+)?[a-z?](?![\w'’-]))+")
_NO_LETTERS = frozenset(("I", "A", "OCR", "PNG", "JPEG", "JPG", "AI", "US", "ETDRS", "OK", "NO", "NA", "UI", "?"))
_SPOKEN = regex(
    r"\b(?:NONE|NOTHING|BLANK|EMPTY|IMAGE|LETTERS?|TEXT|VISIBLE|CANNOT|UNABLE|UNCLEAR|UNKNOWN|UNREADABLE|ILLEGIBLE|SORRY)\b"
)
"""Words that distinguish a sentence in capital letters from a row of letters."""


def read_letters(reply: str, shown: Sequence[str]) -> LettersRead:
    """Compare the letters that a response names with those shown.

    If both have equal length, they are compared place by place. Otherwise they are aligned, in order, so that most
    agree.

    >>> read_letters("C D ? K", ["CDHK"]).outcomes[2]
    <LetterOutcome.DECLINED: 'declined'>
    """
    wanted = "".join(shown)
    named = letters_named(reply)
    if not named:
        admitted = denies_image(reply, LETTERS_QUESTION)
        silent = read_silence(reply.lower(), LETTERS_QUESTION)
        refused = not admitted and silent is not None and silent[0].silence is Outcome.REFUSED
        outcome = LetterOutcome.MISSING if admitted or refused or not reply.strip() else LetterOutcome.DECLINED
        return LettersRead(wanted, "", (outcome,) * len(wanted), admitted, refused)
    pairs = list(zip(wanted, named, strict=True)) if len(named) == len(wanted) else _align(wanted, named)
    outcomes = tuple(_outcome(letter, said) for letter, said in pairs)
    return LettersRead(wanted, named, outcomes, said=tuple(said for _, said in pairs))


def letters_named(reply: str) -> str:
    """Return the letters that a response names, in order; ? if it says that it cannot read one.

    Lines that contain only letters count. If there are none, single capital letters in sentences count, or else
    sequences of small ones. A row of small letters must not be a word: it has no vowel except o.

    >>> letters_named("Row 1: C D H K N"), letters_named("The letters are C, D, H, K and N.")
    ('CDHKN', 'CDHKN')
    """
    text = "\n".join(map(_strip_label, _UNREAD.sub("?", reply.replace("**", "")).splitlines()))
    if rows := "".join(map(_letters_alone, text.splitlines())):
        return rows
    capitals = "".join(each for each in _IN_WORDS.findall(text) if each not in _NO_LETTERS)
    return capitals or "".join(re.sub(r"\band\b|[\s,;]", "", each) for each in _SPELT_IN_WORDS.findall(text)).upper()


def _strip_label(line: str) -> str:
    """Return a line without its label; a whole sentence in capital letters becomes lower case."""
    rest = _LABEL.sub("", line)
    return rest.lower() if _SPOKEN.search(rest) else rest


def _letters_alone(line: str) -> str:
    """Return the letters of a line that contains nothing else; otherwise an empty text."""
    words = _PADDING.sub(" ", line).split()
    spelt = all(len(word) == 1 for word in words)
    joined = "".join(words)
    is_row = re.fullmatch(r"[A-Za-z?]+" if spelt else r"[A-Z?]+|[b-df-hj-tv-xz?]+", joined) is not None
    if not is_row or (joined if spelt else joined.upper()).strip("?") in _NO_LETTERS - {"?"}:
        return ""
    return joined.upper()


def _outcome(letter: str, said: str) -> LetterOutcome:
    if not said:
        return LetterOutcome.MISSING
    if said == "?":
        return LetterOutcome.DECLINED
    return LetterOutcome.RIGHT if said == letter else LetterOutcome.WRONG


def _align(shown: str, named: str) -> list[tuple[str, str]]:
    """Pair each letter shown with a named one, or with none, so that most agree."""
    gap = -0.5
    score = [[gap * (i + j) for j in range(len(named) + 1)] for i in range(len(shown) + 1)]
    for i, letter in enumerate(shown, 1):
        for j, said in enumerate(named, 1):
            score[i][j] = max(score[i - 1][j - 1] + (letter == said), score[i - 1][j] + gap, score[i][j - 1] + gap)
    pairs: list[tuple[str, str]] = []
    i, j = len(shown), len(named)
    while i:
        if j and score[i][j] == score[i - 1][j - 1] + (shown[i - 1] == named[j - 1]):
            i, j = i - 1, j - 1
            pairs.append((shown[i], named[j]))
        elif j and score[i][j] == score[i][j - 1] + gap:
            j -= 1
        else:
            i -= 1
            pairs.append((shown[i], ""))
    return pairs[::-1]
