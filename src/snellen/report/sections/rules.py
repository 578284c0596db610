"""The rules that decided: how often each did under each condition, with a response as an example."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from snellen.reading.columns import Integers
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import parser_named
from snellen.report.components import Cell, Fold, Row, Table, name_columns, rich, write_row
from snellen.report.evidence.evidence import ArmAddress, Evidence, row_anchor
from snellen.report.evidence.reply_kinds import LABEL_WORDS, codes
from snellen.report.evidence.sampling import first_by_hash
from snellen.report.words.arms import arm_label
from snellen.report.words.glossary import rule_words
from snellen.report.words.numbers import count
from snellen.runtime import counted
from snellen.stress.table import Grades
from snellen.stress.table import Table as Graded

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
    """A rule and what it led to, on one benchmark under one condition."""

    end: str
    rule: str
    benchmark: str
    arm: str


Examples = dict[Decided, tuple[ArmAddress, int]]


def choose_examples(evidence: Evidence) -> Examples:
    """One response that each rule decided, by benchmark, condition and what it led to; the page links to each."""
    places: dict[Decided, dict[ArmAddress, Integers]] = {}
    for address in evidence.anchors:
        grades = evidence.grades(address)
        for (end, rule), those in _by_rule(grades).items():
            places.setdefault(Decided(end, rule, address.benchmark, address.arm), {})[address] = those
    found = {decided: first_by_hash(evidence, those, 1)[0] for decided, those in places.items()}
    evidence.lead_to(found.values())
    return found


def draw_rules(evidence: Evidence, shown: Examples) -> Iterator[Fold]:
    """The rules of each parser on each benchmark, and how many responses each decided.

    Only what the study's own parser decided is among the responses of the page. Judges go by no rules.
    """
    own = evidence.results.study["parser"]
    for parser, tables in evidence.results.readings.items():
        for benchmark in evidence.results.benchmarks:
            read = [table for (_, name), table in tables.items() if name == benchmark and not table.by_judges]
            if read:
                table = _draw_table(evidence, read, shown if parser == own else {})
                on = f" on {benchmark}" if len(evidence.results.benchmarks) > 1 else ""
                yield Fold(f"{counted(len(table.rows) - 1, 'rule')} of “{read[0].parser}”{on}", (table,))


def _draw_table(evidence: Evidence, read: Sequence[Graded], shown: Examples) -> Table:
    """A row for each rule, under what it led to; those that could read nothing come first."""
    parser, benchmark = read[0].parser, read[0].benchmark
    arms = tuple(dict.fromkeys(arm for table in read for arm in table.arms))
    counts: dict[tuple[str, str], Counter[str]] = {}
    for table in read:
        for arm, grades in table.arms.items():
            for key, those in _by_rule(grades).items():
                counts.setdefault(key, Counter())[arm] += len(those)
    ends = list(LABELLED if benchmark in evidence.own_questions else ENDS)
    rows = []
    for end, rule in sorted(counts, key=lambda key: (ends.index(key[0]), -counts[key].total())):
        cells = []
        for arm in arms:
            found = shown.get(Decided(end, rule, benchmark, arm))
            to = "" if found is None else row_anchor(evidence, *found)
            cells.append(Cell(count(counts[end, rule][arm]), to=to))
        head = Cell(rich("{} `{}`", rule_words(parser, rule), rule))
        rows.append(write_row(head, _describe_labelled(parser, rule), *cells, heading=end))
    totals = (Cell(count(sum(len(table.arms[arm]) for table in read if arm in table.arms))) for arm in arms)
    rows.append(Row(Cell("all responses"), (Cell(), *totals), look="total"))
    return Table(name_columns("rule", "right, of those labelled", numbers=map(arm_label, arms)), tuple(rows))


def _describe_labelled(parser: str, rule: str) -> str:
    """How often a rule was right on labelled responses, if that was counted, and whether it is unsure."""
    reads = parser_named(parser)
    right, n = reads.counted.get(rule, (0, 0))
    known = [f"{count(right)} of {count(n)}"] if reads.counted and rule not in reads.formal else []
    return ", ".join([*known, *(["unsure"] if reads.unsure(rule) else [])])


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
