"""Metrics: accuracy under each condition, what became of the responses, and the paired difference of two conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from math import isfinite, isnan
from typing import NamedTuple

from inspect_ai.scorer import Metric, SampleScore, Value, metric, value_to_float

from snellen.conditions import ORIGINAL
from snellen.imports.inspect_sample import KEY
from snellen.reading.outcomes import Outcome
from snellen.stats import Estimate, proportion
from snellen.stats import paired_difference as paired_estimate

OUTCOME = "outcome"
"""The field of a score's metadata that says what became of the response."""
FAILED = "failed"
"""What became of a sample that has no response at all."""
_worth = value_to_float()


class Scored(NamedTuple):
    """A sample's score: which item under which condition, whose, and the share of its responses that were correct."""

    item: str
    arm: str
    cluster: str
    value: float


@metric
def accuracy_by_condition() -> Metric:
    """The share of correct responses under each condition, with its 95% interval and the number of items.

    Whoever abstains, refuses, is cut off or cannot be read has not answered correctly. A sample without a response is
    not counted.
    """

    def measured(scores: list[SampleScore]) -> Value:
        found: dict[str, float] = {}
        for arm, items in _by_arm(scores).items():
            values = [each.value for each in items.values()]
            estimate = proportion(values, clusters=[each.cluster for each in items.values()])
            found |= _told(f"accuracy {arm}".strip(), estimate, "items")
        return found

    return measured


@metric(scores="unreduced")
def outcomes() -> Metric:
    """How many responses, under each condition, were correct, wrong, abstained, refused, cut off or not readable."""

    def counted(scores: list[SampleScore]) -> Value:
        arms = dict.fromkeys(_arm(each) for each in scores)
        counts = Counter((_arm(each), str((each.score.metadata or {}).get(OUTCOME, ""))) for each in scores)
        return {f"{arm} {each}".strip(): counts[arm, each] for arm in arms for each in Outcome if counts[arm, each]}

    return counted


@metric
def paired_difference(baseline: str = ORIGINAL.name) -> Metric:
    """How much higher accuracy is under each other condition than under `baseline`, over the items that have both.

    Items of one patient count together. The interval is Bonett and Price's, made robust to clusters, and p is McNemar's
    exact one for independent items asked once, that of a permutation test otherwise. Nothing is given where the task
    asks under one condition alone.
    """

    def compared(scores: list[SampleScore]) -> Value:
        arms = _by_arm(scores)
        before = arms.pop(baseline, {})
        found: dict[str, float] = {}
        for arm, after in arms.items():
            both = [name for name in before if name in after]
            if both:
                estimate = paired_estimate(
                    [before[name].value for name in both],
                    [after[name].value for name in both],
                    [before[name].cluster for name in both],
                )
                found |= _told(f"{arm} − {baseline}", estimate, "pairs")
        return found

    return compared


def _told(name: str, estimate: Estimate, counted: str) -> dict[str, float]:
    """An estimate as the numbers that Inspect keeps: the method stands in the names of the interval's ends."""
    interval = {f"{name} {end} (95% CI, {estimate.method})": value for end, value in _ends(estimate)}
    p = {} if estimate.p is None else {f"{name} p": estimate.p}
    return {name: estimate.value, **interval, **p, f"{name} {counted}": estimate.n}


def _ends(estimate: Estimate) -> Iterator[tuple[str, float]]:
    for end, value in (("low", estimate.low), ("high", estimate.high)):
        if isfinite(value):
            yield end, value


def _by_arm(scores: list[SampleScore]) -> dict[str, dict[str, Scored]]:
    """The samples that have a response, by condition and item."""
    found: dict[str, dict[str, Scored]] = {}
    for score in map(_scored, scores):
        if not isnan(score.value):
            found.setdefault(score.arm, {})[score.item] = score
    return found


def _scored(sample: SampleScore) -> Scored:
    metadata = sample.sample_metadata or {}
    told = metadata.get(KEY)
    item = told.get("item") if isinstance(told, Mapping) else None
    name = str(item.get("id") if isinstance(item, Mapping) else sample.sample_id)
    return Scored(name, _arm(sample), str(metadata.get("cluster") or name), _worth(sample.score.value))


def _arm(sample: SampleScore) -> str:
    """The condition of a sample; "" where nobody says: Inspect gives a metric the metadata from before the solvers."""
    return str((sample.score.metadata or {}).get("arm") or (sample.sample_metadata or {}).get("arm") or "")
