"""Standard measures: accuracies, rates and paired differences from the baseline.

A test with measures of its own declares their `Kind` in its module.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from snellen.reading.columns import Floats
from snellen.reading.missing_image import Admission
from snellen.reading.open.judged import JudgedAnswers
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import parser_named
from snellen.stats import (
    Estimate,
    bootstrap,
    cohens_d,
    luck_p,
    minimum_detectable_effect,
    minimum_detectable_gain,
    minimum_detectable_mean,
    paired_difference,
    proportion,
    ratio_above_chance,
    spread,
    student_t_over_items,
    wilson,
)
from snellen.stress.base import Expectation, Kind, Measure, StressTest, Unit, by_name
from snellen.stress.table import Moves, Paired, PerItem, Table

ANSWERED = (Outcome.CORRECT, Outcome.WRONG)
KEPT, KEPT_ANSWERED = "kept_above_chance", "kept_above_chance_answered"
FEWEST = 6
"""Fewer items than this are too few for any conclusion."""

KINDS = by_name(
    Kind("accuracy", "accuracy", Unit.SHARE, grouped=True),
    Kind("accuracy_answered", "accuracy on answered questions", Unit.SHARE, grouped=True),
    Kind("abstention_rate", "says it cannot tell", Unit.SHARE, grouped=True),
    Kind("refusal_rate", "refuses", Unit.SHARE, grouped=True),
    Kind("flagged_quality_rate", "says the image is too poor", Unit.SHARE),
    Kind("unparsed_rate", "response could not be read", Unit.SHARE),
    Kind("empty_rate", "response is empty", Unit.SHARE),
    Kind("truncated_rate", "response was cut off", Unit.SHARE),
    Kind("unsure_rate", "response was read by a rule that is not reliable enough", Unit.SHARE),
    Kind("missing_rate", "response never came", Unit.SHARE, parser=""),
    Kind("above_chance", "accuracy above guessing", Unit.POINTS),
    Kind("difference", "change in accuracy", Unit.POINTS, grouped=True),
    Kind("baseline_accuracy", "accuracy before the change, on the same items", Unit.SHARE, grouped=True),
    Kind("bootstrap_difference", "change in accuracy, with the interval that papers print", Unit.POINTS),
    Kind("cohens_d", "change in accuracy relative to its spread (Cohen's d)", Unit.NUMBER),
    Kind("changed_rate", "choices that changed", Unit.SHARE),
    Kind("changed_beyond_rerun", "choices that changed, beyond those that change from run to run", Unit.POINTS),
    Kind("harmed_rate", "choices that changed, other than to the right answer", Unit.SHARE),
    Kind(
        "harmed_beyond_rerun",
        "choices that changed, other than to the right answer, beyond those that change from run to run",
        Unit.POINTS,
    ),
    Kind("lost_rate", "right answers that were lost", Unit.SHARE),
    Kind("lost_beyond_rerun", "right answers that were lost, beyond those lost from run to run", Unit.POINTS),
    Kind("flipped_rate", "answers that turned from right to wrong or back", Unit.SHARE),
    Kind(
        "flipped_beyond_rerun",
        "answers that turned from right to wrong or back, beyond those that turn from run to run",
        Unit.POINTS,
    ),
    Kind(KEPT, "share of the accuracy above chance that is kept", Unit.RATIO),
    Kind(
        KEPT_ANSWERED,
        "share of the accuracy above chance that is kept, on questions answered under both conditions",
        Unit.RATIO,
    ),
    Kind("between_run_variance", "spread from run to run (SD)", Unit.VARIANCE),
    Kind("within_item_variance", "spread within an item (SD)", Unit.VARIANCE),
    Kind("between_item_variance", "spread from item to item (SD)", Unit.VARIANCE),
    Kind("unanimous_rate", "items answered alike in all runs", Unit.SHARE),
    Kind("rerun_changed_rate", "choices that differ between two runs", Unit.SHARE),
)
"""Measures of every test."""
SHARED = by_name(
    Kind("answered_rate", "chooses an option", Unit.SHARE),
    Kind("silence_rate", "no answer: cannot tell, or refuses", Unit.SHARE),
    Kind("stuck_rate", "keeps its old answer although the image is different", Unit.SHARE),
    Kind("judge_kappa", "agreement of judge and parser on what a response does (Cohen's κ)", Unit.NUMBER, judged=True),
    Kind(f"{Admission.MISSING}_share", "says that there is no image", Unit.SHARE),
    Kind(f"{Admission.HEDGES}_share", "voices doubt in its own answer", Unit.SHARE),
    Kind(f"{Admission.DESCRIBES}_share", "describes an image", Unit.SHARE),
    Kind(f"{Admission.GENERIC}_share", "speaks in general terms", Unit.SHARE),
    Kind(f"{Admission.REFUSES}_share", "declines", Unit.SHARE),
    Kind(f"{Admission.EMPTY}_share", "says nothing", Unit.SHARE),
)
"""Measures of several tests, which each compute in their own way."""
RATES = {
    "abstention_rate": Outcome.ABSTAINED,
    "refusal_rate": Outcome.REFUSED,
    "flagged_quality_rate": Outcome.FLAGGED_QUALITY,
    "unparsed_rate": Outcome.UNPARSED,
    "truncated_rate": Outcome.TRUNCATED,
    "empty_rate": Outcome.EMPTY,
}
UNREAD = ("unparsed_rate", "truncated_rate", "empty_rate")
"""Rates of responses whose answer may be lost: unreadable, cut off or empty."""


def standard_measures(test: StressTest, table: Table) -> Sequence[Measure]:
    """Measure accuracies and rates of every arm, and paired differences from the baseline."""
    measures = [measure for arm in test.all_arms for measure in of_arm(arm.name, table)]
    for arm in test.compared:
        measures += differences(test.baseline.name, arm.name, table)
        if test.expects is Expectation.WORSE:
            measures += measure_share_kept(test.baseline.name, arm.name, table)
    return measures


def accuracies(test: StressTest, table: Table) -> Sequence[Measure]:
    """Measure accuracies, rates and differences of every arm, without changed answers."""
    found = [each for arm in test.all_arms for each in of_arm(arm.name, table)]
    for arm in test.compared:
        compared = differences(test.baseline.name, arm.name, table)
        found += [each for each in compared if not each.name.startswith(f"{Moves.ANY}_")]
    return found


def of_arm(arm: str, table: Table) -> Sequence[Measure]:
    """Measure accuracies, rates and the margin over chance of an arm. No choice counts as a guess."""
    return table.compute_once(("of condition", arm), lambda: tuple(_of_arm(arm, table)))


def _of_arm(arm: str, table: Table) -> Iterator[Measure]:
    grades = table.arms.get(arm)
    if grades is not None and grades.wanted:
        yield Measure(arm, KINDS["missing_rate"], wilson(grades.missing, grades.wanted))
    if not grades:
        return
    correct = table.share(arm, [Outcome.CORRECT])
    yield Measure(arm, KINDS["accuracy"], _accuracy(table, arm, correct))
    answered = table.share(arm, [Outcome.CORRECT], among=ANSWERED)
    if len(answered.ordinal):
        yield Measure(arm, KINDS["accuracy_answered"], _accuracy(table, arm, answered))
    for name, outcome in RATES.items():
        if table.of_group and not KINDS[name].grouped:
            continue
        if table.ends_known or outcome is not Outcome.TRUNCATED or grades.is_(outcome).any():
            yield Measure(arm, KINDS[name], share(table, table.share(arm, [outcome])))
    if table.of_group:
        return
    if parser_named(table.parser).counted:
        yield Measure(arm, KINDS["unsure_rate"], share(table, table.rate(arm, table.unsure(arm))))
    above = paired_change(table, table.chance, credit_guesses(table, arm))
    assert above is not None
    yield Measure(arm, KINDS["above_chance"], above)
    yield from _over_runs(arm, table)


def differences(baseline: str, arm: str, table: Table) -> Sequence[Measure]:
    """Measure an arm's accuracy minus the baseline's, and changed answers, on shared items."""
    return table.compute_once(("differences", baseline, arm), lambda: tuple(_differences(baseline, arm, table)))


def _differences(baseline: str, arm: str, table: Table) -> Iterator[Measure]:
    if not (len(table.arms.get(baseline, ())) and len(table.arms.get(arm, ()))):
        return
    before = table.share(baseline, [Outcome.CORRECT])
    after = table.share(arm, [Outcome.CORRECT])
    pairs = table.pair_items(before, after)
    if not len(pairs.ordinal):
        return
    change = Measure(arm, KINDS["difference"], paired_difference(pairs.first, pairs.second, clusters=pairs.clusters))
    accuracy_before = Measure(arm, KINDS["baseline_accuracy"], share(table, PerItem(pairs.ordinal, pairs.first)))
    if table.of_group:
        yield from (change, accuracy_before)
        return
    effect = detectable_difference(pairs, repeated=table.arms[baseline].repeated or table.arms[arm].repeated)
    yield replace(change, detectable=effect if effect <= 1 else None)
    yield accuracy_before
    yield from _as_published(arm, table, pairs)
    yield from moves(baseline, arm, table, Moves.ANY)


def moves(baseline: str, arm: str, table: Table, which: Moves) -> Iterator[Measure]:
    """Measure changed answers and, with repeats, how many exceed the changes between repeats."""
    if table.of_group:
        return
    found = table.moved(baseline, arm, which)
    if not len(found.ordinal):
        return
    yield Measure(arm, KINDS[f"{which}_rate"], share(table, found))
    alone = mean_of(*(column(table, table.moved_by_itself(each, which)) for each in (baseline, arm)))
    if (beyond := paired_change(table, alone, column(table, found))) is not None:
        yield Measure(arm, KINDS[f"{which}_beyond_rerun"], beyond)


def measure_share_kept(baseline: str, arm: str, table: Table) -> Iterator[Measure]:
    """Measure the share of accuracy above chance that is kept.

    One measure covers all questions, and counts a response without an answer as a guess. The other covers the questions
    answered in both arms.
    """
    if table.of_group or not (len(table.arms.get(baseline, ())) and len(table.arms.get(arm, ()))):
        return
    every = [credit_guesses(table, each) for each in (baseline, arm)]
    answered = [column(table, table.share(each, [Outcome.CORRECT], among=ANSWERED)) for each in (baseline, arm)]
    for name, (before, after) in ((KEPT, every), (KEPT_ANSWERED, answered)):
        there = np.isfinite(before) & np.isfinite(after)
        if there.sum() >= FEWEST:
            found = ratio_above_chance(after[there], before[there], table.chance[there], clusters=table.clusters[there])
            yield Measure(arm, KINDS[name], found)


def _as_published(arm: str, table: Table, pairs: Paired) -> Iterator[Measure]:
    """The difference with a bootstrap interval and as Cohen's d.

    There is neither if all items have the same difference. There is no d if fewer than six items differ from the most
    frequent difference. Its standard deviation would then be near 0: if one of 200 items stays the same, d is −14.
    """
    differences = pairs.second - pairs.first
    alike = np.unique(differences.round(9), return_counts=True)[1]  # thirds differ in their last digits
    if len(alike) == 1 or len(np.unique(pairs.clusters)) < 2:
        return
    found = bootstrap(differences, seed=0, clusters=pairs.clusters, resamples=2000)
    yield Measure(arm, KINDS["bootstrap_difference"], found)
    if len(differences) - int(alike.max()) >= FEWEST:
        yield Measure(arm, KINDS["cohens_d"], cohens_d(differences, clusters=pairs.clusters))


def detectable_difference(pairs: Paired, *, repeated: bool) -> float:
    """Return the smallest difference that this number of items shows with 80% power."""
    differences = pairs.second - pairs.first
    if repeated and np.ptp(differences) > 0:
        return minimum_detectable_mean(differences, clusters=pairs.clusters)
    discordance = max(float(np.mean(differences != 0)), 1 / len(differences))
    return minimum_detectable_effect(len(differences), discordance=discordance)


def detectable_margin(table: Table, luck: PerItem) -> float | None:
    """Return the smallest margin that this many patients show with 80% power, or None."""
    by_luck = float(luck.value.mean())
    if not 0 < by_luck < 1:
        return None
    patients = len(np.unique(table.clusters[luck.ordinal]))
    found = minimum_detectable_gain(patients, by_luck)
    return found if found <= 1 and patients >= FEWEST else None


def margins_over_chance(arm: str, table: Table, kind: Kind) -> Iterator[Measure]:
    """Measure the accuracy above guessing, with a p-value that allows for skewed hits by chance."""
    for margin in (each for each in of_arm(arm, table) if each.name == "above_chance"):
        asked = np.unique(table.arms[arm].ordinal)
        hits = table.share(arm, [Outcome.CORRECT], among=ANSWERED)
        found = not_by_luck(margin.estimate, hits, table.chance[hits.ordinal])
        yield Measure(arm, kind, found, detectable=detectable_margin(table, PerItem(asked, table.chance[asked])))


def not_by_luck(estimate: Estimate, hits: PerItem, luck: Floats) -> Estimate:
    """Raise the p of a margin over chance to that of `luck_p`. It is unchanged if items have repeats."""
    if estimate.p is None or not np.isin(hits.value, (0, 1)).all():
        return estimate
    by_luck = luck_p(hits.value, luck) if len(hits.ordinal) else 1.0
    return replace(estimate, p=max(estimate.p, by_luck))


def share_of(table: Table, arm: str, outcome: Outcome) -> PerItem | None:
    """Return, per item, the share of an arm's responses with an outcome; None without responses."""
    return table.share(arm, [outcome]) if len(table.arms.get(arm, ())) else None


def read_by(kinds: Mapping[str, Kind], table: Table, arm: str, parser: str) -> dict[str, Kind]:
    """Set the parser that read an arm in all kinds, unless judges graded it."""
    judged = len(table.arms.get(arm, ())) and table.arms[arm].of(JudgedAnswers) is not None
    return {name: kind if judged else kind._replace(parser=parser) for name, kind in kinds.items()}


def share(table: Table, values: PerItem) -> Estimate:
    """Estimate the mean share over items, allowing for several items of one patient."""
    return proportion(values.value, clusters=table.clusters[values.ordinal])


def _accuracy(table: Table, arm: str, values: PerItem) -> Estimate:
    """Accuracy over items; with repeats of independent items, Student's interval cut at 0 and 1."""
    apart = len(np.unique(table.clusters[values.ordinal])) == len(values.ordinal)
    if table.arms[arm].repeated and apart and np.ptp(values.value) > 0:
        found = student_t_over_items(values.value)
        return replace(found, low=max(found.low, 0.0), high=min(found.high, 1.0))
    return share(table, values)


def _over_runs(arm: str, table: Table) -> Iterator[Measure]:
    grades = table.arms[arm]
    if not grades.repeated:
        return
    patients = table.clusters[grades.ordinal]
    found = spread(grades.ordinal, grades.replicate, grades.is_(Outcome.CORRECT), clusters=patients)
    if found is None:
        return
    variances = (found.between_runs, found.within_items, found.between_items)
    for where, variance in zip(("between_run", "within_item", "between_item"), variances, strict=True):
        yield Measure(arm, KINDS[f"{where}_variance"], variance)
    yield Measure(arm, KINDS["unanimous_rate"], share(table, table.unanimous(arm)))
    rerun = table.moved_by_itself(arm)
    if len(rerun.ordinal):
        yield Measure(arm, KINDS["rerun_changed_rate"], share(table, rerun))


SILENT = (Outcome.ABSTAINED, Outcome.REFUSED)


def nothing(table: Table) -> Floats:
    """Return a column of NaN, one per item."""
    return np.full(len(table.items), np.nan)


def column(table: Table, values: PerItem) -> Floats:
    """Return a column with one value per item; NaN if an item has none."""
    made = nothing(table)
    made[values.ordinal] = values.value
    return made


def right(table: Table, arm: str) -> Floats:
    """Return each item's share of correct responses; everything else counts as wrong."""
    return column(table, table.share(arm, [Outcome.CORRECT])) if arm in table.arms else nothing(table)


def credit_guesses(table: Table, arm: str) -> Floats:
    """Return each item's share of correct responses, counting no choice as a guess."""
    if arm not in table.arms:
        return nothing(table)
    chosen = column(table, table.share(arm, ANSWERED))
    return np.asarray(right(table, arm) + (1 - chosen) * table.chance)


def paired_change(table: Table, before: Floats, after: Floats) -> Estimate | None:
    """Estimate the mean change between two columns, on the items with both. None if no item has both."""
    there = np.flatnonzero(np.isfinite(before) & np.isfinite(after))
    return paired_difference(before[there], after[there], clusters=table.clusters[there]) if len(there) else None


def blank_unpaired(before: Floats, after: Floats) -> tuple[Floats, Floats]:
    """Set both columns to NaN wherever one of them is NaN."""
    gaps = np.isnan(before) | np.isnan(after)
    return np.where(gaps, np.nan, before), np.where(gaps, np.nan, after)


def mean_of(*columns: Floats) -> Floats:
    """Return the mean of the columns per item, ignoring NaN; NaN if all are."""
    there = np.isfinite(np.stack(columns))
    count = there.sum(axis=0)
    sums = np.where(there, np.stack(columns), 0).sum(axis=0)
    return np.asarray(np.where(count > 0, sums / np.maximum(count, 1), np.nan))
