"""What a diagnosis holds, denies or merely asks: its statements, each with the condition or words that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

from snellen.reading.diagnoses.names import Condition, Match, named_at
from snellen.reading.language.words.diagnoses import (
    CARRIED,
    OPENERS,
    Cue,
    cue_at,
    names_nothing,
    plain,
    spelled,
    written_out,
)
from snellen.runtime import regex

_MOST_WORDS = 8
"""A name that we do not know is at most this long; what is longer is a description."""

_MOST_REMARKS = 64
_REMARK = regex(r"[(\[]([^()\[\]]*)[)\]]")
_PRIVATE = regex("[\ue000-\ue0ff]")
_SENTENCE_END = regex(r"[\n;|!?]+|\.(?=\s|$)")
_TOKEN = regex("[\u3400-\u9fff\ue000-\ue0ff]|[^\\W_\u3400-\u9fff]+|[,:()\\[\\]]|(?<=\\s)-{1,3}(?=\\s)")


class Assertion(Enum):
    """What a diagnosis thinks of what it names."""

    HELD = auto()
    DENIED = auto()
    ASIDE = auto()
    """Neither held nor denied: to be ruled out, an alternative, a history, a recommendation."""


class Lead(Enum):
    """How a statement is led to: "consistent with" firmly, "likely", a colon or a parenthesis loosely."""

    NONE = auto()
    LOOSE = auto()
    FIRM = auto()


class DiagnosticStatement(NamedTuple):
    """A condition that we know or else words that name one, in the sentence of a number."""

    condition: Condition | None
    words: tuple[str, ...]
    stance: Assertion
    lead: Lead
    sentence: int


def statements(content: str) -> list[DiagnosticStatement]:
    """The statements of a diagnosis in their order; remarks in parentheses come after what they stand in."""
    text, remarks = _without_remarks(written_out(_PRIVATE.sub(" ", plain(content))))
    found: list[DiagnosticStatement] = []
    for number, sentence in enumerate(_SENTENCE_END.split(text)):
        parser = _Parser(number, remarks, settled=any(said.stance is Assertion.HELD for said in found))
        found += parser.read(sentence)
        if parser.closed:
            break
    return found


def _without_remarks(text: str) -> tuple[str, list[str]]:
    """The text with a private sign in place of each remark in parentheses, and the remarks."""
    remarks: list[str] = []

    def keep(remark: re.Match[str]) -> str:
        remarks.append(remark.group(1))
        return chr(0xE000 + len(remarks) - 1)

    for _ in range(3):
        text = _REMARK.sub(keep, text, count=_MOST_REMARKS)
    return text, remarks


class _Parser:
    """Reads one sentence word by word, keeping the stance that the words so far have set."""

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
        """All statements of the sentence."""
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
        """The words and signs of a sentence without its remarks, and each remark with the place where it stood."""
        tokens: list[str] = []
        remarks: list[tuple[int, str]] = []
        for token in _TOKEN.findall(sentence):
            if _PRIVATE.match(token):
                remarks.append((len(tokens), self.remarks[ord(token) - 0xE000]))
            else:
                tokens.append(spelled(token))
        return tokens, remarks

    def turn(self, cue: Cue, said: list[str]) -> Iterator[DiagnosticStatement]:
        """What a cue ends, and what it makes of the words that follow."""
        if cue is Cue.PLAIN:
            self.parts.append((said, None))
            return
        if cue in (Cue.DENY_BEFORE, Cue.ASIDE_BEFORE):
            yield from self.turn_back(Assertion.DENIED if cue is Cue.DENY_BEFORE else Assertion.ASIDE)
            return
        yield from self.statement()
        if cue is Cue.RETURN:
            self.stance = Assertion.HELD
        elif cue is Cue.ALTERNATIVE:
            self.set_aside(said)
        elif cue in (Cue.FIRM, Cue.LOOSE) and self.lead is not Lead.FIRM:
            self.lead = Lead.FIRM if cue is Cue.FIRM else Lead.LOOSE
        elif cue in (Cue.DENY, Cue.ASIDE) and self.stance is Assertion.HELD:
            self.stance = Assertion.DENIED if cue is Cue.DENY else Assertion.ASIDE

    def turn_back(self, stance: Assertion) -> Iterator[DiagnosticStatement]:
        """Applies a stance to what was just said, or to what follows where nothing was: "unlikely melanoma"."""
        before, self.stance = self.stance, stance
        if any(not names_nothing(word) for part, _ in self.parts for word in part):
            yield from self.statement()
            self.stance = before

    def set_aside(self, said: list[str]) -> None:
        """Alternatives to what was named are set aside; where nothing was, they are all there is."""
        if self.settled:
            self.stance = Assertion.ASIDE
            self.closed = said[0] == "differential"

    def pause(self, sign: str, following: list[str]) -> Iterator[DiagnosticStatement]:
        """What a comma, a colon or a dash ends."""
        if sign == "," and self.parts and all(word in CARRIED for part, _ in self.parts for word in part):
            return
        yield from self.statement()
        anew = sign.startswith("-")
        if anew or (self.stance is Assertion.DENIED and (sign == ":" or OPENERS.intersection(following))):
            self.stance = Assertion.HELD
        if (anew or sign == ":") and self.lead is Lead.NONE:
            self.lead = Lead.LOOSE

    def statement(self) -> Iterator[DiagnosticStatement]:
        """What was said since the last pause, and what was remarked on it."""
        parts, self.parts = self.parts, []
        waiting, self.waiting = self.waiting, []
        said = _trimmed([word for part, _ in parts for word in part if not names_nothing(word)])
        matches = [match.condition for _, match in parts if match and not match.alone]
        named = matches[0] if matches else _named(said)
        if named or said or (parts and self.stance is Assertion.DENIED):
            yield DiagnosticStatement(named, said, self.stance, self.lead, self.number)
            self.settled = self.settled or self.stance is Assertion.HELD
            self.lead = Lead.NONE
        for remark in waiting:
            yield from self.remarked(remark)

    def remarked(self, remark: str) -> Iterator[DiagnosticStatement]:
        """The statements of a remark, which shares the stance that it stands in."""
        for sentence in _SENTENCE_END.split(remark):
            parser = _Parser(self.number, self.remarks, settled=self.settled)
            parser.stance, parser.lead = self.stance, Lead.LOOSE
            yield from parser.read(sentence)
            if parser.closed:
                return


def _named(said: tuple[str, ...]) -> Condition | None:
    """The condition that words name once those between and around them are gone, which count where they stand alone."""
    tokens = list(said)
    for place in range(len(tokens)):
        match = named_at(tokens, place)
        if match and (not match.alone or (place, match.end) == (0, len(tokens))):
            return match.condition
    return None


def _trimmed(said: list[str]) -> tuple[str, ...]:
    """The words of a name, without "of" at either end."""
    while said and said[0] == "of":
        said = said[1:]
    said = said[:_MOST_WORDS]
    while said and said[-1] == "of":
        said = said[:-1]
    return tuple(said)
