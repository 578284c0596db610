"""Inspect metrics: accuracy by condition, outcomes, and paired differences of conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import isfinite, isnan
from typing import NamedTuple

from inspect_ai.scorer import Metric, SampleScore, Value, metric, value_to_float

from snellen.conditions import ORIGINAL
from snellen.imports.inspect_sample import KEY
from snellen.reading.outcomes import Outcome
from snellen.stats import Estimate, proportion
from snellen.stats import paired_difference as paired_estimate

OUTCOME = "outcome"
"""Key in a score's metadata for the response's outcome."""
FAILED = "failed"
"""The outcome of a sample without a response."""
_worth = value_to_float()


class ScoredSample(NamedTuple):
    """A sample's score: item, condition, patient, and share of correct responses."""

    item: str
    arm: str
    cluster: str
    value: float


@metric
def accuracy_by_condition() -> Metric:
    """Share of correct responses by condition, with 95% interval and number of items.

    A response that abstains, refuses, is cut off or cannot be read is not correct. A sample without a response does not
    count.
    """

    def measure(scores: list[SampleScore]) -> Value:
        found: dict[str, float] = {}
        for arm, items in _by_arm(scores).items():
            values = [each.value for each in items.values()]
            estimate = proportion(values, clusters=[each.cluster for each in items.values()])
            found |= _list_numbers(f"accuracy {arm}".strip(), estimate, "items")
        return found

    return measure


@metric(scores="unreduced")
def outcomes() -> Metric:
    """Count the outcomes of responses by condition."""

    def count_outcomes(scores: list[SampleScore]) -> Value:
        arms = dict.fromkeys(_arm(each) for each in scores)
        counts = Counter((_arm(each), str((each.score.metadata or {}).get(OUTCOME, ""))) for each in scores)
        return {f"{arm} {each}".strip(): counts[arm, each] for arm in arms for each in Outcome if counts[arm, each]}

    return count_outcomes


@metric
def paired_difference(baseline: str = ORIGINAL.name) -> Metric:
    """Difference of accuracy between each condition and `baseline`, on shared items.

    Items of one patient form a cluster. The interval is Bonett and Price's, made robust to clusters. p is McNemar's
    exact one for independent items without repeats, otherwise that of a permutation test. Empty if there is only
    one condition.
    """

    def compare_conditions(scores: list[SampleScore]) -> Value:
        arms = _by_arm(scores)
        before = arms.pop(baseline, {})
        found: dict[str, float] = {}
        for arm, after in arms.items():
            pairs = [(before[name], after[name]) for name in before if name in after]
            if pairs:
                values = ([one.value for one, _ in pairs], [other.value for _, other in pairs])
                estimate = paired_estimate(*values, [one.cluster for one, _ in pairs])
                found |= _list_numbers(f"{arm} − {baseline}", estimate, "pairs")
        return found

    return compare_conditions


def _list_numbers(name: str, estimate: Estimate, counted: str) -> dict[str, float]:
    """List an estimate's numbers for Inspect; the interval's names include the method."""
    ends = (("low", estimate.low), ("high", estimate.high))
    interval = {f"{name} {end} (95% CI, {estimate.method})": value for end, value in ends if isfinite(value)}
    p = {} if estimate.p is None else {f"{name} p": estimate.p}
    return {name: estimate.value, **interval, **p, f"{name} {counted}": estimate.n}


def _by_arm(scores: list[SampleScore]) -> dict[str, dict[str, ScoredSample]]:
    found: dict[str, dict[str, ScoredSample]] = {}
    for score in map(_read_score, scores):
        if not isnan(score.value):
            found.setdefault(score.arm, {})[score.item] = score
    return found


def _read_score(sample: SampleScore) -> ScoredSample:
    metadata = sample.sample_metadata or {}
    record = metadata.get(KEY)
    item = record.get("item") if isinstance(record, Mapping) else None
    name = str(item.get("id") if isinstance(item, Mapping) else sample.sample_id)
    return ScoredSample(name, _arm(sample), str(metadata.get("cluster") or name), _worth(sample.score.value))


def _arm(sample: SampleScore) -> str:
    """Return the condition of a sample; empty if unknown."""
    return str((sample.score.metadata or {}).get("arm") or (sample.sample_metadata or {}).get("arm") or "")
