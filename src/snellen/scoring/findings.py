"""Results of one test of one model on one benchmark.

A *finding* is such a result: measures and a verdict. A *mark* is one of the three verdicts that every model gets:
follows, honest and steady.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from snellen.conditions import ORIGINAL
from snellen.conditions.pool import ADD_COLUMNS
from snellen.prompts import Arm
from snellen.runtime import counted
from snellen.scoring.every_look import NOT_BEFORE_THE_END, asked_in_full, at_every_look, holds_at_every_look
from snellen.sight.delivery import Arrival, Delivery
from snellen.stats import holm
from snellen.stress import MEMBERS, stress_test
from snellen.stress.base import Measure, Spanning, Status, StressTest, Verdict
from snellen.stress.conclusions import SIGNIFICANT, percent
from snellen.stress.reasoning_tokens import token_measures, with_tokens
from snellen.stress.table import Table
from snellen.stress.verdicts.marks import decide_marks, list_measures, make_verdict

MISSING_ALLOWED = 0.05
"""Largest share of missing responses at which a verdict is still decided."""
MANY = 0.05
"""Share of unsure readings above which the terminal names them."""
GROUPINGS = ("category", "language")


class Unsure(NamedTuple):
    """Number of unsure readings behind a verdict, and the verdict without them."""

    readings: int
    of: int
    without: Status

    def describe(self, status: Status) -> str:
        """Describe the unsure readings in words; `status` is the verdict with all readings.

        >>> Unsure(12, 240, Status.INCONCLUSIVE).describe(Status.PASS)
        '12 of the 240 readings (5%) are unsure. Without them: not decided'
        >>> Unsure(12, 240, Status.PASS).describe(Status.WITHHELD)
        '12 of the 240 readings (5%) are unsure'
        """
        if self.readings == self.of:
            return f"All {self.of:,} readings are unsure"
        are = "is" if self.readings == 1 else "are"
        some = f"{self.readings:,} of the {self.of:,} readings ({percent(self.readings / self.of)}) {are} unsure"
        if status is Status.WITHHELD:
            return some
        return f"{some}. Without them: {'the same' if self.without is status else self.without.words}"


@dataclass(frozen=True)
class Finding:
    """Measures and verdict of one test of one model on one benchmark."""

    model: str
    benchmark: str
    test: StressTest
    measures: tuple[Measure, ...]
    verdict: Verdict
    parser: str = "lenient"
    group: str = ""
    unsure: Unsure | None = None
    """None if there is no verdict, no unsure reading, or the number of unsure readings is unknown."""

    @property
    def caution(self) -> str:
        """Sentence on the unsure readings behind the verdict; "" if there are none."""
        return self.unsure.describe(self.verdict.status) if self.unsure else ""

    @property
    def is_own(self) -> bool:
        """True if the test belongs to a plug-in or the study, not to Snellen."""
        return self.test.name.partition(":")[0] not in MEMBERS

    @property
    def doubt(self) -> str:
        """Words at a verdict that changes without unsure readings; else ""."""
        if self.unsure is None or self.verdict.status in (Status.WITHHELD, self.unsure.without):
            return ""
        return f"rests on unsure readings: without them {self.unsure.without.words}"

    @property
    def rests_on_unsure(self) -> bool:
        """True if over 5% of the readings are unsure, or the verdict changes without them."""
        if self.unsure is None or self.verdict.status is Status.WITHHELD:
            return False
        return bool(self.doubt) or self.unsure.readings > MANY * self.unsure.of

    def is_of(self, model: str, benchmark: str) -> bool:
        """Return True if the finding belongs to that model and benchmark."""
        return (self.model, self.benchmark) == (model, benchmark)

    def measure(self, arm: str, name: str) -> Measure | None:
        """Return the measure with that condition and name, preferably of all items.

        None if there is none.
        """
        found = [each for each in self.measures if each.arm == arm and each.name == name]
        return min(found, key=lambda each: each.subset != "", default=None)

    def line(self) -> tuple[str, str, str]:
        """Return the test's question, its verdict, and the numbers or the meaning of the verdict.

        A pass or fail has its numbers, if any; any other verdict its meaning.
        """
        verdict = self.verdict
        decided = verdict.status in (Status.PASS, Status.FAIL) and verdict.numbers
        said = verdict.numbers if decided else verdict.sentence.removesuffix(".")
        status = verdict.status.words if verdict.status is Status.REPORTED else verdict.status.words.upper()
        return self.test.label or self.test.name, status, said


MARKS = tuple(map(stress_test, ("follows", "honest", "steady")))
"""The tests behind the three marks that every model gets."""


def mark_model(table: Table, tests: Sequence[StressTest] = MARKS, *, looks: int = 1) -> list[Finding]:
    """Decide the three marks of a model together, by their own rules."""
    made = {mark.name: mark for mark in decide_marks(table, looks)}
    measures = {name: list_measures(mark, table) for name, mark in made.items()}
    return [
        Finding(
            table.model,
            table.benchmark,
            test,
            tuple(measures[test.name].values()),
            make_verdict(made[test.name], measures[test.name]),
            table.parser,
        )
        for test in tests
    ]


def findings(tests: Sequence[StressTest], table: Table) -> list[Finding]:
    """Measure all tests on a table and decide their verdicts, also without unsure readings."""
    marked = mark_model(table, marks) if (marks := [test for test in tests if test.marks]) else []
    return [*marked, *_findings_beside([test for test in tests if not test.marks], table)]


def _findings_beside(tests: Sequence[StressTest], table: Table) -> list[Finding]:
    found = _decide_verdicts(tests, table)
    parsers = dict.fromkeys(each.verdict.rests_on.parser for each in found if each.verdict.rests_on is not None)
    for parser in filter(None, parsers):
        sure = table.sure(parser)
        if sure is not table:
            again = _decide_verdicts(tests, sure)
            found = [_add_unsure(each, table, parser, other.verdict) for each, other in zip(found, again, strict=True)]
    return found


def _add_unsure(finding: Finding, table: Table, parser: str, without: Verdict) -> Finding:
    """Add the number of unsure readings of `parser` if the verdict rests on that parser."""
    decides, status = finding.verdict.rests_on, finding.verdict.status
    table = finding.test.restrict_table(table)
    if decides is None or decides.parser != parser or status is Status.REPORTED:
        return finding
    if (concerns := finding.test.concerns) is not None:
        table = table.select_items(np.array([concerns(item) for item in table.items], dtype=bool))
    arms = [arm.name for arm in finding.test.all_arms if arm.name in table.arms]
    unsure = sum(int(table.unsure(arm, parser).sum()) for arm in arms)
    of = sum(len(table.arms[arm]) for arm in arms)
    return replace(finding, unsure=Unsure(unsure, of, without.status)) if unsure else finding


def _decide_verdicts(tests: Sequence[StressTest], table: Table) -> list[Finding]:
    """Measure all tests, correct their headline p-values together (Holm) and decide the verdicts."""
    if table.looked is not None:
        return _decide_verdicts_at_any_time(tests, table)
    measured = [(test, _measure_test(test, table)) for test in tests]
    headlines = [
        (m, i)
        for m, (test, measures) in enumerate(measured)
        for i, measure in enumerate(measures)
        if measure.name == test.headline and measure.estimate.p is not None
    ]
    if headlines:
        adjusted = holm([measured[m][1][i].estimate.p or 0.0 for m, i in headlines])
        for (m, i), p in zip(headlines, adjusted, strict=True):
            measured[m][1][i] = replace(measured[m][1][i], p_adjusted=float(p))
    made = [
        Finding(table.model, table.benchmark, test, tuple(measures), _verdict(test, table, measures), table.parser)
        for test, measures in measured
    ]
    return _correct_together(made)


def _correct_together(found: Sequence[Finding], *, at_any_time: bool = False) -> list[Finding]:
    """Change passes and fails that do not hold after Holm's correction to not decided.

    The correction is over all tests of one model. With `at_any_time` it is Bonferroni's, so that a later verdict cannot
    change a settled one.
    """
    family = [
        each
        for each in found
        if each.verdict.p is not None
        or (each.verdict.status is Status.INCONCLUSIVE and (at_any_time or each.verdict.rests_on is not None))
    ]
    ps = [1.0 if each.verdict.p is None else each.verdict.p for each in family]
    adjusted = [min(1.0, len(ps) * p) for p in ps] if at_any_time else holm(ps) if ps else ()
    by_test = dict(zip((each.test.name for each in family), map(float, adjusted), strict=True))
    upheld = []
    for each in found:
        verdict = each.verdict
        if verdict.p is not None and verdict.status in _UNSETTLED and by_test.get(each.test.name, 0.0) > SIGNIFICANT:
            tests = counted(len(family), "test")
            why = f"not decided after correction for {tests}: alone, it would {verdict.status.value}"
            verdict = replace(verdict, status=Status.INCONCLUSIVE, meaning=why, reason="after-correction")
        upheld.append(replace(each, verdict=verdict))
    return upheld


def _decide_verdicts_at_any_time(tests: Sequence[StressTest], table: Table) -> list[Finding]:
    """Decide verdicts with intervals and p-values that are valid at every look.

    The p-values are multiplied by their number (Bonferroni). With Holm's correction, later results of other tests could
    change a settled verdict.
    """
    plain = [(test, _measure_test(test, table)) for test in tests]
    heading = [
        (test, [each for each in measures if each.name == test.headline and each.estimate.p is not None])
        for test, measures in plain
    ]
    family = sum(max(len(test.compared), len(each)) for test, each in heading if each)
    made = []
    for test, measures in plain:
        holding = [
            replace(each, p_adjusted=min(1.0, each.estimate.p * family))
            if each.name == test.headline and each.estimate.p is not None
            else each
            for each in (at_every_look(each, test.restrict_table(table).largest) for each in measures)
        ]
        verdict = _conclude(test, measures)
        if verdict.rests_on is None or holds_at_every_look(verdict.rests_on):
            verdict = _verdict(test, table, holding)
        elif asked_in_full(test, table):  # asking cannot have stopped early, so the usual intervals are valid
            holding, verdict = measures, _verdict(test, table, measures)
        else:
            status = _UNSETTLED.get(verdict.status, verdict.status)
            verdict = Verdict(status, meaning=NOT_BEFORE_THE_END, reason="at-any-time", values=verdict.values)
        made.append(Finding(table.model, table.benchmark, test, tuple(holding), verdict, table.parser))
    return _correct_together(made, at_any_time=True)


_UNSETTLED = dict.fromkeys((Status.PASS, Status.FAIL), Status.INCONCLUSIVE)


def _measure_test(test: StressTest, table: Table) -> list[Measure]:
    part = test.restrict_table(table).asked_under([arm.name for arm in test.all_arms])
    found = [*test.measure(part), *token_measures(test, part)]
    return [measure.read_in(table) for measure in found]


ALL_BENCHMARKS, ALL_MODELS = "all benchmarks", "all models"


def findings_over_all(tests: Sequence[StressTest], tables: Sequence[Table]) -> Iterator[Finding]:
    """Yield the results of one model over several benchmarks, for the tests that have them."""
    for test in tests:
        if test.spanning is not None and len(tables) > 1 and (measures := _spanning(test.spanning, test, tables)):
            verdict = test.conclude({(each.arm, each.name): each for each in measures})
            yield Finding(tables[0].model, ALL_BENCHMARKS, test, measures, verdict, tables[0].parser)


def findings_over_models(tests: Sequence[StressTest], tables: Sequence[Table]) -> Iterator[Finding]:
    """Yield the results of one benchmark over several models, for the tests that have them."""
    for test in tests:
        if test.over_models is not None and len(tables) > 1 and (measures := _spanning(test.over_models, test, tables)):
            verdict = test.conclude(_of_all_items(measures))
            yield Finding(ALL_MODELS, tables[0].benchmark, test, measures, verdict, tables[0].parser)


def _spanning(measuring: Spanning, test: StressTest, tables: Sequence[Table]) -> tuple[Measure, ...]:
    seen = [test.restrict_table(table) for table in tables]
    return tuple(measure.read_in(tables[0]) for measure in measuring(test, seen))


def _verdict(test: StressTest, table: Table, measures: Sequence[Measure]) -> Verdict:
    """Decide a verdict. Not decided if too many responses are missing, since they may be the hard ones."""
    verdict = _conclude(test, measures)
    seen = test.restrict_table(table)
    gap = incomplete(seen, [arm.name for arm in test.all_arms])
    baseline = seen.arms.get(test.baseline.name)
    asked = baseline is not None and (len(baseline) or baseline.wanted)
    elsewhere = not asked and any(map(len, seen.arms.values()))
    if elsewhere and verdict.rests_on is None and verdict.status in (Status.INCONCLUSIVE, Status.REPORTED):
        gap = f"nothing was asked {arm_in_words(test.baseline)}"
    if gap:
        status = Status.REPORTED if verdict.status is Status.REPORTED else Status.INCONCLUSIVE
        verdict = replace(verdict, status=status, meaning=gap, reason="incomplete", p=None)
    if lacking := describe_missing_columns(table, [arm.name for arm in test.all_arms]):
        numbers = f"{verdict.numbers}; {lacking}" if verdict.numbers else ""
        meaning = verdict.meaning if numbers else f"{verdict.meaning}; {lacking}"
        return replace(verdict, numbers=numbers, meaning=meaning)
    return verdict


def arm_in_words(arm: Arm) -> str:
    """Describe a condition for a sentence without a comparison."""
    return "with the original image" if arm.name == ORIGINAL.name else arm.in_words


def _conclude(test: StressTest, found: Sequence[Measure]) -> Verdict:
    measures = _of_all_items(found)
    return with_tokens(test.conclude(measures), test, measures)


def _of_all_items(measures: Sequence[Measure]) -> dict[tuple[str, str], Measure]:
    """Index the measures by condition and name, preferring measures of all items."""
    whole_last = sorted(measures, key=lambda measure: measure.subset == "")
    return {(measure.arm, measure.name): measure for measure in whole_last}


def describe_missing_columns(table: Table, arms: Iterable[str]) -> str:
    """Describe the questions that lack columns on related questions, and name these columns. "" if none."""
    related = unrelated = 0
    columns: dict[str, None] = {}
    for grades in (table.arms[arm] for arm in arms if arm in table.arms):
        asked = ((reason.rpartition(ADD_COLUMNS), count) for reason, count in grades.inapplicable.items())
        lacking = {names: count for (_, sign, names), count in asked if sign}
        related, unrelated = max(related, sum(grades.by_text.values())), max(unrelated, sum(lacking.values()))
        columns |= dict.fromkeys(name for names in (*grades.by_text, *lacking) for name in names.split(" and "))
    if not columns:
        return ""
    told = [f"{counted(related, 'question')} related to others by text and images"] if related else []
    told += [f"{counted(unrelated, 'question')} for which no related questions were found"] if unrelated else []
    return f"{', '.join(told)}: add the column{'s' * (len(columns) > 1)} {', '.join(map('`{}`'.format, columns))}"


def incomplete(table: Table, arms: Iterable[str]) -> str:
    """Describe the condition that lacks most of its responses; "" if few are missing."""
    gaps = [(arm, table.arms[arm]) for arm in arms if arm in table.arms]
    if not gaps:
        return ""
    arm, grades = max(gaps, key=lambda gap: len(gap[1].ungraded) / max(1, gap[1].wanted))
    if len(grades.ungraded) > MISSING_ALLOWED * grades.wanted:
        some = f"{len(grades.ungraded)} of {grades.wanted} responses"
        return f"incomplete: no qualified judge has graded {some} of the condition {arm}"
    worst, grades = max(gaps, key=lambda gap: gap[1].missing / max(1, gap[1].wanted))
    if grades.missing <= MISSING_ALLOWED * grades.wanted:
        return ""
    return f"incomplete: {grades.missing} of {grades.wanted} responses of the condition {worst} are missing"


def withhold_verdict(finding: Finding, delivery: Sequence[Delivery]) -> Finding:
    """Withhold a verdict if delivery checks contradict that its images reached the model.

    A test that sends no images keeps its verdict.
    """
    doubted = [
        each
        for each in delivery
        if each.status is Arrival.CONTRADICTED
        and finding.model in (each.model, ALL_MODELS)
        and finding.benchmark in (each.benchmark, ALL_BENCHMARKS)
    ]
    if not finding.test.sends_images or not doubted:
        return finding
    problem = doubted[0].problem
    if finding.model != doubted[0].model:
        problem = problem.replace("the model", ", ".join(each.model for each in doubted))
    said = f"{problem}. {doubted[0].sentences[0].removesuffix('.')}"
    kept = finding.verdict
    return replace(finding, verdict=Verdict(Status.WITHHELD, "", said, kept.rests_on, "not-delivered", kept.values))


def findings_by_group(tests: Sequence[StressTest], table: Table) -> Iterator[Finding]:
    """Yield the measures of each category and language, without verdicts."""
    for grouping in GROUPINGS:
        for name, group in table.parts(grouping).items():
            part = replace(group, of_group=True)
            for test in (each for each in tests if not (each.scores or each.marks)):
                found = (measure for measure in _measure_test(test, part) if measure.kind.grouped)
                if part.looked is not None:
                    found = (at_every_look(measure, part.largest) for measure in found)
                # with many groups, some p-values are small by chance
                kept = (replace(each, estimate=replace(each.estimate, p=None), p_adjusted=None, detectable=None)
                        for each in found)  # fmt: skip
                verdict = Verdict(Status.REPORTED, meaning="groups are reported without a verdict")
                yield Finding(
                    table.model, table.benchmark, test, tuple(kept), verdict, table.parser, f"{grouping}={name}"
                )
