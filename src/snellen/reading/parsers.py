"""Parser: one way of reading responses, found by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from math import nan
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import orjson

from snellen.errors import PluginError, SnellenError
from snellen.items import CHOICE as CHOICE
from snellen.items import WITHOUT_IMAGE as WITHOUT_IMAGE
from snellen.items import Item
from snellen.models.base import ZERO_SHOT
from snellen.plugins import find, names
from snellen.reading.columns import Columns, Run
from snellen.reading.confidence import UNSURE, Counts, confidence
from snellen.reading.outcomes import Outcome

MEMBERS = {
    "lenient": "snellen.reading.detection:LENIENT",
    "strict-first-line": "snellen.reading.choice.strict:FIRST_LINE",
    "double-brackets": "snellen.reading.choice.strict:DOUBLE_BRACKETS",
    "answer-tag": "snellen.reading.choice.strict:ANSWER_TAG",
    "boxed": "snellen.reading.choice.strict:BOXED",
    "detection-as-published": "snellen.reading.detection:AS_PUBLISHED",
    "missing-image": "snellen.reading.missing_image:MISSING_IMAGE",
    "missing-image-embedded": "snellen.reading.missing_image.embedded:EMBEDDED",
    "mismatch": "snellen.reading.mismatch:MISMATCH",
    "premise": "snellen.reading.premise:PREMISE",
    "quality": "snellen.reading.detection:QUALITY",
    "quality-as-published": "snellen.reading.detection:QUALITY_AS_PUBLISHED",
    "claims": "snellen.reading.claims:CLAIMS",
    "wording": "snellen.reading.wording:WORDING",
    "invented": "snellen.reading.invented:INVENTED",
    "match": "snellen.reading.open:MATCH",
    "match-embedded": "snellen.reading.open.embedded:EMBEDDED",
    "report-findings": "snellen.reading.reports:FINDINGS",
}

OPEN, MISMATCHED, REPORT, PREMISED = "open", "mismatch", "report", "premise"
"""What our parsers read, where several parsers read the same; a plug-in may bring a kind of its own."""
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


class Question(NamedTuple):
    """How `snellen parser qualify` compares a parser with labels: the labels, and what row and record come to."""

    labels: tuple[str, ...]
    item_of: Callable[[str, Mapping[str, Any]], Item]
    """The item of a labelled row, from the place of the row (for errors) and its fields."""
    label_of: Callable[[Any], str]
    """The label that a record amounts to."""
    of_filtered: str = ""
    """The label of a response that the provider's filter stopped, if such a response is not read."""
    coarser: tuple[tuple[str, Callable[[str], str]], ...] = ()
    """Simpler questions that the same labels answer, each with its title and the answer that a label amounts to."""


@dataclass(frozen=True, kw_only=True)
class Parser:
    """One way of reading responses: which items it takes, what it reads by which rules, and what that amounts to.

    `read` makes a record of a response and its item. The record has the `rule` by which it was read and the `evidence`,
    the words that decided. It may have a `choice` (the place of an option) and a `silence` (why there is none).
    `outcome` says what a record amounts to; a parser without one grades nothing and only gives `columns`.
    A parser never looks at the answer key in `read`, unless it compares answers with references.

    A parser of a kind in `USUAL` that has no `outcome`, as in version 0.2.0, takes it from the usual parser.
    """

    name: str
    kind: str = CHOICE
    """What it reads: several parsers may read the same, and one of them is used where none is named."""
    source: str = "Our own"
    """Whose form of answer it takes: "As published in …"."""
    about: str
    """What it takes for an answer, in words that follow `source` and a colon."""
    takes: Callable[[Item], bool] = lambda item: True
    """Whether it can read the responses to an item."""
    read: Callable[[Readable, Item], Any]
    outcome: Callable[[Any, Item], Outcome] | None = None
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
    others: tuple[str, ...] = ()
    """The parsers that grade the items of a benchmark that it does not take, by name."""
    reads_all: bool = False
    """Whether it also reads responses that were held back, cut off while thinking, or empty."""
    on_demand: bool = True
    """No longer used: a parser reads only where a test or `--parser` names it."""
    agreement: Path | None = None
    """The file with how far it agrees with labels, where that was measured."""
    counted: Counts = field(default_factory=dict)
    """By rule, how many labelled responses it read right and how many it read; empty where nobody counted."""
    formal: frozenset[str] = frozenset()
    """The rules that find the answer in a place made for it, and are sure without labels."""
    question: Question | None = None
    """How it is compared with labels; None if it cannot be, or if `snellen parser qualify` knows its kind."""

    def confidence(self, rule: str) -> float:
        """How likely a reading by a rule is right; NaN where nobody counted, as for a judge's.

        What decides before a parser reads is sure, and so is an answer in a form that has no other use.
        """
        if rule == BY_JUDGE:
            return nan
        if self.strict or rule in self.formal or rule.split(": ")[-1] in _EVERY_RULE:
            return 1.0
        if (other := self._find_other(rule)) is not None:
            return other.confidence(rule)
        return confidence(*self.counted.get(rule, (0, 0))) if self.counted else nan

    def _find_other(self, rule: str) -> Parser | None:
        """The parser that a rule is of, where another parser reads some of the items."""
        others = () if rule in self.rules else map(parser_named, self.others)
        return next((each for each in others if rule in each.rules), None)

    def unsure(self, rule: str) -> bool:
        """Whether a reading by a rule is too often wrong to be relied on, as far as anybody counted."""
        return self.confidence(rule) < UNSURE

    @property
    def words(self) -> str:
        """Whose form it takes, and what for an answer."""
        return f"{self.source}: {self.about}"

    def rule_words(self, rule: str) -> str:
        """A rule in words; one that it does not declare keeps its name."""
        if (other := self._find_other(rule)) is not None:
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
    return complete_parser(found)


def complete_parser(parser: Parser) -> Parser:
    """The parser with what version 0.2.0 knew from its kind: which items it takes, and what its records amount to."""
    usual = USUAL.get(parser.kind)
    if parser.outcome is not None or usual is None or usual == parser.name:
        return parser
    known = parser_named(usual)
    lasts = parser.lasts if parser.kind in (CHOICE, OPEN) else frozenset(parser.rules) - parser.weighs
    return replace(
        parser, takes=known.takes, outcome=known.outcome, others=known.others, reads_all=known.reads_all, lasts=lasts
    )


def _judges_opinion(name: str) -> Parser:
    """What stands for a judge, or a panel of them, where a parser is named; it reads nothing by itself."""
    about = {
        PANEL: "the mean of all judges, each of which holds the response against the references",
        OTHER_JUDGES: "the mean of the judges of other providers than the model's own, whom they might favour",
    }

    def read(reply: Readable, item: Item) -> Any:
        raise PluginError(f"{name} reads nothing: its opinions are stored by `snellen judge`.")

    return complete_parser(
        Parser(
            name=name,
            kind=OPEN,
            source="A judge's opinion",
            about=about.get(name, f"{name.removeprefix(JUDGE)} holds the response against the references"),
            read=read,
            rules={BY_JUDGE: "by the opinions of a judge"},
        )
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


def read_response(parser: Parser, reply: Readable, item: Item) -> Any:
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
