"""What a diagnosis holds, denies or merely asks: its statements, each with the condition or words that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

from snellen.grading.diagnoses.names import Condition, Match, named_at
from snellen.grading.diagnoses.words import names_nothing, plain, spelled, words
from snellen.grading.language.patterns import word_set

_SHORTHAND = tuple(
    (re.compile(pattern), full)
    for pattern, full in (
        (r"\bvs\.?(?!\w)", "versus"),
        (r"\br/o\b", "rule out"),
        (r"\bw/o\b", "without"),
        (r"\bw/", "with "),
        (r"\bc/w\b", "consistent with"),
        (r"\bs/p\b", "status post"),
        (r"\bh/o\b", "history of"),
        (r"\bd/t\b", "due to"),
        (r"\be\.g\.?|\bi\.e\.?", "such as"),
        (r"\bd\.?dx\b", "differential"),
        (r"\ba\. ?fib", "a fib"),
        (r"\ba-v\b", "av"),
        (r"\bh\. ?pylori", "helicobacter pylori"),
        (r"\bcan(?:not| not|'t) be (?:\w+ )?(?:excluded|ruled out|determined|confirmed|established)", "notexcluded"),
        (r"\b(?:can(?:not| not|'t)|could not|do(?:es)? not|not) (?:\w+ )?(?:exclude|rule out)\b", "rule out"),
        (r"\bcan(?: not|'t)", "cannot"),
        (r"n't\b", " not"),
        (r"[&+]", " and "),
        (
            r"\d{1,3}[- ]year[- ]old|\d[\d.,]{0,8} ?(?:[x×] ?\d[\d.,]{0,8} ?){0,2}(?:mm|cm|ms|msec|bpm|%|years?|"
            r"yrs?)(?!\w)",
            " ",
        ),
        (r"(?:^|\n)\s{0,8}(?:[-•·]|\(?\d{1,2}[.)]|[a-h][.)])\s", "\n"),
        (r"\s\(?\d{1,2}[.)]\s", "\n"),
    )
)


class Cue(Enum):
    """What words do to the statements around them."""

    DENY = (
        "no|not|without|negative for|absence of|lack of|free of|nor|neither|rather than|instead of|as opposed to|"
        "unlike|excluding|nessun|nessuna|senza|assenza di|sin|ausencia de|sans|pas de|aucun|aucune|kein|keine|"
        "ohne|无|未见|没有"
    )
    DENY_BEFORE = (
        "ruled out|unlikely|excluded|absent|not seen|not identified|not present|not evident|not detected|"
        "not visualized|less likely|not likely|not suspected|除外"
    )
    ASIDE_BEFORE = "notexcluded|not excluded|not ruled out|待排|不能排除"
    ASIDE = (
        "rule out|exclude|cannot|could not|unable to|history of|status post|risk of|risk for|risk factor|"
        "recommend|recommended|recommendation|require|requiring|required|need|needing|needed|follow up|followup|"
        "biopsy to|biopsy for|biopsy is|biopsy recommended|biopsy needed|excision|clinical correlation|correlate|"
        "correlation|such as|if|please|consult|refer|referral|monitor|monitoring|pending|await|awaiting|"
        "confidence|rationale|reasoning|note|explanation|management|treatment|plan|evaluate|evaluation|mimic|"
        "mimicking|warrant|warranting|warranted|should|advise|advised|next step|rule|排除"
    )
    ALTERNATIVE = "versus|differential diagnosis|differential|alternatively"
    RETURN = "but|however|although|though|except for|except|otherwise|apart from|aside from|other than|yet|但"
    FIRM = (
        "consistent with|compatible with|suggestive of|suggest|suggesting|indicative of|indicate|indicating|"
        "keeping with|in keeping with|in line with|concerning for|concern for|suspicious for|suspicious of|"
        "suspicion of|suspicion for|worrisome for|characteristic of|typical of|typical for|classic for|"
        "diagnostic of|diagnostic for|diagnosis is|diagnosis of|diagnosis|impression|conclusion|represent|"
        "representing|reflect|reflecting|reveal|revealing|show|showing|demonstrate|demonstrating|confirm|"
        "confirming|due to|secondary to|caused by|related to|attributable to|in favor of|favor|favoring|point to|"
        "pointing to|compatibile con|compatible con|compatible avec|vereinbar mit|suggestivo di|sugestivo de|"
        "evocateur de|符合|提示|考虑"
    )
    LOOSE = (
        "likely|probable|probably|possible|possibly|presumably|presumed|suspected|suspect|favored|consider|"
        "considered|probabile|sospetto|vermutlich|verdacht auf|可能|疑似"
    )
    BREAK = (
        "with|and|or|plus|including|associated with|accompanied by|involving|affecting|located|in|on|at|by|from|"
        "for|over|along|within|during|which|superimposed on|complicated by|as well as|con|avec|mit|e|y|et|und|伴"
    )
    PLAIN = "in situ"


_CUES = {tuple(words(cue)): kind for kind in Cue for cue in kind.value.split("|")}
_LONGEST_CUE = max(map(len, _CUES))


def written_out(text: str) -> str:
    """A text in plain lower case with its shorthand written out, sizes left out, and a line for each point of a list.

    >>> written_out("dysplastic nevus 5 x 4 mm, r/o melanoma")
    'dysplastic nevus  , rule out melanoma'
    """
    for pattern, full in _SHORTHAND:
        text = pattern.sub(full, text)
    return text


def cue_at(tokens: list[str], place: int) -> tuple[Cue | None, int]:
    """The longest cue that begins at a place and where it ends; without one, the next place."""
    for length in range(_LONGEST_CUE, 0, -1):
        if cue := _CUES.get(tuple(tokens[place : place + length])):
            return cue, place + length
    return None, place + 1


_MOST_WORDS = 8
"""A name that we do not know is at most this long; what is longer is a description."""

_MOST_REMARKS = 64
_REMARK = re.compile(r"[(\[]([^()\[\]]*)[)\]]")
_PRIVATE = re.compile("[\ue000-\ue0ff]")
_SENTENCE_END = re.compile(r"[\n;|!?]+|\.(?=\s|$)")
_TOKEN = re.compile("[\u3400-\u9fff\ue000-\ue0ff]|[^\\W_\u3400-\u9fff]+|[,:()\\[\\]]|(?<=\\s)-{1,3}(?=\\s)")
_CARRIED = word_set("invasive infiltrating complete chronic atypical")
"""What describes a name that follows after a comma: "invasive, moderately differentiated adenocarcinoma"."""

_OPENERS = word_set(
    "mild moderate minimal small slight chronic old stable benign age incidental severe left right bilateral normal "
    "only mildly moderately likely probable possible suspected"
)
"""What begins something new after a comma: "no acute process, mild cardiomegaly"."""


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
        if sign == "," and self.parts and all(word in _CARRIED for part, _ in self.parts for word in part):
            return
        yield from self.statement()
        anew = sign.startswith("-")
        if anew or (self.stance is Assertion.DENIED and (sign == ":" or _OPENERS.intersection(following))):
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
