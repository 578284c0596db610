"""Statements in a diagnosis: conditions that it asserts, denies or only mentions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

from snellen.reading.diagnoses.names import DiagnosisName, Match, named_at
from snellen.reading.language.words.diagnoses import (
    CARRIED,
    OPENERS,
    WordRole,
    cue_at,
    names_nothing,
    normalise_spelling,
    plain,
    written_out,
)
from snellen.runtime import regex

_MOST_WORDS = 8
"""Most words of an unlisted name; a longer text is a description."""

_MOST_REMARKS = 64
_REMARK = regex(r"[(\[]([^()\[\]]*)[)\]]")
_PRIVATE = regex("[\ue000-\ue0ff]")
_SENTENCE_END = regex(r"[\n;|!?]+|\.(?=\s|$)")
_TOKEN = regex("[\u3400-\u9fff\ue000-\ue0ff]|[^\\W_\u3400-\u9fff]+|[,:()\\[\\]]|(?<=\\s)-{1,3}(?=\\s)")


class Assertion(Enum):
    """Stance of a diagnosis on a condition that it names."""

    HELD = auto()
    DENIED = auto()
    ASIDE = auto()
    """Only mentioned: to be ruled out, an alternative, part of the history, or a recommendation."""


class Lead(Enum):
    """Strength of the words that introduce a statement: "consistent with" is firm; "likely" or a colon is loose."""

    NONE = auto()
    LOOSE = auto()
    FIRM = auto()


class DiagnosticStatement(NamedTuple):
    """A known condition or words for an unlisted one, with stance, introduction and sentence number."""

    condition: DiagnosisName | None
    words: tuple[str, ...]
    stance: Assertion
    lead: Lead
    sentence: int


def statements(content: str) -> list[DiagnosticStatement]:
    """Return the statements of a diagnosis in order. Remarks in parentheses come after the statement around them."""
    text, remarks = _without_remarks(written_out(_PRIVATE.sub(" ", plain(content))))
    found: list[DiagnosticStatement] = []
    for number, sentence in enumerate(_SENTENCE_END.split(text)):
        parser = _Parser(number, remarks, settled=any(said.stance is Assertion.HELD for said in found))
        found += parser.read(sentence)
        if parser.closed:
            break
    return found


def _without_remarks(text: str) -> tuple[str, list[str]]:
    """Return the text without remarks in parentheses, and the remarks. A private character marks each place."""
    remarks: list[str] = []

    def keep(remark: re.Match[str]) -> str:
        remarks.append(remark.group(1))
        return chr(0xE000 + len(remarks) - 1)

    for _ in range(3):
        text = _REMARK.sub(keep, text, count=_MOST_REMARKS)
    return text, remarks


class _Parser:
    """Parser of one sentence. It reads word by word and keeps the current stance."""

    def __init__(self, number: int, remarks: list[str], *, settled: bool) -> None:
        self.number = number
        self.remarks = remarks
        self.settled = settled
        self.closed = False
        self.stance = Assertion.HELD
        self.lead = Lead.NONE
        self.parts: list[tuple[list[str], Match | None]] = []
        self.waiting: list[str] = []

    def read(self, sentence: str) -> Iterator[DiagnosticStatement]:
        """Yield all statements of the sentence."""
        tokens, remarks = self.tokens(sentence)
        place = 0
        while place < len(tokens):
            match, (cue, end) = named_at(tokens, place), cue_at(tokens, place)
            if match and match.end >= end:
                self.parts.append((tokens[place : match.end], match))
                end = match.end
            elif cue:
                yield from self.turn(cue, tokens[place:end])
            elif tokens[place] in ",:()[]" or tokens[place].startswith("-"):
                yield from self.pause(tokens[place], tokens[place + 1 : place + 2])
            else:
                self.parts.append((tokens[place:end], None))
            place = end
            while remarks and remarks[0][0] <= place:
                self.waiting.append(remarks.pop(0)[1])
        self.waiting += [remark for _, remark in remarks]
        yield from self.statement()

    def tokens(self, sentence: str) -> tuple[list[str], list[tuple[int, str]]]:
        """Return the words and signs of a sentence, and each remark with its position."""
        tokens: list[str] = []
        remarks: list[tuple[int, str]] = []
        for token in _TOKEN.findall(sentence):
            if _PRIVATE.match(token):
                remarks.append((len(tokens), self.remarks[ord(token) - 0xE000]))
            else:
                tokens.append(normalise_spelling(token))
        return tokens, remarks

    def turn(self, cue: WordRole, said: list[str]) -> Iterator[DiagnosticStatement]:
        """End the statement before a cue word. Set the stance or lead of the words after it."""
        if cue is WordRole.PLAIN:
            self.parts.append((said, None))
            return
        if cue in (WordRole.DENY_BEFORE, WordRole.ASIDE_BEFORE):
            yield from self.turn_back(Assertion.DENIED if cue is WordRole.DENY_BEFORE else Assertion.ASIDE)
            return
        yield from self.statement()
        if cue is WordRole.RETURN:
            self.stance = Assertion.HELD
        elif cue is WordRole.ALTERNATIVE:
            self.set_aside(said)
        elif cue in (WordRole.FIRM, WordRole.LOOSE) and self.lead is not Lead.FIRM:
            self.lead = Lead.FIRM if cue is WordRole.FIRM else Lead.LOOSE
        elif cue in (WordRole.DENY, WordRole.ASIDE) and self.stance is Assertion.HELD:
            self.stance = Assertion.DENIED if cue is WordRole.DENY else Assertion.ASIDE

    def turn_back(self, stance: Assertion) -> Iterator[DiagnosticStatement]:
        """Apply a stance to the words just read. If there are none, apply it to the next ones: "unlikely melanoma"."""
        before, self.stance = self.stance, stance
        if any(not names_nothing(word) for part, _ in self.parts for word in part):
            yield from self.statement()
            self.stance = before

    def set_aside(self, said: list[str]) -> None:
        """Set alternatives aside if a condition is already asserted; otherwise they count."""
        if self.settled:
            self.stance = Assertion.ASIDE
            self.closed = said[0] == "differential"

    def pause(self, sign: str, following: list[str]) -> Iterator[DiagnosticStatement]:
        """End the statement at a comma, colon or dash."""
        if sign == "," and self.parts and all(word in CARRIED for part, _ in self.parts for word in part):
            return
        yield from self.statement()
        anew = sign.startswith("-")
        if anew or (self.stance is Assertion.DENIED and (sign == ":" or OPENERS.intersection(following))):
            self.stance = Assertion.HELD
        if (anew or sign == ":") and self.lead is Lead.NONE:
            self.lead = Lead.LOOSE

    def statement(self) -> Iterator[DiagnosticStatement]:
        """Yield the statement since the last pause, then the statements of remarks on it."""
        parts, self.parts = self.parts, []
        waiting, self.waiting = self.waiting, []
        said = _trim_words([word for part, _ in parts for word in part if not names_nothing(word)])
        matches = [match.condition for _, match in parts if match and not match.alone]
        named = matches[0] if matches else _find_condition(said)
        if named or said or (parts and self.stance is Assertion.DENIED):
            yield DiagnosticStatement(named, said, self.stance, self.lead, self.number)
            self.settled = self.settled or self.stance is Assertion.HELD
            self.lead = Lead.NONE
        for remark in waiting:
            yield from self.read_remark(remark)

    def read_remark(self, remark: str) -> Iterator[DiagnosticStatement]:
        """Yield the statements of a remark, which has the stance of the statement around it."""
        for sentence in _SENTENCE_END.split(remark):
            parser = _Parser(self.number, self.remarks, settled=self.settled)
            parser.stance, parser.lead = self.stance, Lead.LOOSE
            yield from parser.read(sentence)
            if parser.closed:
                return


def _find_condition(said: tuple[str, ...]) -> DiagnosisName | None:
    """Return the condition that the words name. A name that counts only alone must be the whole text."""
    tokens = list(said)
    for place in range(len(tokens)):
        match = named_at(tokens, place)
        if match and (not match.alone or (place, match.end) == (0, len(tokens))):
            return match.condition
    return None


def _trim_words(said: list[str]) -> tuple[str, ...]:
    """Return the words of a name, without "of" at either end. Long names are shortened."""
    while said and said[0] == "of":
        said = said[1:]
    said = said[:_MOST_WORDS]
    while said and said[-1] == "of":
        said = said[:-1]
    return tuple(said)
