"""The Mirage paper: the mirage score of every pair of model and benchmark whose counts are printed, and the means."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, sqrt
from operator import attrgetter
from statistics import NormalDist, fmean
from typing import Any

from snellen.protocols.paper import figures
from snellen.stats import Estimate, wilson

Z = NormalDist().inv_cdf(0.975)
ROUNDED = 0.0005
"""By how much an accuracy printed in percent with one decimal may be off."""


@dataclass(frozen=True)
class Pair:
    """A model on a benchmark: how many of n questions it had right without the image, and the accuracy with it."""

    model: str
    benchmark: str
    n: int
    right: int
    accuracy: float

    @property
    def without(self) -> Estimate:
        """The accuracy without the image."""
        return wilson(self.right, self.n)

    @property
    def with_image(self) -> Estimate:
        """The accuracy as printed, which is of the same n questions."""
        return wilson(self.accuracy * self.n, self.n)

    @property
    def score(self) -> Estimate:
        """The accuracy without the image over that with it; the interval is that of two independent samples.

        >>> print(Pair("model", "benchmark", n=1000, right=400, accuracy=0.8).score)
        0.50 [0.46, 0.54] (n=1000, log-ratio of two samples)
        """
        value, margin = self.right / self.n / self.accuracy, exp(Z * self.error)
        return Estimate(value, value / margin, value * margin, self.n, "log-ratio of two samples")

    @property
    def error(self) -> float:
        """The standard error of the score's logarithm, as if other questions had been asked without the image."""
        shares = (self.right / self.n, self.accuracy)
        return sqrt(sum((1 - share) / (share * self.n) for share in shares))

    @property
    def adds(self) -> float:
        """What the image adds to the accuracy."""
        return self.accuracy - self.right / self.n

    @property
    def mostly_without(self) -> bool:
        """Whether the accuracy without the image exceeds what the image adds: a score above one half."""
        return self.right / self.n > self.adds

    @property
    def certain(self) -> bool:
        """Whether that stays so however the printed accuracy was rounded."""
        return abs(self.right / self.n - self.adds) > ROUNDED


def pairs(record: Mapping[str, Any] | None = None) -> list[Pair]:
    """Every pair whose counts are printed.

    >>> {pair.model: round(pair.score.value, 3) for pair in pairs() if pair.benchmark == "MicroVQA"}
    {'GPT-5.1': 0.712, 'Gemini-2.5-Pro': 0.707, 'Gemini-3-Pro': 0.467}
    """
    benchmarks = (record or figures("mirage"))["counts"]["benchmarks"]
    return [
        Pair(model, benchmark, given["n"], right, given["accuracy"][model][0] / 100)
        for benchmark, given in benchmarks.items()
        for model, right in given["right_without_image"].items()
    ]


def mean_per_model(found: Sequence[Pair]) -> dict[str, Estimate]:
    """The mean of a model's scores over the benchmarks, which are independent of each other."""
    means = {}
    for model, own in grouped(found, attrgetter("model")).items():
        value, errors = _scores_and_errors(own)
        half = Z * sqrt(sum(error**2 for error in errors)) / len(own)
        means[model] = Estimate(value, value - half, value + half, sum(pair.n for pair in own), "delta")
    return means


def mean_per_benchmark(found: Sequence[Pair]) -> dict[str, Estimate]:
    """The mean of a benchmark's scores over models, with the interval of models that are right on the same questions.

    How far they are is not printed, and no interval could be wider.
    """
    means = {}
    for benchmark, own in grouped(found, attrgetter("benchmark")).items():
        value, errors = _scores_and_errors(own)
        half = Z * fmean(errors)
        means[benchmark] = Estimate(value, value - half, value + half, own[0].n, "delta, widest")
    return means


def grouped(found: Sequence[Pair], by: Callable[[Pair], str]) -> dict[str, list[Pair]]:
    """The pairs by whatever is asked of them, in the order of the paper."""
    groups: dict[str, list[Pair]] = {}
    for pair in found:
        groups.setdefault(by(pair), []).append(pair)
    return groups


def _scores_and_errors(found: Sequence[Pair]) -> tuple[float, list[float]]:
    values = [pair.score.value for pair in found]
    return fmean(values), [value * pair.error for value, pair in zip(values, found, strict=True)]
