"""The rules that decided: how often each did, under each arm, with a response as an example."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from snellen.grading.columns import Integers
from snellen.grading.outcomes import Outcome
from snellen.grading.parsers import parser_named
from snellen.report.evidence.evidence import ArmAddress, Evidence, row_anchor
from snellen.report.evidence.reply_kinds import LABEL_WORDS, codes
from snellen.report.evidence.sampling import first_by_hash
from snellen.report.words.glossary import rule_words
from snellen.stress.table import Grades

ENDS = {
    "No answer could be read": (Outcome.UNPARSED,),
    "Cut off before there was an answer": (Outcome.TRUNCATED,),
    "The response is empty": (Outcome.EMPTY,),
    "It declined, or said that it cannot tell": (Outcome.ABSTAINED, Outcome.REFUSED, Outcome.FLAGGED_QUALITY),
    "An answer was read": (Outcome.CORRECT, Outcome.WRONG, Outcome.UNCLEAR, Outcome.SCORED),
}
"""What rules lead to, in the order they are shown."""
LABELLED = {f"It {words}": label for label, words in LABEL_WORDS.items()}
"""The same for questions that came without an image."""

_SHIFT = 1 << 16


class Decided(NamedTuple):
    """A rule and what it led to, on one benchmark under one arm."""

    end: str
    rule: str
    benchmark: str
    arm: str


@dataclass(frozen=True)
class RuleLine:
    """One rule: how many responses it decided under each arm, with the row of one of them.

    `labelled` says how often it was right on labelled responses, empty where nobody counted.
    """

    rule: str
    words: str
    labelled: str
    unsure: bool
    cells: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class RuleTable:
    """All rules of one parser on one benchmark, apart by what they led to."""

    parser: str
    benchmark: str
    arms: tuple[str, ...]
    blocks: tuple[tuple[str, tuple[RuleLine, ...]], ...]
    replies: tuple[int, ...]

    @property
    def rules(self) -> int:
        """How many lines it has."""
        return sum(len(lines) for _, lines in self.blocks)


Examples = dict[Decided, tuple[ArmAddress, int]]


def examples(evidence: Evidence) -> Examples:
    """For every rule, end, benchmark and arm one response that it decided, over all models; the page leads to each."""
    places: dict[Decided, dict[ArmAddress, Integers]] = {}
    for address in evidence.anchors:
        grades = evidence.grades(address)
        for (end, rule), those in _by_rule(grades).items():
            places.setdefault(Decided(end, rule, address.benchmark, address.arm), {})[address] = those
    found = {decided: first_by_hash(evidence, those, 1)[0] for decided, those in places.items()}
    evidence.lead_to(found.values())
    return found


def rule_tables(evidence: Evidence, shown: Examples) -> list[RuleTable]:
    """A table for every parser and benchmark; only what the study's own parser decided is among the rows.

    Judges go by no rules.
    """
    results = evidence.results
    return [
        _table(evidence, parser, benchmark, shown if parser == results.study["parser"] else {})
        for parser, tables in results.readings.items()
        for benchmark in results.benchmarks
        if any(name == benchmark and not table.by_judges for (_, name), table in tables.items())
    ]


def _table(evidence: Evidence, parser: str, benchmark: str, shown: Examples) -> RuleTable:
    read = evidence.results.readings[parser].items()
    tables = [table for (_, name), table in read if name == benchmark and not table.by_judges]
    arms = tuple(dict.fromkeys(arm for table in tables for arm in table.arms))
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for table in tables:
        for arm, grades in table.arms.items():
            for key, those in _by_rule(grades).items():
                by_arm = counts.setdefault(key, {})
                by_arm[arm] = by_arm.get(arm, 0) + len(those)
    blocks = []
    for end in LABELLED if benchmark in evidence.own_questions else ENDS:
        keys = sorted((key for key in counts if key[0] == end), key=lambda key: -sum(counts[key].values()))
        lines = [_line(evidence, key, counts[key], (tables[0].parser, benchmark, arms), shown) for key in keys]
        if lines:
            blocks.append((end, tuple(lines)))
    replies = tuple(sum(len(table.arms[arm]) for table in tables if arm in table.arms) for arm in arms)
    return RuleTable(tables[0].parser, benchmark, arms, tuple(blocks), replies)


def _line(
    evidence: Evidence,
    key: tuple[str, str],
    counts: dict[str, int],
    where: tuple[str, str, tuple[str, ...]],
    shown: Examples,
) -> RuleLine:
    parser, benchmark, arms = where
    cells = []
    for arm in arms:
        found = shown.get(Decided(*key, benchmark, arm))
        cells.append((counts.get(arm, 0), "" if found is None else row_anchor(evidence, *found)))
    rule, reads = key[1], parser_named(parser)
    right, n = reads.counted.get(rule, (0, 0))
    labelled = f"{right} of {n}" if reads.counted and rule not in reads.formal else ""
    return RuleLine(rule, rule_words(parser, rule), labelled, reads.unsure(rule), tuple(cells))


def _ends(grades: Grades) -> tuple[list[str], Integers]:
    """What responses can come to, and what each came to."""
    if grades.admissions is not None:
        return list(LABELLED), codes(grades)
    ends = np.select([grades.is_(*outcomes) for outcomes in ENDS.values()], range(len(ENDS)), default=0)
    return list(ENDS), ends.astype(np.int64)


def _by_rule(grades: Grades) -> dict[tuple[str, str], Integers]:
    """The places of the responses that each rule decided, apart by what it led to."""
    if not len(grades):
        return {}
    names, ends = _ends(grades)
    keys = ends * _SHIFT + grades.rule
    order = np.argsort(keys, kind="stable")
    found, starts = np.unique(keys[order], return_index=True)
    parts = np.split(order, starts[1:])
    return {
        (names[key // _SHIFT], grades.rules[key % _SHIFT]): part.astype(np.int64)
        for key, part in zip(found.tolist(), parts, strict=True)
    }
