"""Parser of diagnoses: the condition in a response's tag, and whether it is a pathology and urgent.

It was made for responses about an image that was never sent. There "no diagnosis found" is the right outcome, and it
differs from a normal study. Decisions that could be made otherwise:

- The first diagnosis counts. But a sign gives way to the disease that it suggests ("consolidation consistent with
  pneumonia"), a wider name to a narrower one ("myocardial infarction (STEMI)"), and "normal" to any finding ("normal
  sinus rhythm with LBBB").
- A denied condition is not a diagnosis: "no evidence of malignancy" alone is a normal study.
- A condition is not a diagnosis if it is to be ruled out, cannot be excluded, belongs to the history, or follows
  "versus" or "differential". If nothing else is named, there is no diagnosis.
- A text that begins by saying that there is no diagnosis, or says that there was no image, has none.
- Acuteness, side, place, size, grade and stage do not make another disease; old and chronic do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from itertools import chain, pairwise
from typing import NamedTuple

from snellen.reading.diagnoses.names import DiagnosisName, Match, list_composed, load_conditions, named_at
from snellen.reading.language.acts.declining import before_silence, is_silent
from snellen.reading.language.acts.missing import says_missing
from snellen.reading.language.cleaning import clean_text, strip_thinking
from snellen.reading.language.words.diagnoses import (
    CARRIED,
    HARMLESS_WORDS,
    OPENERS,
    URGENT_ENDINGS,
    URGENT_WORDS,
    WAITING_WORDS,
    WordRole,
    cue_at,
    join_tokens,
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


_LONGEST = 4_000
"""Only this many characters of a diagnosis are read."""

_TAG = regex(
    r"(?:\\?[<\[{⟨〈＜【]|&(?:amp;){0,2}(?:lt|lang|#0?60|#x0?3c);|\\u003c|\$?\\langle\$?)"
    r"[\s*_`]{0,4}(?P<close>[/\\]?)[\s*_`]{0,4}(?:(?:final|primary|main|your)[\s_-])?"
    r"(?:diagnos[ie]s|diagnosi|diagn[oó]stico|diagnostic|diagnose|诊断)"
    r"(?:\s{1,2}\w{1,20}\s?=\s?[\"'][^\"'<>\n]{0,60}[\"']){0,2}[\s*_`]{0,4}(?P<empty>/?)\s{0,2}"
    r"(?:\\?[>\]}⟩〉＞】]|&(?:amp;){0,2}(?:gt|rang|#0?62|#x0?3e);|\\u003e|\$?\\rangle\$?)",
    re.IGNORECASE,
)
_ABOUT_TAGS = regex(
    r"\W{0,9}(?:tags?|and|o[rf]|\.{3}|…|here|(?:insert|your|the|put|enter|final)? ?diagnosis(?: here)?)\b\W{0,9}"
)


def read_tag(text: str) -> str | None:
    r"""Return the content of a response's last complete diagnosis tag, without markup. Empty tags are skipped.

    Thinking does not count. Without a complete tag, the rest of the line after the last open tag counts.

    >>> read_tag("<diagnosis>Nevus</diagnosis> or rather &lt;Diagnosis&gt; **Melanoma** &lt;/Diagnosis&gt;")
    'Melanoma'
    >>> read_tag("It is put in <diagnosis> tags.") is None
    True
    """
    said = strip_thinking(text)
    tags = [tag for tag in _TAG.finditer(said) if not tag["empty"]]
    return next(
        (content for raw in chain(_iter_closed_tags(said, tags), _open(said, tags)) if (content := _content(raw))), None
    )


def _iter_closed_tags(said: str, tags: list[re.Match[str]]) -> Iterator[str]:
    """Yield the content of each closed tag, last one first."""
    for opening, closing in reversed(list(pairwise(tags))):
        if closing["close"] and not opening["close"]:
            yield said[opening.end() : min(closing.start(), opening.end() + _LONGEST)]


def _open(said: str, tags: list[re.Match[str]]) -> Iterator[str]:
    """Yield the text after each unclosed tag, last one first. It ends at the next tag or line end."""
    end = len(said)
    for tag in reversed(tags):
        if not tag["close"]:
            yield said[tag.end() : min(end, tag.end() + _LONGEST)].lstrip().partition("\n")[0]
        end = tag.start()


def _content(raw: str) -> str:
    """Return a tag's content without markup. Empty if it is a placeholder or only mentions the tags."""
    if not raw.strip():
        return ""
    content = clean_text(raw).strip()
    return "" if _ABOUT_TAGS.fullmatch(content.lower()) or not re.search(r"\w", content) else content


class Diagnosis(NamedTuple):
    """A condition by its usual name in lower case. An unlisted one keeps the response's own words."""

    name: str
    pathology: bool
    urgent: bool
    listed: bool


def read_diagnosis(text: str) -> Diagnosis | None:
    """Read the diagnosis in a response's last tag. None if the tag is missing, empty or says that there is none.

    >>> read_diagnosis("<diagnosis>Acute Inferior Wall STEMI, likely RCA occlusion</diagnosis>")
    Diagnosis(name='st-elevation myocardial infarction', pathology=True, urgent=True, listed=True)
    >>> read_diagnosis("<diagnosis>No acute cardiopulmonary abnormality.</diagnosis>").name
    'normal'
    >>> read_diagnosis("<diagnosis>Unable to diagnose: no image was provided</diagnosis>") is None
    True
    """
    content = read_tag(text)
    if content is None or _declines(content):
        return None
    said = statements(content)
    held = [statement for statement in said if statement.stance is Assertion.HELD]
    if not held:
        return _make_listed(load_conditions()["normal"]) if any(s.stance is Assertion.DENIED for s in said) else None
    main = _main(held)
    if main.condition:
        return _make_listed(_narrowest(main.condition, held))
    name = join_tokens(main.words)
    return None if not name or is_silent(content) or is_silent(name) else _make_unlisted(name, main.words)


def _declines(content: str) -> bool:
    """Return whether a diagnosis begins with "none", or says anywhere that there was no image."""
    before = before_silence(content)
    if before is not None and not any(said.condition for said in statements(before) if said.stance is Assertion.HELD):
        return True
    return says_missing(content) is not None


def _main(held: list[DiagnosticStatement]) -> DiagnosticStatement:
    """Return the first statement, or the one to which it gives way."""
    first, rest = held[0], held[1:]
    if _is_blank(first):
        for place, later in enumerate(rest):
            if later.condition and not later.condition.blank:
                return _main(rest[place:])
    if first.condition and not (first.condition.blank or first.condition.sign):
        return first
    led = [later for later in rest if _leads(first, later)]
    diseases = [later for later in led if later.condition and not later.condition.sign]
    named = [later for later in led if later.condition]
    worded = [] if first.condition else [later for later in led if later.words]
    return next(chain(diseases, named, worded), first)


def _is_blank(statement: DiagnosticStatement) -> bool:
    """Return whether a statement gives way to any other named condition: "normal", "benign breast tissue"."""
    named = statement.condition
    return named.blank if named else not HARMLESS_WORDS.isdisjoint(statement.words)


def _leads(first: DiagnosticStatement, later: DiagnosticStatement) -> bool:
    """Return whether the response says that the first statement suggests the later one."""
    return later.lead is Lead.FIRM or (later.lead is Lead.LOOSE and later.sentence == first.sentence)


def _narrowest(found: DiagnosisName, held: list[DiagnosticStatement]) -> DiagnosisName:
    """Return the most precise kind of the condition found, including combinations with another condition."""
    named = [statement.condition for statement in held if statement.condition]
    names = {other.name for other in named}
    for other in (*named, *(whole for whole in list_composed() if whole.both <= names)):
        if found.name in other.of:
            found = other
    return found


def _make_listed(found: DiagnosisName) -> Diagnosis:
    return Diagnosis(found.name, found.pathology, found.urgent, listed=True)


def _make_unlisted(name: str, words: tuple[str, ...]) -> Diagnosis:
    """Make a condition that the table does not list; its words decide the flags."""
    grave = any(word in URGENT_WORDS or word.endswith(URGENT_ENDINGS) for word in words)
    harmless = not HARMLESS_WORDS.isdisjoint(words)
    urgent = grave and not harmless and WAITING_WORDS.isdisjoint(words)
    return Diagnosis(name, not harmless, urgent, listed=False)
