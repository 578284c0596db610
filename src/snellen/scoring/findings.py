"""Finding: one test of one model on one benchmark, measured and concluded; of all its items or of a group of them."""

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
from snellen.stress.conclusions import SIGNIFICANT, Measures, percent
from snellen.stress.reasoning_tokens import token_measures, with_tokens
from snellen.stress.table import Table
from snellen.stress.verdicts.marks import decide_marks, list_measures, make_verdict

MISSING_ALLOWED = 0.05
"""The share of responses that may be missing before a verdict is withheld."""
MANY = 0.05
"""So large a share of unsure readings is named in the terminal, too."""
GROUPINGS = ("category", "language")


class Unsure(NamedTuple):
    """How many of the readings behind a verdict are unsure, and what the verdict would be without them."""

    readings: int
    of: int
    without: Status

    def beside(self, status: Status) -> str:
        """It in words, beside the verdict that counts.

        >>> Unsure(12, 240, Status.INCONCLUSIVE).beside(Status.PASS)
        '12 of the 240 readings (5%) are unsure. Without them: not decided'
        >>> Unsure(12, 240, Status.PASS).beside(Status.WITHHELD)
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
    """One test of one model on one benchmark: its numbers and its verdict, and which items it is about if not all."""

    model: str
    benchmark: str
    test: StressTest
    measures: tuple[Measure, ...]
    verdict: Verdict
    parser: str = "lenient"
    group: str = ""
    unsure: Unsure | None = None
    """None where there is no verdict, no reading behind it is unsure, or nobody knows."""

    @property
    def caution(self) -> str:
        """What to bear in mind with the verdict: how much of it rests on unsure readings; empty where none does."""
        return self.unsure.beside(self.verdict.status) if self.unsure else ""

    @property
    def is_own(self) -> bool:
        """Whether its test is a plug-in's or the study's own, and none of Snellen's."""
        return self.test.name.partition(":")[0] not in MEMBERS

    @property
    def rests_on_unsure(self) -> bool:
        """Whether much of it rests on unsure readings, or they decide the verdict."""
        if self.unsure is None or self.verdict.status is Status.WITHHELD:
            return False
        return self.unsure.without is not self.verdict.status or self.unsure.readings > MANY * self.unsure.of

    def is_of(self, model: str, benchmark: str) -> bool:
        """Whether it is about that model on that benchmark."""
        return (self.model, self.benchmark) == (model, benchmark)

    def measure(self, arm: str, name: str) -> Measure | None:
        """The measure of that arm and name, if there is one; of all items, where some of them have one too."""
        found = [each for each in self.measures if each.arm == arm and each.name == name]
        return min(found, key=lambda each: each.subset != "", default=None)

    def line(self) -> tuple[str, str, str]:
        """The question in a few words, the verdict, and its numbers; unless it passes or fails, also what they mean."""
        verdict = self.verdict
        decided = verdict.status in (Status.PASS, Status.FAIL) and verdict.numbers
        said = verdict.numbers if decided else verdict.sentence.removesuffix(".")
        status = verdict.status.words if verdict.status is Status.REPORTED else verdict.status.words.upper()
        return self.test.label or self.test.name, status, said


MARKS = tuple(map(stress_test, ("follows", "honest", "steady")))
"""The verdicts that every model gets."""


def mark_model(table: Table, tests: Sequence[StressTest] = MARKS, *, looks: int = 1) -> list[Finding]:
    """The verdicts that every model gets, decided together by their own rules."""
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
    """Every test measured and concluded; where readings are unsure, also without them."""
    marked = mark_model(table, marks) if (marks := [test for test in tests if test.marks]) else []
    return [*marked, *_findings_beside([test for test in tests if not test.marks], table)]


def _findings_beside(tests: Sequence[StressTest], table: Table) -> list[Finding]:
    found = _concluded(tests, table)
    parsers = dict.fromkeys(each.verdict.rests_on.parser for each in found if each.verdict.rests_on is not None)
    for parser in filter(None, parsers):
        sure = table.sure(parser)
        if sure is not table:
            again = _concluded(tests, sure)
            found = [_beside(each, table, parser, other.verdict) for each, other in zip(found, again, strict=True)]
    return found


def _beside(finding: Finding, table: Table, parser: str, without: Verdict) -> Finding:
    """A finding with how many of its readings are unsure, if its verdict rests on that parser and any is."""
    decides, status = finding.verdict.rests_on, finding.verdict.status
    table = finding.test.restrict_table(table)
    if decides is None or decides.parser != parser or status is Status.REPORTED:
        return finding
    if (concerns := finding.test.concerns) is not None:
        table = table.only(np.array([concerns(item) for item in table.items], dtype=bool))
    arms = [arm.name for arm in finding.test.all_arms if arm.name in table.arms]
    unsure = sum(int(table.unsure(arm, parser).sum()) for arm in arms)
    of = sum(len(table.arms[arm]) for arm in arms)
    return replace(finding, unsure=Unsure(unsure, of, without.status)) if unsure else finding


def _concluded(tests: Sequence[StressTest], table: Table) -> list[Finding]:
    """Every test measured, their headline p-values corrected together (Holm), then concluded."""
    if table.looked is not None:
        return _concluded_at_any_time(tests, table)
    measured = [(test, _measured(test, table)) for test in tests]
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
    """Keep the passes and fails that hold after correction for all tests with a limit: Holm's, of one model.

    At any time it is Bonferroni's: a verdict that is settled must not be unsettled by another that comes later.
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
    return [_uphold(each, by_test.get(each.test.name, 0.0), len(family)) for each in found]


def _uphold(finding: Finding, p: float, tests: int) -> Finding:
    """The finding, not decided if the p of its pass or fail is too large after correction."""
    verdict = finding.verdict
    if verdict.p is None or verdict.status not in _UNSETTLED or p <= SIGNIFICANT:
        return finding
    why = f"not decided after correction for {counted(tests, 'test')}: alone, it would {verdict.status.value}"
    kept = replace(verdict, status=Status.INCONCLUSIVE, meaning=why, reason="after-correction")
    return replace(finding, verdict=kept)


def _concluded_at_any_time(tests: Sequence[StressTest], table: Table) -> list[Finding]:
    """The same where asking stops once a verdict is settled: intervals and p-values hold at every look.

    The p-values are multiplied by their number (Bonferroni): after Holm, a verdict that is settled could be unsettled
    by what other tests find later.
    """
    plain = [(test, _measured(test, table)) for test in tests]
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
        verdict = _conclusion(test, _of_all_items(measures))
        if verdict.rests_on is None or holds_at_every_look(verdict.rests_on):
            verdict = _verdict(test, table, holding)
        elif asked_in_full(test, table):  # nothing could stop it, so that nothing was looked for
            holding, verdict = measures, _verdict(test, table, measures)
        else:
            status = _UNSETTLED.get(verdict.status, verdict.status)
            verdict = Verdict(status, meaning=NOT_BEFORE_THE_END, reason="at-any-time", values=verdict.values)
        made.append(Finding(table.model, table.benchmark, test, tuple(holding), verdict, table.parser))
    return _correct_together(made, at_any_time=True)


_UNSETTLED = dict.fromkeys((Status.PASS, Status.FAIL), Status.INCONCLUSIVE)


def _measured(test: StressTest, table: Table) -> list[Measure]:
    part = test.restrict_table(table).asked_under([arm.name for arm in test.all_arms])
    found = [*test.measure(part), *token_measures(test, part)]
    return [measure.read_in(table) for measure in found]


ALL_BENCHMARKS, ALL_MODELS = "all benchmarks", "all models"


def findings_over_all(tests: Sequence[StressTest], tables: Sequence[Table]) -> Iterator[Finding]:
    """The scores of one model over several benchmarks at once."""
    for test in tests:
        if test.spanning is not None and len(tables) > 1 and (measures := _spanning(test.spanning, test, tables)):
            verdict = test.conclude({(each.arm, each.name): each for each in measures})
            yield Finding(tables[0].model, ALL_BENCHMARKS, test, measures, verdict, tables[0].parser)


def findings_over_models(tests: Sequence[StressTest], tables: Sequence[Table]) -> Iterator[Finding]:
    """The scores of one benchmark over several models that answered it."""
    for test in tests:
        if test.over_models is not None and len(tables) > 1 and (measures := _spanning(test.over_models, test, tables)):
            verdict = test.conclude(_of_all_items(measures))
            yield Finding(ALL_MODELS, tables[0].benchmark, test, measures, verdict, tables[0].parser)


def _spanning(measuring: Spanning, test: StressTest, tables: Sequence[Table]) -> tuple[Measure, ...]:
    seen = [test.restrict_table(table) for table in tables]
    return tuple(measure.read_in(tables[0]) for measure in measuring(test, seen))


def _verdict(test: StressTest, table: Table, measures: Sequence[Measure]) -> Verdict:
    """The test's conclusion; none where too many responses never came, since those that came may be the easy ones."""
    verdict = _conclusion(test, _of_all_items(measures))
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
    """An arm as a sentence without a comparison names it."""
    return "with the original image" if arm.name == ORIGINAL.name else arm.in_words


def _conclusion(test: StressTest, measures: Measures) -> Verdict:
    return with_tokens(test.conclude(measures), test, measures)


def _of_all_items(measures: Sequence[Measure]) -> dict[tuple[str, str], Measure]:
    """The measures by arm and name; of all items, where some of them have one too."""
    whole_last = sorted(measures, key=lambda measure: measure.subset == "")
    return {(measure.arm, measure.name): measure for measure in whole_last}


def describe_missing_columns(table: Table, arms: Iterable[str]) -> str:
    """How many questions were related to others by text, and the columns to add; empty if none is missing."""
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
    told += [f"{counted(unrelated, 'question')} that could not be related to others"] if unrelated else []
    return f"{', '.join(told)}: add the column{'s' * (len(columns) > 1)} {', '.join(map('`{}`'.format, columns))}"


def incomplete(table: Table, arms: Iterable[str]) -> str:
    """Which of these conditions lacks most of its responses, in words; nothing where no more than a few are missing."""
    gaps = [(arm, table.arms[arm]) for arm in arms if arm in table.arms]
    if not gaps:
        return ""
    arm, grades = max(gaps, key=lambda gap: len(gap[1].ungraded) / max(1, gap[1].wanted))
    if len(grades.ungraded) > MISSING_ALLOWED * grades.wanted:
        some = f"{len(grades.ungraded)} of {grades.wanted} responses"
        return f"incomplete: no judge that counts has graded {some} of the condition {arm}"
    worst, grades = max(gaps, key=lambda gap: gap[1].missing / max(1, gap[1].wanted))
    if grades.missing <= MISSING_ALLOWED * grades.wanted:
        return ""
    return f"incomplete: {grades.missing} of {grades.wanted} responses of the condition {worst} are missing"


def withheld(finding: Finding, delivery: Sequence[Delivery]) -> Finding:
    """The finding without its verdict where the images that it rests on may never have reached the model.

    A test that sends no image keeps its verdict.
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
    """The same numbers for every category and language, where there are several: to look at, not to conclude from."""
    for grouping in GROUPINGS:
        for name, group in table.parts(grouping).items():
            part = replace(group, of_group=True)
            for test in (each for each in tests if not (each.scores or each.marks)):
                found = (measure for measure in _measured(test, part) if measure.kind.grouped)
                if part.looked is not None:
                    found = (at_every_look(measure, part.largest) for measure in found)
                kept = map(_unjudged, found)
                verdict = Verdict(Status.REPORTED, meaning="groups are reported without a verdict")
                yield Finding(
                    table.model, table.benchmark, test, tuple(kept), verdict, table.parser, f"{grouping}={name}"
                )


def _unjudged(measure: Measure) -> Measure:
    """The number without its p: over so many groups some would be small by chance."""
    return replace(measure, estimate=replace(measure.estimate, p=None), p_adjusted=None, detectable=None)
