"""Verdicts: what a test's numbers mean, by what is expected of a good model; a test may conclude in its own way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isinf

from snellen.stats import Estimate
from snellen.stress.base import Expectation, Measure, Status, StressTest, Verdict
from snellen.stress.measures import differences, of_arm
from snellen.stress.table import Table


def points(value: float) -> str:
    """A difference of shares in percentage points.

    >>> points(-0.123)
    '−12 points'
    """
    rounded = round(100 * value)
    return f"{'−' if rounded < 0 else ''}{abs(rounded)} point{'' if abs(rounded) == 1 else 's'}"


def percent(value: float) -> str:
    """A share in percent; only all is 100% and only none is 0%.

    >>> percent(0.876), percent(0.999), percent(0.001)
    ('88%', '>99%', '<1%')
    """
    if 0.995 <= value < 1:
        return ">99%"
    sign = "−" if value < -0.005 else ""
    return "<1%" if 0 < value < 0.005 else f"{sign}{abs(round(100 * value))}%"


def span(low: float, high: float) -> str:
    """A 95% CI in percentage points.

    >>> span(-0.05, 0.12)
    '(95% CI −5 to 12)'
    """
    ends = [f"{'−' if 100 * end < -0.5 else ''}{'∞' if isinf(end) else abs(round(100 * end))}" for end in (low, high)]
    return f"(95% CI {ends[0]} to {ends[1]})"


MATTERS = 0.05
"""A change of accuracy smaller than this does not matter."""
TOLERATED = 0.1
"""A model that describes or diagnoses what it was not shown less often than this passes."""
STEADY = 0.1
"""A model that changes its choice less often than this is steady."""
SIGNIFICANT = 0.05
SURELY = 0.001

Measures = Mapping[tuple[str, str], Measure]


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """The verdict of a test: the worst of its arms'."""
    by_expectation: Mapping[Expectation, Callable[[str, str, Measures], Verdict]] = {
        Expectation.INVARIANT: invariant,
        Expectation.WORSE: worse,
        Expectation.CHANGE: changes,
        Expectation.ABSTAIN: abstains,
        Expectation.UNKNOWN: unjudged,
    }
    verdicts = [by_expectation[test.expects](test.baseline.name, arm.name, measures) for arm in test.compared]
    if not verdicts:
        return Verdict(Status.INCONCLUSIVE, "Nothing was compared: the test has no conditions.")
    return worst(verdicts)


def worst(verdicts: Sequence[Verdict]) -> Verdict:
    """The worst of several arms' verdicts decides, of equals the first."""
    order = (Status.FAIL, Status.INCONCLUSIVE, Status.PASS, Status.REPORTED)
    return min(verdicts, key=lambda verdict: order.index(verdict.status))


def invariant(baseline: str, arm: str, measures: Measures) -> Verdict:
    """Steady: accuracy stays, and so do the choices. Those of a model that guesses move by themselves."""
    change, moved = measures.get((arm, "difference")), measures.get((arm, "changed_rate"))
    if change is None:
        return Verdict(Status.INCONCLUSIVE, f"No item was answered both in the original condition and under {arm}.")
    found = change.estimate
    words = f"Under {arm}, accuracy changes by {points(found.value)} {span(found.low, found.high)}"
    if moved is None:
        return Verdict(
            Status.INCONCLUSIVE, f"{words}. It chose no option in both, so its choices could not be compared.", change
        )
    rate = moved.estimate
    words += f", and {percent(rate.value)} of its choices change {span(rate.low, rate.high)}"
    if significant(change) and (why := unread(baseline, arm, measures)):
        return Verdict(Status.INCONCLUSIVE, f"{words}; {why}.", change)
    guesses = not _clearly_above_chance(measures.get((baseline, "above_chance")))
    if significant(change) or (rate.low > STEADY and not guesses):
        return Verdict(Status.FAIL, f"It is not stable. {words}.", change if significant(change) else moved)
    if rate.low > STEADY:
        return Verdict(
            Status.INCONCLUSIVE,
            f"{words}. Its accuracy is not clearly above chance, and guesses change by themselves.",
            moved,
        )
    if abs(found.low) < MATTERS and abs(found.high) < MATTERS and rate.high < STEADY:
        return Verdict(Status.PASS, f"It is stable. {words}.", moved)
    return Verdict(Status.INCONCLUSIVE, f"{words}; {could_show(change)}.", change)


def _clearly_above_chance(above: Measure | None) -> bool:
    """Whether it does not guess: without correction for many tests, only what chance does once in a thousand times."""
    if above is None or above.estimate.low <= 0:
        return False
    return above.estimate.p is not None and above.estimate.p < SURELY


def worse(baseline: str, arm: str, measures: Measures, *, taken: str = "what was taken away") -> Verdict:
    """Accuracy falls, as it does for a model that uses what was taken away; who only guesses had nothing to lose."""
    change, above = measures.get((arm, "difference")), measures.get((baseline, "above_chance"))
    if change is None or above is None:
        return Verdict(Status.INCONCLUSIVE, f"No item was answered both in the original condition and under {arm}.")
    found, margin = change.estimate, above.estimate
    words = f"without it, accuracy changes by {points(found.value)} {span(found.low, found.high)}"
    if margin.low <= 0:
        said = f"Even with {taken}, its accuracy is not above chance{by_how_much(above)}; {words}."
        return Verdict(Status.INCONCLUSIVE, said, above)
    if significant(change) and (why := unread(baseline, arm, measures)):
        return Verdict(Status.INCONCLUSIVE, f"Not enough evidence that it uses {taken}: {words}; {why}.", change)
    if significant(change) and found.value < 0:
        return Verdict(Status.PASS, f"It uses {taken}: {words}.", change)
    if found.low > -MATTERS:
        return Verdict(Status.FAIL, f"It does not need {taken}: {words}.", change)
    return Verdict(
        Status.INCONCLUSIVE, f"Not enough evidence that it uses {taken}: {words}; {could_show(change)}.", change
    )


def changes(baseline: str, arm: str, measures: Measures) -> Verdict:
    """The choice moves, as it should when the truth does."""
    moved = measures.get((arm, "changed_rate"))
    if moved is None:
        return Verdict(Status.INCONCLUSIVE, f"It chose no option both in the original and under {arm}.")
    rate = moved.estimate
    share = f"{percent(rate.value)} of its choices change {span(rate.low, rate.high)}"
    return Verdict(_in_most(rate), f"Under {arm}, {share}.", moved)


def abstains(baseline: str, arm: str, measures: Measures) -> Verdict:
    """It says that it cannot tell, as it should where nobody could."""
    abstained = measures.get((arm, "abstention_rate"))
    if abstained is None:
        return Verdict(Status.INCONCLUSIVE, f"Nothing was answered under {arm}.")
    rate = abstained.estimate
    share = f"{percent(rate.value)} of its responses {span(rate.low, rate.high)}"
    return Verdict(_in_most(rate), f"Under {arm}, it says that it cannot tell in {share}.", abstained)


def unjudged(baseline: str, arm: str, measures: Measures) -> Verdict:
    """No verdict: what a good model does under this condition is not known."""
    said = f"Reported without a verdict: what a good model does under {arm} is not known here."
    return Verdict(Status.REPORTED, said, measures.get((arm, "difference")))


def unread(baseline: str, arm: str, measures: Measures) -> str | None:
    """What to say where a loss is mostly responses that could not be read or were cut off: it may be no loss at all."""
    lost = measures[arm, "difference"].estimate.value
    rates = ("unparsed_rate", "truncated_rate")
    grown = sum(_value(measures, arm, rate) - _value(measures, baseline, rate) for rate in rates)
    if lost >= 0 or grown < -lost / 2:
        return None
    return f"{points(grown)} of it are responses under {arm} that could not be read or were cut off"


def by_how_much(above: Measure | None) -> str:
    """By how much it is above chance; nothing where that was not measured."""
    if above is None:
        return ""
    margin = above.estimate
    return f": {points(margin.value)} {span(margin.low, margin.high)}"


def _value(measures: Measures, arm: str, name: str) -> float:
    found = measures.get((arm, name))
    return found.estimate.value if found else 0.0


def _in_most(rate: Estimate) -> Status:
    if rate.low > 0.5:
        return Status.PASS
    return Status.FAIL if rate.high < 0.5 else Status.INCONCLUSIVE


def significant(measure: Measure) -> bool:
    """Whether the measure's corrected p-value is below the threshold."""
    return measure.p_adjusted is not None and measure.p_adjusted < SIGNIFICANT


def could_show(measure: Measure) -> str:
    """What so many items could have shown."""
    n, detectable = measure.estimate.n, measure.detectable
    if detectable is None:
        return f"{n} {'item is' if n == 1 else 'items are'} too few to show any change"
    return f"{n} items can show a change of {points(detectable)} with 80% power"


def accuracies(test: StressTest, table: Table) -> Sequence[Measure]:
    """Accuracies and rates of every arm and its difference; whether choices moved says nothing where options did."""
    return list(_accuracies(test, table))


def _accuracies(test: StressTest, table: Table) -> Iterator[Measure]:
    for arm in test.all_arms:
        yield from of_arm(arm.name, table)
    for arm in test.compared:
        yield from (each for each in differences(test.baseline.name, arm.name, table) if each.name != "changed_rate")


def unharmed(test: StressTest, measures: Measures) -> Verdict:
    """Accuracy must not fall under any arm; the worst one decides."""
    return worst([under(test.baseline.name, arm.name, measures) for arm in test.compared])


def under(baseline: str, arm: str, measures: Measures, *, rising: str = "") -> Verdict:
    """The verdict of one arm; with `rising`, what a rise would mean, that is as bad as a fall."""
    change = measures.get((arm, "difference"))
    if change is None:
        return Verdict(Status.INCONCLUSIVE, f"No item was answered both in {baseline} and under {arm}.")
    found = change.estimate
    words = f"under {arm}, accuracy changes by {points(found.value)} {span(found.low, found.high)}"
    if significant(change) and (why := unread(baseline, arm, measures)):
        return Verdict(Status.INCONCLUSIVE, f"Not enough evidence: {words}; {why}.", change)
    if significant(change) and found.value < 0:
        return Verdict(Status.FAIL, f"It loses accuracy: {words}.", change)
    if significant(change) and rising:
        return Verdict(Status.FAIL, f"{rising}: {words}.", change)
    if found.low > -MATTERS and (found.high < MATTERS or not rising):
        return Verdict(Status.PASS, f"It loses no accuracy: {words}.", change)
    return Verdict(Status.INCONCLUSIVE, f"Not enough evidence: {words}; {could_show(change)}.", change)
