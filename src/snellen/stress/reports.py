"""Measures of generated reports: agreement with references, and dependence on the image."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from math import isfinite

import numpy as np

from snellen.reading.columns import Floats, Integers
from snellen.reading.outcomes import Outcome
from snellen.reading.reports.columns import Reports
from snellen.reading.reports.comparison import ReportComparison, compare_reports
from snellen.reading.reports.metrics import Pair, metric_named
from snellen.reading.reports.reading import align_sections
from snellen.stats import (
    Estimate,
    bonett_price,
    mean,
    mean_score,
    permutation_test,
    ratio_above_chance,
    ratio_of_accuracies,
    wilson,
)
from snellen.stress.base import Kind, Measure, StressTest, Unit, by_name
from snellen.stress.measures import FEWEST, RATES, column, share
from snellen.stress.measures import KINDS as USUAL_KINDS
from snellen.stress.table import Grades, PerItem, Table

F1, BEYOND, KEPT, WRITTEN = "findings_f1", "findings_beyond_others", "findings_kept", "written_rate"
REACH = "reference_beyond_others"
WORDS = ("bleu", "rouge-l")
"""Text metrics, computed if their packages are installed."""
KINDS = by_name(
    Kind(WRITTEN, "writes a report that can be read", Unit.SHARE, grouped=True),
    Kind(F1, "findings F1 against the references", Unit.SCORE, grouped=True),
    Kind("findings_precision", "findings of the report that the reference has", Unit.SCORE),
    Kind("findings_recall", "findings of the reference that the report has", Unit.SCORE),
    Kind("abnormal_f1", "findings F1 over findings present in the report or the reference", Unit.SCORE, grouped=True),
    Kind("abnormal_precision", "abnormal findings of the report that the reference has", Unit.SCORE),
    Kind("abnormal_recall", "abnormal findings of the reference that the report has", Unit.SCORE),
    Kind("findings_f1_of_asked", "findings F1, counting a response that is not a report as 0", Unit.SCORE),
    Kind("findings_f1_of_others", "findings F1 against the references of other patients", Unit.SCORE),
    Kind(BEYOND, "findings F1 minus findings F1 against other patients' references", Unit.POINTS),
    Kind(REACH, "1 minus findings F1 of the references against other patients'", Unit.POINTS),
    Kind(KEPT, "share of the findings F1 beyond other patients' that is kept", Unit.RATIO),
    Kind("found_without_image", "correct findings that were also reported without the image", Unit.SHARE),
    Kind(
        "abnormal_without_image",
        "correct abnormal findings that were also reported without the image",
        Unit.SHARE,
    ),
    Kind("bleu", "BLEU: shared sequences of one to four words with the reference", Unit.SCORE, parser=""),
    Kind("rouge_l", "ROUGE-L: longest common subsequence of words with the reference", Unit.SCORE, parser=""),
)
"""Measures of reports."""
OTHERS = 20
"""Largest number of other patients whose references a report is compared with."""
_SCORES = {f"findings_{score}": score for score in ("f1", "precision", "recall")} | {
    score: score for score in ("abnormal_f1", "abnormal_precision", "abnormal_recall")
}


def report_measures(test: StressTest, table: Table) -> Sequence[Measure]:
    """Measure every arm's scores, how well reports fit their own patient, and shares kept."""
    found = [each for arm in test.all_arms for each in _of_arm(arm.name, table)]
    found += _reach(test.baseline.name, table)
    for arm in test.compared:
        found += _measure_kept(test.baseline.name, arm.name, table)
    return found


def measure_written(arm: str, table: Table) -> Iterator[Measure]:
    """Measure how often an arm's responses are reports, and why the others are none."""
    grades = table.arms.get(arm)
    if grades is not None and grades.wanted:
        yield Measure(arm, USUAL_KINDS["missing_rate"], wilson(grades.missing, grades.wanted))
    if not grades:
        return
    yield Measure(arm, KINDS[WRITTEN], share(table, table.share(arm, [Outcome.SCORED])))
    for name, outcome in RATES.items():
        if table.ends_known or outcome is not Outcome.TRUNCATED or grades.is_(outcome).any():
            yield Measure(arm, USUAL_KINDS[name], share(table, table.share(arm, [outcome])))


def _of_arm(arm: str, table: Table) -> Iterator[Measure]:
    yield from measure_written(arm, table)
    grades = table.arms.get(arm)
    said = grades.of(Reports) if grades else None
    if not grades or said is None:
        return
    for name, of in _SCORES.items():
        if (values := _per_item(table, grades, getattr(said, of))) is not None:
            yield Measure(arm, KINDS[name], _mean(table, values))
    all_asked = table.means(grades.ordinal, np.nan_to_num(said.f1))
    yield Measure(arm, KINDS["findings_f1_of_asked"], _mean(table, all_asked))
    for name in WORDS:
        if (values := _per_item(table, grades, _by_metric(name, said))) is not None:
            yield Measure(arm, KINDS[name.replace("-", "_")], _mean(table, values))
    own, others = _per_item(table, grades, said.f1), against_others(table, arm)
    if own is None or others is None:
        return
    yield Measure(arm, KINDS["findings_f1_of_others"], _mean(table, others))
    pairs = table.pair_items(others, own)
    yield Measure(arm, KINDS[BEYOND], _gain(pairs.second - pairs.first, pairs.clusters))


def _reach(arm: str, table: Table) -> Iterator[Measure]:
    """Measure how much better references fit their own patients than others."""
    others = against_others(table, arm) if table.arms.get(arm) else None
    if others is None:
        return
    scores = [_against_other_patients(table, int(at), str(table.items[at].answer)) for at in others.ordinal]
    gains = 1 - np.array(scores)
    known = np.isfinite(gains)
    if known.any():
        found = _gain(gains[known], table.clusters[others.ordinal[known]])
        yield Measure(arm, KINDS[REACH], replace(found, p=None, least_p=None))


def _mean(table: Table, values: PerItem) -> Estimate:
    return mean_score(values.value, clusters=table.clusters[values.ordinal])


def _gain(differences: Floats, clusters: Integers) -> Estimate:
    if len(differences) < 2 or np.ptp(differences) == 0:
        return bonett_price(differences, clusters)
    p = permutation_test(differences, clusters, resamples=10_000, seed=0)
    return replace(mean(differences, clusters=clusters), p=p.p, least_p=p.least)


def _by_metric(name: str, said: Reports) -> Floats:
    """Return a text metric per report. NaN if it is undefined or its package is missing."""
    metric, there = metric_named(name), np.flatnonzero(np.isfinite(said.f1))
    made = np.full(len(said.f1), np.nan)
    if len(there) and not metric.missing():
        scores = metric.score([Pair(said.generated[at], said.reference[at]) for at in there])
        made[there] = np.clip(scores, 0.0, 1.0)  # rounding may put the metric just above 1
    return made


def _per_item(table: Table, grades: Grades, values: Floats) -> PerItem | None:
    """Return the mean over the responses of each item that have a value. None if none has."""
    there = np.isfinite(values)
    return table.means(grades.ordinal[there], values[there]) if there.any() else None


def against_others(table: Table, arm: str) -> PerItem | None:
    """Return the mean findings F1 against references of other patients in the same category."""

    def compare() -> PerItem | None:
        grades = table.arms[arm]
        if (said := grades.of(Reports)) is None:
            return None
        values = np.full(len(grades), np.nan)
        for at in np.flatnonzero(np.isfinite(said.f1)):
            values[at] = _against_other_patients(table, int(grades.ordinal[at]), said.whole[at])
        return _per_item(table, grades, values)

    return table.compute_once(("against others", arm), compare)


def _against_other_patients(table: Table, ordinal: int, report: str) -> float:
    """Return one report's mean findings F1 against other patients' references; NaN without any."""
    scores = [score_findings(report, str(table.items[other].answer)) for other in _other_patients(table, ordinal)]
    known = [score for score in scores if np.isfinite(score)]
    return float(np.mean(known)) if known else np.nan


@lru_cache(maxsize=65_536)
def score_findings(generated: str, reference: str) -> float:
    """Return the findings F1 of a report against a reference; NaN without a reference finding."""
    return compare_reports(*align_sections(generated, reference)[1:]).f1


def _other_patients(table: Table, ordinal: int) -> list[int]:
    """List items of other patients in the same category, spread evenly over the benchmark."""
    category = table.items[ordinal].category

    def find_alike() -> Integers:
        return np.array([at for at in table.asked if table.items[at].category == category], dtype=np.int64)

    alike = table.compute_once(("alike", category), find_alike)
    others = alike[table.clusters[alike] != table.clusters[ordinal]]
    if len(others) > OTHERS:
        start = int(np.searchsorted(others, ordinal))
        others = others[(start + np.arange(OTHERS) * len(others) // OTHERS) % len(others)]
    return [int(each) for each in others]


def _measure_kept(baseline: str, arm: str, table: Table) -> Iterator[Measure]:
    """Measure the F1 beyond other patients that is kept, and findings that need no image.

    A response that is not a report keeps nothing: it counts like the report of another patient.
    """
    before, after = table.arms.get(baseline), table.arms.get(arm)
    if not before or not after or (others := against_others(table, baseline)) is None:
        return
    one, two = before.of(Reports), after.of(Reports)
    if one is None or two is None:
        return
    chance = column(table, others)
    own = _per_item(table, before, one.f1)
    assert own is not None
    with_image = column(table, own)
    kept = np.where(np.isfinite(two.f1), two.f1, chance[after.ordinal])
    without = column(table, table.means(after.ordinal, kept))
    there = np.isfinite(chance) & np.isfinite(with_image) & np.isfinite(without)
    if there.sum() >= FEWEST:
        found = ratio_above_chance(without[there], with_image[there], chance[there], clusters=table.clusters[there])
        if isfinite(found.value):
            yield Measure(arm, KINDS[KEPT], found)
    yield from _found_again(baseline, arm, table)


def _found_again(baseline: str, arm: str, table: Table) -> Iterator[Measure]:
    first, second = table.match_responses(baseline, arm)
    one, two = (table.arms[each].of(Reports) for each in (baseline, arm))
    if one is None or two is None:
        return
    pairs = [(one.compared[at], two.compared[again]) for at, again in zip(first, second, strict=True)]
    clusters = table.clusters[table.arms[baseline].ordinal[first]]
    for name, there in (("found_without_image", False), ("abnormal_without_image", True)):
        shares = np.array([_shares(told, again, there=there) for told, again in pairs]).reshape(-1, 2)
        known = np.isfinite(shares[:, 0])
        if shares[known, 0].sum() > 0:
            found = ratio_of_accuracies(shares[known, 1], shares[known, 0], clusters=clusters[known])
            yield Measure(arm, KINDS[name], replace(found, high=min(found.high, 1.0)))


def _shares(told: ReportComparison | None, again: ReportComparison | None, *, there: bool) -> tuple[float, float]:
    """Return the shares of reference findings in one report and in both; NaN without findings.

    With `there`, only findings that are present count.
    """
    places = [at for at, each in enumerate(told.reference) if each.present or not there] if told else []
    if told is None or not places:
        return np.nan, np.nan
    # both reports are compared with the same reference; a response that is not a report counts 0
    both = [min(told.matched[at], again.matched[at]) if again else 0.0 for at in places]
    return float(np.mean([told.matched[at] for at in places])), float(np.mean(both))
