"""Parsers: each reads responses by its own rules, and is found by name.

A parser's *kind* says which responses it reads; one parser of each kind is the default.
"""

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
from snellen.reading.columns import ReadingColumns, Run
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
    "missing-image-embedded": "snellen.reading.missing_image:EMBEDDED",
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
"""Kinds that several of our parsers share; a plug-in may add its own kind."""
USUAL = {
    CHOICE: "lenient",
    WITHOUT_IMAGE: "missing-image",
    OPEN: "match",
    MISMATCHED: "mismatch",
    REPORT: "report-findings",
    PREMISED: "premise",
}
"""The default parser of each kind."""


class Readable(Protocol):
    """A response as a parser gets it, fresh or from the store. `finish` is why it ended; empty if unknown."""

    @property
    def text(self) -> str: ...  # noqa: D102
    @property
    def finish(self) -> str: ...  # noqa: D102
    @property
    def reasoning(self) -> str: ...  # noqa: D102


class Question(NamedTuple):
    """Comparison of a parser with labels, for `snellen parser qualify`."""

    labels: tuple[str, ...]
    item_of: Callable[[str, Mapping[str, Any]], Item]
    """Makes the item of a labelled row from the row's place (for errors) and its fields."""
    label_of: Callable[[Any], str]
    """Returns the label of a record."""
    of_filtered: str = ""
    """Label of a response that the provider's filter stopped; empty if the parser reads such responses."""
    coarser: tuple[tuple[str, Callable[[str], str]], ...] = ()
    """Simpler questions that the same labels answer: each with a title and a function from label to answer."""


@dataclass(frozen=True, kw_only=True)
class Parser:
    """A parser: the items that it takes, its rules, and the outcomes of its readings.

    `read` makes a record from a response and its item. The record has the `rule` that read it and the `evidence`, the
    decisive words. It may have a `choice` (the index of an option) and a `silence` (an outcome without an answer).
    `outcome` returns the outcome of a record; a parser without it grades nothing and only adds `columns`. `read` never
    uses the answer key, except in parsers that compare answers with references.

    A parser of a kind in `USUAL` without `outcome`, as in version 0.2.0, uses that of the default parser.
    """

    name: str
    kind: str = CHOICE
    """Kind of response that it reads; several parsers may share a kind."""
    source: str = "Our own"
    """Where its form of answer comes from: "As published in …"."""
    about: str
    """What counts as an answer, in words that follow `source` and a colon."""
    takes: Callable[[Item], bool] = lambda item: True
    """Returns whether it can read the responses to an item."""
    read: Callable[[Readable, Item], Any]
    outcome: Callable[[Any, Item], Outcome] | None = None
    rules: Mapping[str, str]
    """Each of its rules with an explanation."""
    weighs: frozenset[str] = frozenset()
    """Rules that need the complete response. Their readings of a truncated response do not count."""
    lasts: frozenset[str] = frozenset()
    """Rules whose reading is final even if the response was cut off."""
    strict: bool = False
    """True if it reads only one form of answer, for which the prompt must ask."""
    marks: tuple[str, ...] = ()
    """For a strict parser: every response in its form contains one of these texts."""
    columns: Callable[[Mapping[Run, Any], Mapping[Run, Any]], ReadingColumns | None] | None = None
    """Makes further columns for the table from the records of one condition, by item and repeat.

    The second mapping holds the same records for the original condition; it is empty for the original condition itself.
    """
    others: tuple[str, ...] = ()
    """Names of the parsers that grade those items of a benchmark that it does not take."""
    reads_all: bool = False
    """True if it also reads responses that were filtered, cut off while thinking, or empty."""
    on_demand: bool = True
    """No longer used: a parser reads only if a test or `--parser` names it."""
    agreement: Path | None = None
    """File with its agreement with labels; None if never measured."""
    counted: Counts = field(default_factory=dict)
    """For each rule: correct readings and all readings of labelled responses; empty if never counted."""
    formal: frozenset[str] = frozenset()
    """Rules that find the answer in an explicit place, and are reliable without labels."""
    question: Question | None = None
    """How it is compared with labels; None if it cannot be, or if `snellen parser qualify` knows its kind."""

    def confidence(self, rule: str) -> float:
        """Return the probability that a rule's reading is right; NaN if unknown, as for judges.

        It is 1 for strict parsers, formal rules, and outcomes that are decided before a parser reads.
        """
        if rule == BY_JUDGE:
            return nan
        if self.strict or rule in self.formal or rule.split(": ")[-1] in _EVERY_RULE:
            return 1.0
        if (other := self._find_other(rule)) is not None:
            return other.confidence(rule)
        return confidence(*self.counted.get(rule, (0, 0))) if self.counted else nan

    def _find_other(self, rule: str) -> Parser | None:
        """Return the other parser to which a rule belongs. None if there is no such parser."""
        others = () if rule in self.rules else map(parser_named, self.others)
        return next((each for each in others if rule in each.rules), None)

    def unsure(self, rule: str) -> bool:
        """Return whether a rule is known to be wrong too often."""
        return self.confidence(rule) < UNSURE

    @property
    def words(self) -> str:
        """Source of its form of answer, and what counts as an answer."""
        return f"{self.source}: {self.about}"

    def rule_words(self, rule: str) -> str:
        """Return the explanation of a rule; its name if it has none."""
        if (other := self._find_other(rule)) is not None:
            return other.rule_words(rule)
        return self.rules.get(rule) or _EVERY_RULE.get(rule, rule)

    def read_agreement(self) -> list[dict[str, Any]]:
        """Return its agreement with labels, one record per labelled set; empty if never measured."""
        if self.agreement is None or not self.agreement.is_file():
            return []
        found: list[dict[str, Any]] = orjson.loads(self.agreement.read_bytes())
        return found

    def record(self) -> dict[str, Any]:
        """Return its entry in results.json."""
        return {
            "name": self.name,
            "kind": self.kind,
            "words": self.words,
            "rules": {**_EVERY_RULE, **self.rules},
            "counted": self.counted,
            "agreement": self.read_agreement(),
        }


BY_JUDGE = "by-judge"
JUDGE, PANEL, OTHER_JUDGES = "judge:", "judges", "judges-of-other-providers"
"""Names of judges' opinions in place of a parser: the prefix of one judge, all judges, judges of other providers."""
_EVERY_RULE = {
    "unfinished-thinking": "cut off while it was still thinking",
    "content-filter": "held back by the provider's filter",
    "empty": "it says nothing",
    ZERO_SHOT: "by probabilities alone",
    BY_JUDGE: "read by a judge, since the parser was unsure",
}
"""Rules that decide before a parser reads, or in its place."""


@cache
def parser_named(name: str) -> Parser:
    """Return the parser of that name, built-in or from a plug-in. Judges' opinions are a parser of open answers."""
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
    """Return the parser with the defaults of its kind, for parsers written for version 0.2.0."""
    usual = USUAL.get(parser.kind)
    if parser.outcome is not None or usual is None or usual == parser.name:
        return parser
    known = parser_named(usual)
    lasts = parser.lasts if parser.kind in (CHOICE, OPEN) else frozenset(parser.rules) - parser.weighs
    return replace(
        parser, takes=known.takes, outcome=known.outcome, others=known.others, reads_all=known.reads_all, lasts=lasts
    )


def _judges_opinion(name: str) -> Parser:
    """Make the placeholder parser of a judge or a panel of judges; it reads nothing."""
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
    """Return the parser of that name; raise PluginError if it is of another kind."""
    found = parser_named(name)
    if found.kind != kind:
        known = [each.name for each in our_parsers() if each.kind == kind]
        raise PluginError(
            f"Expected a parser of the kind {kind!r}, got {name!r}, which is of the kind {found.kind!r}. "
            f"There are: {', '.join(known)}."
        )
    return found


def parser_names() -> list[str]:
    """Return the names of all parsers, ours first."""
    return names("parsers", MEMBERS)


def our_parsers() -> list[Parser]:
    """Return the parsers of this package. Those of plug-ins are loaded only when named."""
    return [parser_named(name) for name in MEMBERS]


def read_response(parser: Parser, reply: Readable, item: Item) -> Any:
    """Read a response with a parser; raise PluginError, with the item, if the parser fails."""
    try:
        return parser.read(reply, item)
    except SnellenError:
        raise
    except Exception as error:
        raise PluginError(
            f"The parser {parser.name!r} failed on a response to item {item.id!r}: {type(error).__name__}: {error}. "
            "A parser reads any text; check it with snellen.testing.check_parser."
        ) from error
