"""Parser: one way of reading responses, found by name; and the grade of a response by it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import nan
from pathlib import Path
from typing import Any, Protocol

import orjson

from snellen.errors import PluginError, SnellenError
from snellen.grading.columns import Columns, Run
from snellen.grading.confidence import UNSURE, Counts, confidence
from snellen.grading.language.cleaning import spoken, still_thinking
from snellen.grading.outcomes import Grade, OpenGrade, OpenReading, Outcome, Reading
from snellen.items import Item
from snellen.models.base import CUT_OFF, FILTERED, ZERO_SHOT, Response
from snellen.plugins import find, names

MEMBERS = {
    "lenient": "snellen.grading.detection:LENIENT",
    "strict-first-line": "snellen.grading.choice.strict:FIRST_LINE",
    "double-brackets": "snellen.grading.choice.strict:DOUBLE_BRACKETS",
    "answer-tag": "snellen.grading.choice.strict:ANSWER_TAG",
    "boxed": "snellen.grading.choice.strict:BOXED",
    "detection-as-published": "snellen.grading.detection:AS_PUBLISHED",
    "missing-image": "snellen.grading.missing_image:MISSING_IMAGE",
    "missing-image-embedded": "snellen.grading.missing_image.embedded:EMBEDDED",
    "mismatch": "snellen.grading.mismatch:MISMATCH",
    "premise": "snellen.grading.premise:PREMISE",
    "quality": "snellen.grading.detection:QUALITY",
    "quality-as-published": "snellen.grading.detection:QUALITY_AS_PUBLISHED",
    "claims": "snellen.grading.claims:CLAIMS",
    "wording": "snellen.grading.wording:WORDING",
    "invented": "snellen.grading.invented:INVENTED",
    "match": "snellen.grading.open:MATCH",
    "match-embedded": "snellen.grading.open.embedded:EMBEDDED",
    "report-findings": "snellen.grading.reports:FINDINGS",
}

CHOICE = "choice"
"""The kind of parsers that read which option a response chooses; what they read is a `Reading`."""
WITHOUT_IMAGE = "missing-image"
"""The kind that reads whether a response admits that no image was sent; what they read is a `WithoutImage`."""
OPEN = "open"
"""The kind that compares an answer in words with the item's references; what they read is an `OpenReading`.

It and `REPORT` are the only kinds that look at references: what words are worth cannot be told without them.
"""
MISMATCHED = "mismatch"
"""The kind that reads whether a response says that image and words contradict each other; what is read: `Mismatch`."""
REPORT = "report"
"""The kind that holds a written report against the reference; what they read is a `ReportReading`."""
PREMISED = "premise"
"""The kind that reads what a response does about what the question takes for granted; what is read: `Premised`."""
USUAL = {
    CHOICE: "lenient",
    WITHOUT_IMAGE: "missing-image",
    OPEN: "match",
    MISMATCHED: "mismatch",
    REPORT: "report-findings",
    PREMISED: "premise",
}
"""The parser of a kind that is used where none is named."""


class Readable(Protocol):
    """What a parser is given: a response as it came or as it is stored. `finish` is why it ended, empty if unknown."""

    @property
    def text(self) -> str: ...  # noqa: D102
    @property
    def finish(self) -> str: ...  # noqa: D102
    @property
    def reasoning(self) -> str: ...  # noqa: D102


@dataclass(frozen=True, kw_only=True)
class Parser:
    """One way of reading responses: what it reads, by which rules, whose form that is, and how far it is to be trusted.

    `read` takes any response and its item, whose answer it never looks at, unless it is of the kind `OPEN` or `REPORT`.
    What it gives has a `rule` that stands in `rules`; for a parser of choices it is a `Reading`, for one of open
    answers an `OpenReading`. A parser of a kind that is not in `USUAL` grades nothing: it reads beside the choice and
    gives `columns` to the table.
    """

    name: str
    kind: str = CHOICE
    """What it reads. `snellen qualify` holds parsers of the kinds that it knows against labels."""
    source: str = "Our own"
    """Whose form of answer it takes: "As published in …"."""
    about: str
    """What it takes for an answer, in words that follow `source` and a colon."""
    read: Callable[[Readable, Item], Any]
    rules: Mapping[str, str]
    """Each rule by which it reads, in words."""
    weighs: frozenset[str] = frozenset()
    """The rules that weigh a whole response: one that was cut off has not yet said what they would read."""
    lasts: frozenset[str] = frozenset()
    """The rules of what is said once and for all, whatever would have followed where a response was cut off."""
    strict: bool = False
    """Whether it takes one form and nothing else, so that responses in it were asked for it."""
    marks: tuple[str, ...] = ()
    """Of a strict one: every response in its form holds one of these."""
    columns: Callable[[Mapping[Run, Any], Mapping[Run, Any]], Columns | None] | None = None
    """Columns for the table of what was read in each response under one condition, by item and replicate.

    The second mapping is the same for the question as it was asked, empty where that is the condition itself.
    """
    on_demand: bool = False
    """Whether it reads only the conditions of tests that ask for it (`StressTest.parsers`)."""
    agreement: Path | None = None
    """The file with how far it agrees with labels, where that was measured."""
    counted: Counts = field(default_factory=dict)
    """By rule, how many labelled responses it read right and how many it read; empty where nobody counted."""
    formal: frozenset[str] = frozenset()
    """The rules that find the answer in a place made for it, and are sure without labels."""

    def confidence(self, rule: str) -> float:
        """How likely a reading by a rule is right; NaN where nobody counted, as for a judge's.

        What decides before a parser reads is sure, and so is an answer in a form that has no other use.
        """
        if rule == BY_JUDGE:
            return nan
        if self.strict or rule in self.formal or rule.split(": ")[-1] in _EVERY_RULE:
            return 1.0
        if (other := self._reads_in_its_place(rule)) is not None:
            return other.confidence(rule)
        return confidence(*self.counted.get(rule, (0, 0))) if self.counted else nan

    def _reads_in_its_place(self, rule: str) -> Parser | None:
        """The parser that a rule is of, where open answers are read by another: contradictions and premises are."""
        if self.kind != OPEN or rule in self.rules:
            return None
        others = (parser_named(USUAL[kind]) for kind in (MISMATCHED, PREMISED))
        return next((each for each in others if rule in each.rules), None)

    def unsure(self, rule: str) -> bool:
        """Whether a reading by a rule is too often wrong to be relied on, as far as anybody counted."""
        return self.confidence(rule) < UNSURE

    @property
    def beside(self) -> bool:
        """Whether it reads every response to a question with options, whichever parser reads the choice."""
        return self.kind not in USUAL and self.columns is not None and not self.on_demand

    @property
    def words(self) -> str:
        """Whose form it takes, and what for an answer."""
        return f"{self.source}: {self.about}"

    def rule_words(self, rule: str) -> str:
        """A rule in words; one that it does not declare keeps its name."""
        if (other := self._reads_in_its_place(rule)) is not None:
            return other.rule_words(rule)
        return self.rules.get(rule) or _EVERY_RULE.get(rule, rule)

    def measured(self) -> list[dict[str, Any]]:
        """How far it agrees with labels, a record for each set of labelled responses; nothing where nobody measured."""
        if self.agreement is None or not self.agreement.is_file():
            return []
        found: list[dict[str, Any]] = orjson.loads(self.agreement.read_bytes())
        return found

    def record(self) -> dict[str, Any]:
        """What results.json says of it."""
        return {
            "name": self.name,
            "kind": self.kind,
            "words": self.words,
            "rules": {**_EVERY_RULE, **self.rules},
            "counted": self.counted,
            "agreement": self.measured(),
        }


BY_JUDGE = "by-judge"
JUDGE, PANEL, OTHER_JUDGES = "judge:", "judges", "judges-of-other-providers"
"""The names by which judges' opinions of open answers are told, where a parser would be named: of one, and of all."""
_EVERY_RULE = {
    "unfinished-thinking": "cut off while it was still thinking",
    "content-filter": "held back by the provider's filter",
    "empty": "it says nothing",
    ZERO_SHOT: "by probabilities alone",
    BY_JUDGE: "read by a judge, since the parser was unsure",
}
"""What decides before a parser reads, or in its place."""


@cache
def parser_named(name: str) -> Parser:
    """The parser of that name, ours or a plug-in's; a judge's opinions stand for one of open answers."""
    if name.startswith(JUDGE) or name in (PANEL, OTHER_JUDGES):
        return _judges_opinion(name)
    found = find("parsers", MEMBERS, name)
    failure = f"The parser {name!r} cannot be used"
    if not isinstance(found, Parser):
        raise PluginError(f"{failure}: expected the plug-in to give a Parser, got {type(found).__name__}.")
    if found.name != name:
        raise PluginError(f"{failure}: it is registered as {name!r} and calls itself {found.name!r}. Use one name.")
    return found


def _judges_opinion(name: str) -> Parser:
    """What stands for a judge, or a panel of them, where a parser is named; it reads nothing by itself."""
    about = {
        PANEL: "the mean of all judges, each of which holds the response against the references",
        OTHER_JUDGES: "the mean of the judges of other providers than the model's own, whom they might favour",
    }

    def read(reply: Readable, item: Item) -> Any:
        raise PluginError(f"{name} reads nothing: its opinions are stored by `snellen judge`.")

    return Parser(
        name=name,
        kind=OPEN,
        source="A judge's opinion",
        about=about.get(name, f"{name.removeprefix(JUDGE)} holds the response against the references"),
        read=read,
        rules={BY_JUDGE: "by the opinions of a judge"},
    )


def parser_of(kind: str, name: str) -> Parser:
    """The parser of that name; PluginError where it reads something else."""
    found = parser_named(name)
    if found.kind != kind:
        known = [each.name for each in our_parsers() if each.kind == kind]
        raise PluginError(
            f"Expected a parser of the kind {kind!r}, got {name!r}, which is of the kind {found.kind!r}. "
            f"There are: {', '.join(known)}."
        )
    return found


def parser_names() -> list[str]:
    """Every parser's name, ours first."""
    return names("parsers", MEMBERS)


def our_parsers() -> list[Parser]:
    """The parsers of this package; plug-ins' are loaded only where they are named."""
    return [parser_named(name) for name in MEMBERS]


_SILENT = frozenset((Outcome.ABSTAINED, Outcome.REFUSED, Outcome.FLAGGED_QUALITY))
_AT_ONCE = 200


def grade(text: str, finish: str, item: Item, parser: str = USUAL[CHOICE]) -> Grade:
    """What became of a response, by the parser of that name. `finish` is why the model stopped, empty if unknown.

    A response of which nobody knows how it ended is read as it stands: whether it was cut off cannot be told.

    >>> from snellen.items import Option
    >>> item = Item(id="1", question="?", options=(Option("Yes"), Option("No")), answer=1)
    >>> grade("Answer: B", "stop", item).outcome.value, grade("The image shows", "length", item).outcome.value
    ('correct', 'truncated')
    """
    return graded(Response(text, finish), item, parser_named(parser))[0]


def graded(reply: Readable, item: Item, parser: Parser) -> tuple[Grade, Any]:
    """What became of a response, and what the parser read in it; None where that was settled before it read."""
    reason = reply.finish.lower()
    if parser.kind == WITHOUT_IMAGE:
        said = read_by(parser, reply, item)
        cut = reason in CUT_OFF and said.rule in parser.weighs
        return Grade(Outcome.TRUNCATED if cut else said.outcome, None, said.rule, said.evidence, parser.name), said
    if parser.kind == OPEN:
        return _graded_open(reply, item, parser)
    if parser.kind == MISMATCHED:
        return _graded_mismatch(reply, item, parser)
    if parser.kind == REPORT:
        return _graded_report(reply, item, parser)
    if parser.kind == PREMISED:
        return _graded_premise(reply, item, parser)
    if parser.kind != CHOICE:
        raise ValueError(f"The parser {parser.name!r} is of the kind {parser.kind!r} and grades nothing.")
    if item.kind != "choice":
        raise ValueError(f"Item {item.id!r} is of kind {item.kind!r}; only choices are graded here.")
    if reason == ZERO_SHOT:
        return _by_probabilities(reply.text, item, parser), None
    if (grade := _unread(reply, parser)) is not None:
        return grade, None
    read: Reading = read_by(parser, reply, item)
    if reason in CUT_OFF and _unfinished(read, reply.text, parser):
        return Grade(Outcome.TRUNCATED, None, read.rule, read.evidence, parser.name), read
    return Grade(outcome_of(read, item), read.choice, read.rule, read.evidence, parser.name), read


_OF_OPEN = {
    OpenGrade.CORRECT: Outcome.CORRECT,
    OpenGrade.INCORRECT: Outcome.WRONG,
    OpenGrade.UNCLEAR: Outcome.UNCLEAR,
}


def _graded_open(reply: Readable, item: Item, parser: Parser) -> tuple[Grade, Any]:
    """What became of an answer in words, held against the item's references.

    Where text and image contradict each other, the references say nothing, and the right answer is to say so. A
    question that takes something for granted is graded by what the response does about that.
    """
    if item.kind == "choice":
        raise ValueError(f"Item {item.id!r} is of kind 'choice'; the parser {parser.name!r} grades answers in words.")
    if item.metadata.get("task") == MISMATCHED:
        return _graded_mismatch(reply, item, parser_named(USUAL[MISMATCHED]))
    if item.premise is not None:
        return _graded_premise(reply, item, parser_named(USUAL[PREMISED]))
    if (grade := _unread(reply, parser)) is not None:
        return grade, None
    read: OpenReading = read_by(parser, reply, item)
    if reply.finish.lower() in CUT_OFF and _unfinished(read, reply.text, parser):
        return Grade(Outcome.TRUNCATED, None, read.rule, read.evidence, parser.name), read
    outcome = _OF_OPEN[read.grade] if read.grade is not None else read.silence
    assert outcome is not None
    return Grade(outcome, None, read.rule, read.evidence, parser.name), read


def _graded_mismatch(reply: Readable, item: Item, parser: Parser) -> tuple[Grade, Any]:
    """Right where a contradiction is named that there is; one that was cut off before it named anything is not wrong.

    Where the image is the item's own, who speaks of a contradiction is wrong, and who answers is not.
    """
    if (grade := _unread(reply, parser)) is not None:
        return grade, None
    said = read_by(parser, reply, item)
    cut = reply.finish.lower() in CUT_OFF and said.rule in parser.weighs
    outcome = Outcome.TRUNCATED if cut else said.outcome
    if not is_contradicted(item):
        outcome = {Outcome.CORRECT: Outcome.WRONG, Outcome.WRONG: Outcome.CORRECT}.get(outcome, outcome)
    return Grade(outcome, None, said.rule, said.evidence, parser.name), said


def _graded_report(reply: Readable, item: Item, parser: Parser) -> tuple[Grade, Any]:
    """What became of a report; one that was cut off is not held against the reference, since its rest is not known."""
    if item.kind != "report":
        raise ValueError(f"Item {item.id!r} is of kind {item.kind!r}; the parser {parser.name!r} reads reports.")
    if (grade := _unread(reply, parser)) is not None:
        return grade, None
    read = read_by(parser, reply, item)
    cut = reply.finish.lower() in CUT_OFF and read.outcome in (Outcome.SCORED, Outcome.UNPARSED)
    outcome = Outcome.TRUNCATED if cut else read.outcome
    return Grade(outcome, None, read.rule, read.evidence, parser.name), None if cut else read


def _graded_premise(reply: Readable, item: Item, parser: Parser) -> tuple[Grade, Any]:
    """Right where a false premise is corrected or a true one is not; one cut off before it corrected is not wrong."""
    if (grade := _unread(reply, parser)) is not None:
        return grade, None
    said = read_by(parser, reply, item)
    cut = reply.finish.lower() in CUT_OFF and said.rule in parser.weighs
    holds = item.premise.holds if item.premise else False
    outcome = Outcome.TRUNCATED if cut else said.outcome(holds=holds)
    return Grade(outcome, None, said.rule, said.evidence, parser.name), said


def is_contradicted(item: Item) -> bool:
    """Whether an item's image is another than its words are about, or nobody says what it shows."""
    told = [(item.metadata.get(name), item.metadata.get(f"shown_{name}")) for name in ("body_part", "modality")]
    return not any(shown for _, shown in told) or any((own or "") != (shown or "") for own, shown in told)


def _unread(reply: Readable, parser: Parser) -> Grade | None:
    """What becomes of a response that was held back, was cut off while still thinking, or says nothing."""
    reason = reply.finish.lower()
    if reason in FILTERED:
        return Grade(Outcome.REFUSED, None, "content-filter", reply.text[:120], parser.name)
    if _ended_in_thought(reason, reply.text):
        return Grade(Outcome.TRUNCATED, None, "unfinished-thinking", reply.text[-120:], parser.name)
    if not spoken(reply.text).strip():
        return Grade(Outcome.TRUNCATED if reason in CUT_OFF else Outcome.EMPTY, None, "empty", "", parser.name)
    return None


def _ended_in_thought(reason: str, text: str) -> bool:
    """Whether a response never came to its answer: cut off in its thinking, or in it where nobody says how it ended."""
    return (reason in CUT_OFF or not reason) and still_thinking(text)


def read_by(parser: Parser, reply: Readable, item: Item) -> Any:
    """What a parser reads in a response; PluginError, with the item, where it fails."""
    try:
        return parser.read(reply, item)
    except SnellenError:
        raise
    except Exception as error:
        raise PluginError(
            f"The parser {parser.name!r} failed on a response to item {item.id!r}: {type(error).__name__}: {error}. "
            "A parser reads any text; check it with snellen.testing.check_parser."
        ) from error


def _by_probabilities(text: str, item: Item, parser: Parser) -> Grade:
    """The option that a model without words gives in its first line; it can neither flag nor refuse anything."""
    first = text.strip().partition("\n")[0]
    named = [at for at, option in enumerate(item.options) if first == f"Conclusion: {option.text}"]
    usual = parser_named(USUAL[CHOICE])
    read: Reading = Reading(ZERO_SHOT, choice=named[0]) if named else usual.read(Response(first), item)
    outcome = Outcome.UNPARSED if read.choice is None else outcome_of(read, item)
    return Grade(outcome, read.choice, ZERO_SHOT, first[:120], parser.name)


def _unfinished(read: Reading | OpenReading, text: str, parser: Parser) -> bool:
    """Whether a response that was cut off had not yet come to an answer, or to saying at once that it has none."""
    if read.silence in _SILENT and read.rule not in parser.weighs:
        at_once = read.evidence.lower() in text[:_AT_ONCE].lower().replace("’", "'")
        return not at_once and read.rule not in parser.lasts
    return read.rule in parser.weighs


def outcome_of(read: Reading, item: Item) -> Outcome:
    """What becomes of a response that was read so."""
    if read.choice is None:
        assert read.silence is not None
        return read.silence
    if read.choice == item.answer:
        return Outcome.CORRECT
    return Outcome.ABSTAINED if item.options[read.choice].abstains else Outcome.WRONG
