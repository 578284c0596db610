"""Finding: one test of one model on one benchmark, measured and concluded; of all its items or of a group of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isnan

from snellen.sight.delivery import Arrival, Delivery
from snellen.stats import holm
from snellen.stress.base import Measure, Status, StressTest, Verdict
from snellen.stress.conclusions import conclude, percent
from snellen.stress.measures import standard_measures
from snellen.stress.table import Table

MISSING_ALLOWED = 0.05
"""The share of replies that may be missing before a verdict is withheld."""
GROUPINGS = ("category", "language")
IN_GROUPS = frozenset(
    (
        *("accuracy", "accuracy_answered", "abstention_rate", "refusal_rate", "difference"),
        *("mirage_rate", "mirage_rate_of_asked", "mirage_rate_as_published", "mirage_rate_by_judge"),
        *("diagnosed_share", "pathology_share", "urgent_share", "grounding_signal", "answer_shift"),
        *("sensitivity", "specificity", "sensitivity_answered", "specificity_answered", "percent_change"),
        *("baseline_accuracy", "detection_rate", "detection_lift", "quality_mentioned_rate", "conflict_rate"),
    )
)
"""What is measured of a group: little, since groups are small."""


DISTANCES = frozenset(("grounding_signal", "threshold"))
"""Headlines on a scale of their own, which are no shares."""


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

    def measure(self, arm: str, name: str) -> Measure | None:
        """The measure of that arm and name, if there is one."""
        return next((m for m in self.measures if m.arm == arm and m.name == name), None)

    def telling(self) -> Measure | None:
        """The headline of the arm that speaks most surely: where several were asked, the verdict is about the worst."""
        headline = self.test.headline
        if self.test.questions:
            rates = [each for each in self.measures if each.name == headline]
            return max(rates, key=lambda each: each.estimate.low, default=None)
        arms = dict.fromkeys((*(arm.name for arm in self.test.compared), *(each.arm for each in self.measures)))
        names = (headline, f"{headline}_partial", f"mean_{headline}") if self.test.scores else (headline,)
        return surest(self.measure(arm, name) for name in names for arm in arms)

    def headline(self) -> tuple[str, str, str]:
        """Baseline accuracy, the headline of the most telling arm, and its n, in percent, for a table."""
        accuracy = self.measure(self.test.baseline.name, "accuracy")
        right = "–" if accuracy is None else percent(accuracy.estimate.value)
        change = self.telling()
        if change is None:
            return right, "–", "0" if accuracy is None else str(accuracy.estimate.n)
        found = change.estimate
        if self.test.scores or self.test.headline in DISTANCES:
            some = {f"{self.test.headline}_partial": " of some tests"}.get(change.name, "")
            value, low, high = (_on_scale(end) for end in (found.value, found.low, found.high))
            return right, f"{value} [{low}, {high}]{some}", str(found.n)
        sign = "+" if self.test.headline == "difference" else ""
        value, low, high = (f"{100 * end:{sign}.0f}" for end in (found.value, found.low, found.high))
        return right, f"{value}{'' if sign else '%'} [{low}, {high}]", str(found.n)


def _on_scale(number: float) -> str:
    """A score in two decimals; a dash where there is none.

    >>> _on_scale(0.456), _on_scale(float("nan")), _on_scale(float("-inf"))
    ('0.46', '–', '-∞')
    """
    return "–" if isnan(number) else f"{number:.2f}".replace("inf", "∞")


def surest(measures: Iterable[Measure | None]) -> Measure | None:
    """The measure of the smallest p among those there are, the first where there is none."""
    there = [each for each in measures if each is not None]
    return min(there, key=lambda each: 1.0 if each.estimate.p is None else each.estimate.p, default=None)


def findings(tests: Sequence[StressTest], table: Table) -> list[Finding]:
    """Every test measured, their headline p-values corrected together (Holm), then concluded."""
    measured = [(test, list((test.measuring or standard_measures)(test, table))) for test in tests]
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
    return [
        Finding(table.model, table.benchmark, test, tuple(measures), _verdict(test, table, measures), table.parser)
        for test, measures in measured
    ]


ALL_BENCHMARKS, ALL_MODELS = "all benchmarks", "all models"


def findings_over_all(tests: Sequence[StressTest], tables: Sequence[Table]) -> Iterator[Finding]:
    """The scores of one model over several benchmarks at once."""
    for test in tests:
        if test.spanning is not None and len(tables) > 1 and (measures := tuple(test.spanning(test, tables))):
            verdict = (test.concluding or conclude)(test, {(each.arm, each.name): each for each in measures})
            yield Finding(tables[0].model, ALL_BENCHMARKS, test, measures, verdict, tables[0].parser)


def findings_over_models(tests: Sequence[StressTest], tables: Sequence[Table]) -> Iterator[Finding]:
    """The scores of one benchmark over several models that answered it."""
    for test in tests:
        if test.over_models is not None and len(tables) > 1 and (measures := tuple(test.over_models(test, tables))):
            verdict = (test.concluding or conclude)(test, {(each.arm, each.name): each for each in measures})
            yield Finding(ALL_MODELS, tables[0].benchmark, test, measures, verdict, tables[0].parser)


def _verdict(test: StressTest, table: Table, measures: Sequence[Measure]) -> Verdict:
    """The test's conclusion; none where too many replies never came, since those that came may be the easy ones."""
    verdict = (test.concluding or conclude)(test, {(measure.arm, measure.name): measure for measure in measures})
    gaps = [(arm.name, table.arms[arm.name]) for arm in test.all_arms if arm.name in table.arms]
    if not gaps:
        return verdict
    worst, grades = max(gaps, key=lambda gap: gap[1].missing / max(1, gap[1].wanted))
    if grades.missing <= MISSING_ALLOWED * grades.wanted:
        return verdict
    gap = f"{grades.missing} of {grades.wanted} replies of the arm {worst} are missing"
    return Verdict(Status.INCONCLUSIVE, f"Incomplete: {gap}. Of what there is: {verdict.sentence}")


def withheld(finding: Finding, delivery: Sequence[Delivery]) -> Finding:
    """The finding without its verdict where the images that it rests on may never have reached the model.

    A test that brings its own questions sends none.
    """
    doubted = [
        each
        for each in delivery
        if each.status is Arrival.CONTRADICTED
        and finding.model in (each.model, ALL_MODELS)
        and finding.benchmark in (each.benchmark, ALL_BENCHMARKS)
    ]
    if finding.test.questions or not doubted:
        return finding
    whom = "the model" if finding.model == doubted[0].model else ", ".join(each.model for each in doubted)
    said = f"Withheld: images seem not to have reached {whom}. {doubted[0].sentences[0]}"
    return replace(finding, verdict=Verdict(Status.WITHHELD, said))


def findings_by_group(tests: Sequence[StressTest], table: Table) -> Iterator[Finding]:
    """The same numbers for every category and language, where there are several: to look at, not to conclude from."""
    for grouping in GROUPINGS:
        for name, part in table.parts(grouping).items():
            for test in (each for each in tests if not each.scores):
                measures = (test.measuring or standard_measures)(test, part)
                kept = (_unjudged(measure) for measure in measures if measure.name in IN_GROUPS)
                verdict = Verdict(Status.INCONCLUSIVE, "Groups are shown and not concluded from.")
                yield Finding(
                    table.model, table.benchmark, test, tuple(kept), verdict, table.parser, f"{grouping}={name}"
                )


def _unjudged(measure: Measure) -> Measure:
    """The number without its p: over so many groups some would be small by chance."""
    return Measure(measure.arm, measure.name, replace(measure.estimate, p=None))
