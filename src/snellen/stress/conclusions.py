"""Standard conclusions: turn a test's measures into a verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import ceil, floor, inf, isfinite, log10, sqrt
from typing import Literal

import scipy

from snellen.prompts import Arm
from snellen.stats import Estimate
from snellen.stress.base import Expectation, Measure, Status, StressTest, Unit, Verdict
from snellen.stress.base import Measures as Measures
from snellen.stress.measures import FEWEST, KEPT, KEPT_ANSWERED, RATES, UNREAD, accuracies, differences, moves
from snellen.stress.table import Moves, Table

MOST_DECIMALS = 6


def decimals(value: float, *edges: int) -> int:
    """Count the decimals needed so that a percentage does not round to an edge.

    An edge is a value such as 0 or 100.

    >>> decimals(0.876, 0, 100), decimals(0.995, 0, 100), decimals(-0.9996, 100), decimals(1.0, 100), decimals(0.002)
    (0, 1, 2, 0, 0)
    """
    size = abs(100 * value)
    if not isfinite(size) or any(abs(size - edge) < 10**-MOST_DECIMALS for edge in edges):
        return 0
    return next(digits for digits in range(MOST_DECIMALS + 1) if round(size, digits) not in edges)


def hundredths(value: float, digits: int) -> str:
    """Format a share in percent with `digits` decimals and without the % sign. 0 has no minus.

    >>> hundredths(0.655, 0), hundredths(0.145, 0), hundredths(-0.1225, 1), hundredths(-0.004, 0)
    ('66', '15', '−12.3', '0')
    """
    size = abs(100 * value)
    if isfinite(size):  # 100 × 0.145 is 14.499999999999998
        size = floor(round(size * 10**digits, MOST_DECIMALS) + 0.5) / 10**digits
    said = f"{size:.{digits}f}"
    return f"−{said}" if value < 0 and float(said) else said


def agreeing_decimals(before: float, after: float, change: float) -> int:
    """Count the decimals needed so that a printed change agrees with the printed shares.

    >>> agreeing_decimals(0.655, 0.845, 0.19), agreeing_decimals(0.334, 0.296, -0.038)
    (0, 1)
    """
    digits = max(decimals(each, 0, 100) for each in (before, after))
    first, second, by = (float(hundredths(each, digits).replace("−", "-")) for each in (before, after, change))
    return digits + (round(second - first - by, digits) != 0)


def points(value: float, digits: int = 0) -> str:
    """Format a difference in percentage points, with at least `digits` decimals.

    >>> points(-0.123), points(-0.995), points(-0.495, 1)
    ('−12 points', '−99.5 points', '−49.5 points')
    """
    said = hundredths(value, max(digits, decimals(value, 100)))
    return f"{said} point{'' if said in ('1', '−1') else 's'}"


def percent(value: float) -> str:
    """Format a share in percent; only exact values are printed as 0% and 100%.

    >>> percent(0.876), percent(0.999), percent(0.005), percent(1.0)
    ('88%', '99.9%', '0.5%', '100%')
    """
    return f"{hundredths(value, decimals(value, 0, 100))}%"


def span(low: float, high: float, *edges: int) -> str:
    """Format a 95% CI in parentheses, in percent or percentage points.

    >>> span(-0.05, 0.12)
    '(95% CI −5 to 12)'
    """
    return f"({interval(low, high, *edges)})"


def interval(low: float, high: float, *edges: int) -> str:
    """Format a 95% CI without parentheses."""
    return f"95% CI {join_ends(*(_end(end, 100, *edges) for end in (low, high)))}"


def join_ends(low: str, high: str) -> str:
    """Format both ends of an interval; "" is an unbounded end.

    >>> join_ends("40", "60"), join_ends("40", ""), join_ends("", "60"), join_ends("", "")
    ('40 to 60', '40 or more', '60 or less', 'not known')
    """
    if low and high:
        return f"{low} to {high}"
    return f"{low} or more" if low else f"{high} or less" if high else "not known"


FARTHEST = 10.0
"""An end of a ratio's interval beyond this is printed as ">1000" or "<−1000"."""


def _end(value: float, *edges: int) -> str:
    if not isfinite(value):
        return ""
    if abs(value) > FARTHEST:
        return f"{'<−' if value < 0 else '>'}{100 * FARTHEST:.0f}"
    return hundredths(value, decimals(value, *edges))


def at_most(p: float) -> str:
    """Format the smallest p that a permutation test can give, rounded up to two digits.

    >>> at_most(1 / 10_001), at_most(3 / 2001)
    ('≤ 0.0001', '≤ 0.0015')
    """
    step = 10.0 ** (floor(log10(p)) - 1)
    return f"≤ {min(1.0, ceil(round(p / step, 9)) * step):.2g}"


def rate_of(estimate: Estimate) -> str:
    """Format a share with its interval.

    >>> rate_of(Estimate(0.19, 0.11, 0.31, 60, "wilson"))
    '19% (95% CI 11 to 31)'
    """
    return f"{percent(estimate.value)} {span(estimate.low, estimate.high, 0)}"


def points_of(estimate: Estimate) -> str:
    """Format a difference with its interval.

    >>> points_of(Estimate(-0.08, -0.18, 0.01, 60, "bonett-price"))
    '−8 points (95% CI −18 to 1)'
    """
    return f"{points(estimate.value)} {span(estimate.low, estimate.high)}"


def accuracy_under(arm: Arm, measures: Measures) -> str:
    """Describe the accuracy before and in an arm: "88% → 80% with blank images (…)"."""
    change = measures[arm.name, "difference"].estimate
    before = measures[arm.name, "baseline_accuracy"].estimate.value
    after = min(1.0, max(0.0, before + change.value))
    digits = agreeing_decimals(before, after, change.value)
    shares = [
        f"{hundredths(each, max(digits, decimals(each, 0, 100))).removesuffix('.0')}%" for each in (before, after)
    ]
    by = f"{points(change.value, digits)}, {interval(change.low, change.high)}"
    return f"{' → '.join(shares)} {arm.in_words} ({by})"


def describe_silence(measures: Measures, *arms: str) -> str:
    """Explain that responses without an answer count as guesses; "" if there are none."""
    silent = [sum_rates(measures, arm, *RATES) for arm in arms]
    if not any(silent):
        return ""
    some = f"the {percent(min(1.0, silent[0]))}" if len(arms) == 1 else "responses"
    return f", counting {some} without an answer as guesses"


def describe_margin(measures: Measures, arm: str, margin: Measure) -> str:
    """Describe the accuracy above guessing: "16 points (95% CI 2 to 30) above chance".

    It adds how responses without an answer count, if there are any.
    """
    return f"{points_of(margin.estimate)} above chance{describe_silence(measures, arm)}"


TOLERATED = 0.1
"""Rate of describing or diagnosing absent images below which a model passes."""
SIGNIFICANT = 0.05
SURELY = 0.001
"""Accuracy exceeds chance clearly if its p is below this, without correction."""
LARGEST = 10
"""Largest factor by which more items are suggested to settle a verdict."""


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Return the verdict of a test, the worst of its arms' verdicts."""
    by_expectation: Mapping[Expectation, Callable[[StressTest, Arm, Measures], Verdict]] = {
        Expectation.INVARIANT: stable,
        Expectation.WORSE: needs_image,
        Expectation.CHANGE: changes,
        Expectation.ABSTAIN: abstains,
        Expectation.UNKNOWN: report_only,
    }
    verdicts = [by_expectation[test.expects](test, arm, measures) for arm in test.compared]
    if not verdicts:
        return leave_open("not-compared", "", "only one condition was asked, so nothing can be compared")
    return worst(verdicts)


def report_kept(test: StressTest, measures: Measures) -> Verdict:
    """Report accuracies and shares kept without pass or fail, the arm that keeps most first."""
    told = [_tell_kept(test, arm, measures) for arm in test.compared if (arm.name, "difference") in measures]
    if not told:
        return replace(_not_compared(test, test.compared[0]), status=Status.REPORTED)
    return max(told, key=lambda each: each.rests_on.estimate.value if each.rests_on else 0.0)


def _tell_kept(test: StressTest, arm: Arm, measures: Measures) -> Verdict:
    kept, in_words = measures.get((arm.name, KEPT)), test.item_kind == "open"
    numbers = accuracy_under(arm, measures)
    if kept is None or not isfinite(kept.estimate.value):
        return Verdict(Status.REPORTED, numbers, rests_on=measures[arm.name, "difference"])
    numbers += f"; keeps {_format_share_kept(kept.estimate, in_words=in_words)}"
    silence = "" if in_words else describe_silence(measures, test.baseline.name, arm.name)
    return Verdict(Status.REPORTED, f"{numbers}{silence}", rests_on=kept)


def report_moved(test: StressTest, measures: Measures) -> Verdict:
    """Report accuracy and changed answers in the one arm, without pass or fail."""
    [arm] = test.compared
    change, moved = measures.get((arm.name, "difference")), _find_changed_answers(arm.name, measures, Moves.ANY)
    if change is None:
        return replace(_not_compared(test, arm), status=Status.REPORTED)
    numbers = accuracy_under(arm, measures)
    numbers += f"; {_share_moved(arm.name, measures, Moves.ANY, moved)}" if moved else ""
    return Verdict(Status.REPORTED, numbers, rests_on=moved or change)


def worst(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the worst of several arms' verdicts, the first of equals.

    One arm is enough to fail, so the smallest p is multiplied by the number of arms. A pass needs all arms, so the
    largest p counts.
    """
    order = (Status.FAIL, Status.INCONCLUSIVE, Status.PASS, Status.REPORTED)
    found = min(verdicts, key=lambda verdict: order.index(verdict.status))
    ps = [each.p for each in verdicts if each.status is found.status and each.p is not None]
    if not ps:
        return found
    return replace(found, p=min(1.0, len(verdicts) * min(ps)) if found.status is Status.FAIL else max(ps))


Z = 1.959963984540054
"""Normal quantile of a 95% CI."""


def limit_p(measure: Measure, limit: float = 0.0) -> float:
    """Compute the two-sided p of a measure against a limit. It is 1 if the CI contains the limit.

    Against 0 the measure's own p is used. Otherwise p comes from the CI, as of a normal distribution with this 95% CI.
    For a share it is that of the score test with the n that the CI implies.
    """
    found = measure.estimate
    away, end = found.value - limit, found.low if found.value > limit else found.high
    if not (found.low > limit or found.high < limit):
        return 1.0
    if limit == 0 and found.p is not None:
        return found.p
    size = Z * away / (found.value - end) if found.value != end else inf
    if measure.kind.unit is Unit.SHARE and 0 < limit < 1:
        size *= sqrt(end * (1 - end) / (limit * (1 - limit)))
    return 2 * float(scipy.special.ndtr(-size))


def is_shown(measure: Measure) -> bool:
    """Return True if a measure is surely above or below 0. It is not corrected for other tests."""
    return limit_p(measure) < SIGNIFICANT


Comparison = tuple[Measure, float]
"""A measure and the limit that it is compared with."""
OpenReason = Literal[
    "not-compared", "nothing-asked", "few-answers", "limit-inside-interval", "could-not-be-read", "not-above-chance",
    "gives-no-answer", "not-repeated", "between-limits", "also-without-image", "also-elsewhere",
    "describes-without-diagnosis", "references-alike",
]  # fmt: skip
"""Reasons why a test is not decided; `docs/reference/results.md` explains each."""


def decide(status: Status, numbers: str, meaning: str, *against: Comparison, reasons: int = 1) -> Verdict:
    """Return pass or fail with the p that must survive correction over the model's tests.

    All comparisons must hold, so the largest p counts. `reasons` is the number of ways to reach this status. The first
    comparison decides, and its side of the limit is the reason.
    """
    p = min(1.0, reasons * max(limit_p(*each) for each in against))
    values, (decides, limit) = _list_numbers(against), against[0]
    side = "above-limit" if decides.estimate.value > limit else "below-limit"
    reason = "between-limits" if "upper_limit" in values else side
    return Verdict(status, numbers, meaning, decides, reason, values, p)


def leave_open(
    reason: OpenReason, numbers: str, meaning: str, *against: Comparison, items: str = "questions", **also: float
) -> Verdict:
    """Return a verdict "not decided"; the first comparison is the deciding one."""
    if not meaning:
        settled = settled_by(against[0][0].estimate, against[0][1], items) if reason == "limit-inside-interval" else ""
        meaning = f"too few to tell{settled}"
    rests_on = against[0][0] if against else None
    return Verdict(Status.INCONCLUSIVE, numbers, meaning, rests_on, reason, {**_list_numbers(against), **also})


def _list_numbers(against: Sequence[Comparison]) -> dict[str, Estimate | float | int | str]:
    values: dict[str, Estimate | float | int | str] = {}
    for measure, limit in against:
        name = "limit" if measure.name == against[0][0].name else f"{measure.name}_limit"
        values.setdefault(measure.name, measure.estimate)
        values.setdefault("upper_limit" if values.get(name, limit) != limit else name, limit)
    return values


def leave_to_chance(
    test: StressTest, measures: Measures, numbers: str, words: str, change: Measure, ending: str = ""
) -> Verdict | None:
    """Return "not decided" if accuracy with the original image may be guessing, else None."""
    above = measures.get((test.baseline.name, "above_chance"))
    if above is not None and above.estimate.low > 0:
        return None
    by = "" if above is None else f": {describe_margin(measures, test.baseline.name, above)}"
    why = f"{words} it is not shown to be better than guessing{by}{ending}"
    return leave_open("not-above-chance", numbers, why, (above or change, 0.0))


def needs_image(test: StressTest, arm: Arm, measures: Measures) -> Verdict:
    """Decide if the accuracy above chance needs what the arm removes.

    Two shares of accuracy kept must be on one side of the threshold. One covers all questions and counts no answer as a
    guess; the other covers the questions answered in both conditions. So a model cannot pass by not answering, nor fail
    because it gave no answer with the image.
    """
    kept, above = measures.get((arm.name, KEPT)), measures.get((test.baseline.name, "above_chance"))
    if kept is None or above is None or (arm.name, "difference") not in measures:
        return _not_compared(test, arm)
    in_words, changes = test.item_kind == "open", arm.condition.changes
    # an arm without words also has questions without an image
    before = "as asked" if "text" in changes else "with the image"
    numbers = f"{accuracy_under(arm, measures)}; keeps {_format_share_kept(kept.estimate, in_words=in_words)}"
    numbers += "" if in_words else describe_silence(measures, test.baseline.name, arm.name)
    limit, answered = test.thresholds.image_dependence, measures.get((arm.name, KEPT_ANSWERED))
    if above.estimate.low <= 0:
        guesses = f"not shown to be better than guessing: {describe_margin(measures, test.baseline.name, above)}"
        why = "too few answers are right to tell what it needs" if in_words else f"it is {guesses}"
        return leave_open("not-above-chance", accuracy_under(arm, measures), f"{before} {why}", (above, 0.0))
    both = [(kept, limit), *([] if answered is None else [(answered, limit)])]
    fails = kept.estimate.low > limit
    if not fails and not kept.estimate.high < limit:
        why = f"The share kept may be below or above {percent(limit)}{settled_by(kept.estimate, limit)}"
        if not isfinite(kept.estimate.low) or not isfinite(kept.estimate.high):
            close = "too seldom right" if in_words else "too close to guessing"
            why = f"{before} it is {close} for {kept.estimate.n} questions to bound the share kept"
        return leave_open("limit-inside-interval", numbers, why, *both)
    if answered is None or not (answered.estimate.low > limit if fails else answered.estimate.high < limit):
        silent = _explain_unanswered(test.baseline if fails else arm, measures, answered, in_words=in_words)
        return leave_open("gives-no-answer", numbers, silent, *both)
    removed = "the image" if "image" in changes else "the removed part"
    if fails:
        needs_not = "needs neither question nor image" if "text" in changes else f"does not need {removed}"
        return decide(Status.FAIL, numbers, f"Most of this score {needs_not}", *both)
    needed = "the question, the image or both" if "text" in changes else removed
    return decide(Status.PASS, numbers, f"Most of this score needs {needed}", *both)


def _format_share_kept(estimate: Estimate, *, in_words: bool) -> str:
    """Format the share of accuracy kept; above chance if there are options."""
    if not isfinite(estimate.value):
        return f"an unknown share of its accuracy{'' if in_words else ' above chance'}"
    of = "of its accuracy" if in_words else "above chance"
    return f"{percent(estimate.value)} {of} {span(estimate.low, estimate.high)}"


def _explain_unanswered(arm: Arm, measures: Measures, answered: Measure | None, *, in_words: bool) -> str:
    """Explain which missing answers in an arm prevent a verdict."""
    rates = {
        "declines": ("abstention_rate", "refusal_rate", "flagged_quality_rate"),
        "is cut off in": ("truncated_rate",),
        "gives no readable answer to": ("unparsed_rate",),
        "gives an empty response to": ("empty_rate",),
        "is unclear in": ("unclear_rate",),
    }
    shares = {word: sum_rates(measures, arm.name, *names) for word, names in rates.items()}
    word = max(shares, key=shares.__getitem__)
    silent = f"{arm.in_words} it {word} {percent(shares[word])} of the questions"
    if answered is None:
        return f"{silent}, and missing answers alone do not decide the verdict"
    share = _format_share_kept(answered.estimate, in_words=in_words)
    kept = f"on the {answered.estimate.n} answered under both conditions it keeps {share}"
    return f"{silent}; {kept}"


def settled_by(estimate: Estimate, threshold: float, items: str = "questions") -> str:
    """Estimate how many items would place a value on one side of a threshold.

    >>> settled_by(Estimate(0.3, 0.05, 0.55, 60, "wilson"), 0.5)
    '; about 94 questions would settle it'
    >>> settled_by(Estimate(0.48, 0.2, 0.75, 60, "wilson"), 0.5)
    ''
    """
    away = threshold - estimate.value
    reach = estimate.high - estimate.value if away > 0 else estimate.value - estimate.low
    if not isfinite(reach) or away == 0:
        return ""
    return _suggest_size(estimate.n, reach / abs(away), items)


def _suggest_size(n: int, times: float, items: str = "questions") -> str:
    """Suggest the number of items for an interval `times` narrower. Return "" if it would be too large."""
    needed = n * times * times  # ** would raise OverflowError if the result is infinite
    if not n < needed <= LARGEST * n:
        return ""
    step = 10 ** max(0, floor(log10(needed)) - 1)
    return f"; about {ceil(needed / step) * step:,} {items} would settle it"


MOVED_WORDS = {
    Moves.ANY: "of the answers change",
    Moves.HARMFUL: "of the answers change, other than to the right one",
    Moves.LOST: "of the right answers are lost",
    Moves.FLIPPED: "of the answers turn from right to wrong or back",
}


def stable(
    test: StressTest, arm: Arm, measures: Measures, *, which: Moves = Moves.ANY, both_ways: bool = True
) -> Verdict:
    """Pass if neither the accuracy nor more than a few answers change.

    With several responses per question, answers count as changed only beyond the change between repeats. With
    `both_ways`, a rise of the accuracy is as bad as a fall.
    """
    change, moved = measures.get((arm.name, "difference")), _find_changed_answers(arm.name, measures, which)
    if change is None:
        return _not_compared(test, arm)
    accuracies = accuracy_under(arm, measures)
    share_moved = _share_moved(arm.name, measures, which, moved) if moved else ""
    numbers = f"{accuracies}; {share_moved}" if moved else accuracies
    found, (_, margin, few) = change.estimate, test.thresholds
    harmful = is_shown(change) and (both_ways or found.value < 0)
    if harmful and (why := explain_unread(test.baseline.name, arm.name, measures)):
        return leave_open("could-not-be-read", numbers, why, (change, 0.0))
    if harmful:
        why = "the change in accuracy is larger than chance explains"
        return decide(Status.FAIL, numbers, why, (change, 0.0), reasons=2)
    if moved is None:
        why = "no question was answered under both conditions, so changes cannot be counted"
        return leave_open("not-compared", numbers, why, (change, -margin))
    share = moved.estimate
    if share.low > few:
        above, once = measures.get((test.baseline.name, "above_chance")), ""
        if moved.name.endswith("_rate"):
            if above is None or above.estimate.low <= 0 or above.estimate.p is None or above.estimate.p >= SURELY:
                why = "its accuracy is not clearly above chance, and guesses change by themselves"
                return leave_open("not-above-chance", numbers, why, (moved, few))
            once = "; with one run each, some may change from run to run anyway"
        why = f"surely more than {percent(few)} of the answers change{once}"
        return decide(Status.FAIL, f"{share_moved}; {accuracies}", why, (moved, few), reasons=2)
    inside = found.low > -margin and (found.high < margin or not both_ways)
    if inside and share.high < few:
        ends = [(change, -margin), *([(change, margin)] if both_ways else [])]
        return decide(Status.PASS, numbers, "it is stable", *ends, (moved, few))
    if inside:
        why = f"up to {percent(share.high)} may change{settled_by(share, few)}"
        return leave_open("limit-inside-interval", numbers, why, (moved, few))
    return still_possible(numbers, change, margin, both_ways=both_ways)


def _find_changed_answers(arm: str, measures: Measures, which: Moves) -> Measure | None:
    """Return the share of changed answers, beyond that between repeats if it is known."""
    return measures.get((arm, f"{which}_beyond_rerun")) or measures.get((arm, f"{which}_rate"))


def _share_moved(arm: str, measures: Measures, which: Moves, moved: Measure) -> str:
    share = measures[arm, f"{which}_rate"].estimate
    words = f"{rate_of(share)} {MOVED_WORDS[which]}"
    return words if moved.name.endswith("_rate") else f"{words}, {points_of(moved.estimate)} more than from run to run"


def still_possible(numbers: str, change: Measure, margin: float, *, both_ways: bool) -> Verdict:
    """Return "not decided" with the possible change and the number of questions needed."""
    found = change.estimate
    rises = both_ways and found.high >= margin
    falls = found.low <= -margin
    which = {(True, False): f"a loss of {points(-found.low)}", (False, True): f"a gain of {points(found.high)}"}
    allowed = which.get((falls, rises), f"a change of {points(max(-found.low, found.high))}")
    times = max(
        (found.value - found.low) / (found.value + margin) if falls and found.value > -margin else 0.0,
        (found.high - found.value) / (margin - found.value) if rises and found.value < margin else 0.0,
    )
    settled = _suggest_size(found.n, times) if abs(found.value) < margin else ""
    ends = [(change, -margin), *([(change, margin)] if both_ways else [])]
    return leave_open("limit-inside-interval", numbers, f"{allowed} is still possible{settled}", *ends)


def _not_compared(test: StressTest, arm: Arm) -> Verdict:
    why = f"too few questions were asked both {test.baseline.in_words} and {arm.in_words}"
    return leave_open("not-compared", "", why)


def changes(test: StressTest, arm: Arm, measures: Measures) -> Verdict:
    """Pass if most answers change, as they should when the correct answer changes."""
    if (moved := measures.get((arm.name, "changed_rate"))) is None:
        return _not_compared(test, arm)
    return _in_most(moved, f"{rate_of(moved.estimate)} of the answers change {arm.in_words}")


def abstains(test: StressTest, arm: Arm, measures: Measures) -> Verdict:
    """Pass if the model mostly says that it cannot tell."""
    if (abstained := measures.get((arm.name, "abstention_rate"))) is None:
        return leave_open("nothing-asked", "", f"No question was answered {arm.in_words}")
    return _in_most(abstained, f"{rate_of(abstained.estimate)} of its responses {arm.in_words} say that it cannot tell")


def _in_most(measure: Measure, numbers: str) -> Verdict:
    rate = measure.estimate
    if not rate.low <= 0.5 <= rate.high:
        return decide(Status.PASS if rate.low > 0.5 else Status.FAIL, numbers, "", (measure, 0.5))
    why = f"it may be fewer than half{settled_by(rate, 0.5)}"
    return leave_open("limit-inside-interval", numbers, why, (measure, 0.5))


def report_only(test: StressTest, arm: Arm, measures: Measures) -> Verdict:
    """Report without pass or fail: it is not known what a good model does in this condition."""
    change = measures.get((arm.name, "difference"))
    numbers = accuracy_under(arm, measures) if change else ""
    return Verdict(Status.REPORTED, numbers, f"what a good model does {arm.in_words} is not known here", change)


def measure_lost_answers(baseline: str, arm: str, measures: Measures) -> float:
    """Return the additional share of questions without an answer in an arm."""
    return sum_rates(measures, arm, *RATES) - sum_rates(measures, baseline, *RATES)


def explain_unread(baseline: str, arm: str, measures: Measures) -> str | None:
    """Explain that most of a change is due to unreadable responses in one arm. None if it is not."""
    change = measures[arm, "difference"].estimate.value
    more = sum_rates(measures, arm, *UNREAD) - sum_rates(measures, baseline, *UNREAD)
    if more * change >= 0 or abs(more) < abs(change) / 2:
        return None
    return f"{points(abs(more))} of this change are due to unreadable, cut-off or empty responses"


def sum_rates(measures: Measures, arm: str, *names: str) -> float:
    """Sum the rates with these names that an arm has."""
    return sum(measures[arm, name].estimate.value for name in names if (arm, name) in measures)


def decide_beyond(beyond: Measure, least: float, numbers: str, passes: str, fails: str, lost: float) -> Verdict:
    """Decide if something is named at least `least` more often when present than when absent.

    The verdict is "not decided" with few questions, or if the share of lost responses (`lost`) could change it.
    """
    found = beyond.estimate
    if found.n < FEWEST:
        why = f"fewer than {FEWEST} questions are too few to tell"
        return leave_open("few-answers", numbers, why, (beyond, least))
    if found.low > least:
        return decide(Status.PASS, numbers, passes, (beyond, least))
    if found.high < least <= found.high + lost:
        why = f"{percent(lost)} of the responses were cut off, are empty or could not be read"
        return leave_open("could-not-be-read", numbers, why, (beyond, least), unread=lost)
    if found.high < least:
        return decide(Status.FAIL, numbers, fails, (beyond, least))
    return leave_open("limit-inside-interval", numbers, "", (beyond, least))


def significant(measure: Measure) -> bool:
    """Return True if the measure's corrected p-value is significant."""
    return measure.p_adjusted is not None and measure.p_adjusted < SIGNIFICANT


def could_show(measure: Measure) -> str:
    """Describe the smallest change that this number of items can show."""
    n, detectable = measure.estimate.n, measure.detectable
    if detectable is None:
        return f"{n} {'question is' if n == 1 else 'questions are'} too few to show any change"
    return f"{n} questions show a change of {points(detectable)} with 80% power"


def require_no_harm(test: StressTest, measures: Measures) -> Verdict:
    """Pass if no arm loses accuracy or changes correct answers to wrong ones."""
    return worst([stable(test, arm, measures, which=Moves.HARMFUL, both_ways=False) for arm in test.compared])


def with_moves(which: Moves, test: StressTest, table: Table) -> Sequence[Measure]:
    """Measure accuracies, rates and differences of every arm, and one kind of changed answers."""
    found = list(accuracies(test, table))
    for arm in test.compared:
        if differences(test.baseline.name, arm.name, table):
            found += moves(test.baseline.name, arm.name, table, which)
    return found


def loses_nothing(test: StressTest, arm: Arm, measures: Measures) -> Verdict:
    """Pass if accuracy does not fall; changed answers do not matter."""
    change = measures.get((arm.name, "difference"))
    if change is None:
        return _not_compared(test, arm)
    found, margin, numbers = change.estimate, test.thresholds.margin, accuracy_under(arm, measures)
    if is_shown(change) and (why := explain_unread(test.baseline.name, arm.name, measures)):
        return leave_open("could-not-be-read", numbers, why, (change, 0.0))
    if is_shown(change) and found.value < 0:
        return decide(Status.FAIL, numbers, "it loses accuracy", (change, 0.0))
    if found.low > -margin:
        return decide(Status.PASS, numbers, "it loses no accuracy that matters", (change, -margin))
    return still_possible(numbers, change, margin, both_ways=False)
