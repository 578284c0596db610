"""Dose-response curves: how accuracy falls with the dose, and the dose at which half of it is lost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, nan
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from snellen.stats.clustered import count_nonzero_clusters, gather, independent_variance
from snellen.stats.estimate import Estimate
from snellen.stats.falling_curve import FINE, Curves, FallingCurve, Samples, fit, never_rising
from snellen.stats.intervals import proportion
from snellen.stats.observations import Codes, Numbers, group_codes, numbers
from snellen.stats.paired import bonett_price
from snellen.stats.permutation import permutation_test
from snellen.stats.resampling import arrange, drawn_totals

RESAMPLES = 1000
TAILS = (0.025, 0.975)
FALLS = 0.05
"""Largest p of the trend at which a curve counts as falling."""


@dataclass(frozen=True)
class DoseResponse:
    """Accuracies at several doses, the fitted curve and its estimates.

    `threshold` is the dose at which half of the possible loss has occurred, from the accuracy at the lowest dose down
    to the floor. It is None if there is no such dose; `reason` then says why. `upper` is the curve's accuracy at the
    lowest dose. `slope` is the rate of the logistic curve per unit of dose: going from 10% to 90% lost takes about 4.4
    / slope. `trend` is the change of accuracy per unit of dose along a straight line, with its p. `isotonic` are fitted
    accuracies that never rise.
    """

    doses: tuple[float, ...]
    accuracies: tuple[Estimate, ...]
    isotonic: tuple[float, ...]
    threshold: Estimate | None
    reason: str
    upper: Estimate
    slope: Estimate | None
    trend: Estimate
    curve: FallingCurve

    def predict_accuracy(self, doses: ArrayLike) -> Numbers:
        """Return the curve's accuracy at some doses."""
        return self.curve.predict_accuracy(np.asarray(doses, dtype=np.float64) - self.doses[0])


class _Doses(NamedTuple):
    """Doses in rising order, with one column of answers per dose; NaN if not asked."""

    doses: Numbers
    answers: Numbers


def dose_response(
    doses: ArrayLike,
    correct: ArrayLike,
    *,
    chance: float,
    floor: Literal["chance", "free"] = "chance",
    clusters: ArrayLike | None = None,
    seed: int = 0,
) -> DoseResponse:
    """Fit a falling curve to accuracies at several doses, with threshold and slope.

    `correct` has one row per item and one column per dose, in [0, 1], NaN if not asked. Intervals come from resamples
    of whole items or clusters with two hypothetical items, one always right and one always wrong. A bound is infinite
    if the fall may lie beyond the doses asked. `floor` is the accuracy when all is lost: `chance`, or with `free` the
    value that fits best, for models that fall below chance by refusing.

    >>> right = [[1, 1, 1, 1, 0], [1, 1, 1, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 1]] * 15
    >>> print(dose_response([0, 0.25, 0.5, 0.75, 1], right, chance=0).threshold)
    0.65 [0.59, 0.73] (n=60, unseen-bootstrap; resamples=1000)
    """
    asked = _read_doses(doses, correct)
    lower = _lower(chance, floor)
    codes = group_codes(clusters, len(asked.answers))
    anywhere = np.isfinite(asked.answers).any(axis=1)
    asked = asked._replace(answers=asked.answers[anywhere])
    codes = None if codes is None else group_codes(codes[anywhere], len(asked.answers))
    own, drawn = _samples(asked, codes, seed)
    from_zero = asked.doses - asked.doses[0]
    best = fit(from_zero, own, lower, grid=FINE, alike=1e-4)
    prefix = "" if codes is None or codes.max() + 1 == codes.size else "cluster-"
    found = _CurveFit(asked, best, fit(from_zero, drawn, lower), f"{prefix}unseen-bootstrap; resamples={RESAMPLES}")
    there = np.isfinite(asked.answers)
    accuracies = tuple(
        proportion(column[rows], None if codes is None else codes[rows])
        for column, rows in zip(asked.answers.T, there.T, strict=True)
    )
    trend = trend_over_doses(asked.doses, asked.answers, codes, seed=seed)
    reason = _why_none(found, accuracies[0], trend, lower)
    return DoseResponse(
        doses=tuple(asked.doses.tolist()),
        accuracies=accuracies,
        isotonic=tuple(never_rising(own.means[0], there.sum(axis=0)).tolist()),
        threshold=None if reason else found.threshold,
        reason=reason,
        upper=found.upper,
        slope=None if reason else found.slope,
        trend=trend,
        curve=found.curve,
    )


@dataclass(frozen=True)
class _CurveFit:
    """The curve of the data, and the curves of the resamples."""

    asked: _Doses
    best: Curves
    drawn: Curves
    method: str

    @property
    def curve(self) -> FallingCurve:
        """Fitted curve, with doses counted from the lowest one."""
        middle = sum(float(end[0]) for end in self.best.thresholds) / 2
        return FallingCurve(float(self.best.upper[0]), float(self.best.lower[0]), middle, float(self.best.steepness[0]))

    @property
    def threshold(self) -> Estimate:
        """Middle of the thresholds that fit best, with limits from the resamples."""
        start, last = float(self.asked.doses[0]), float(self.asked.doses[-1])
        found = self._estimate(self.curve.threshold, self.drawn.thresholds)
        high = start + found.high
        return replace(found, value=start + found.value, low=start + found.low, high=inf if high > last else high)

    @property
    def upper(self) -> Estimate:
        return self._estimate(self.curve.upper, (self.drawn.upper, self.drawn.upper))

    @property
    def slope(self) -> Estimate:
        """Rate of the curve. The upper bound is infinite if the curve may be a step."""
        return self._estimate(self.curve.steepness, self.drawn.steepnesses)

    def _estimate(self, value: float, drawn: tuple[Numbers, Numbers]) -> Estimate:
        ends = zip(drawn, TAILS, strict=True)
        low, high = (float(np.quantile(some, tail, method="inverted_cdf")) for some, tail in ends)
        return Estimate(value, min(low, value), max(high, value), len(self.asked.answers), self.method)


def _read_doses(doses: ArrayLike, correct: ArrayLike) -> _Doses:
    """Check the doses, sort them and drop those without an answer."""
    at, answers = numbers(doses, "doses"), np.asarray(correct, dtype=np.float64)
    if answers.ndim != 2 or answers.shape[1] != at.size:
        raise ValueError(f"`correct` must have a column for each of the {at.size} doses, got shape {answers.shape}.")
    if np.nanmin(answers, initial=0) < 0 or np.nanmax(answers, initial=1) > 1:
        raise ValueError("`correct` must lie in [0, 1], or be NaN if an item was not asked.")
    order = np.argsort(at)
    order = order[np.isfinite(answers[:, order]).any(axis=0)]
    if order.size < 2 or np.any(np.diff(at[order]) <= 0):
        raise ValueError(f"`doses` must be two different ones at least, each given once, got {at[order].tolist()}.")
    return _Doses(at[order], answers[:, order])


def _lower(chance: float, floor: str) -> float | None:
    if floor not in ("chance", "free"):
        raise ValueError(f'`floor` must be "chance" or "free", got {floor!r}.')
    if not 0 <= chance < 1:
        raise ValueError(f"`chance` must be at least 0 and less than 1, got {chance}.")
    return float(chance) if floor == "chance" else None


def _samples(asked: _Doses, codes: Codes | None, seed: int) -> tuple[Samples, Samples]:
    """Mean accuracy per dose of the data and of each resample, with binomial weights."""
    there = np.isfinite(asked.answers)
    rows = np.hstack((np.nan_to_num(asked.answers), there))
    totals = arrange(rows, codes, None).totals()[:, :-1].round(12)
    totals = totals[np.lexsort(totals.T)]  # the random draws must not depend on the names of the clusters
    right, count = np.split(totals.sum(axis=0), 2)
    share = (right + 1) / (count + 2)
    weight = 1 / (share * (1 - share))
    scores = np.nanmean(asked.answers, axis=1)
    off = scores - scores.mean()
    worth = gather(off, codes).design_effect(independent_variance(scores), count_nonzero_clusters(off, codes))
    unseen = worth * np.repeat([[1.0, 1.0], [0.0, 1.0]], asked.doses.size, axis=1)
    drawn = drawn_totals(np.vstack((totals, unseen)), np.random.default_rng(seed), RESAMPLES)
    rights, counts = np.split(drawn, 2, axis=1)
    means = rights / np.maximum(counts, 1e-9)
    return Samples((right / count)[None], (count * weight)[None]), Samples(means, counts * weight)


def _why_none(found: _CurveFit, first: Estimate, trend: Estimate, lower: float | None) -> str:
    """Reason why there is no threshold; "" if there is one."""
    last = float(found.asked.doses[-1])
    if found.asked.doses.size < 3:
        return "Two doses cannot show at which dose the accuracy falls: ask at three or more."
    if lower is not None and first.low <= lower:
        return (
            f"The accuracy at the lowest dose, {first.value:.2f}, is not surely above {lower:.2f}, so no loss can be "
            "measured."
        )
    if trend.p is None:
        return "No item was asked at two doses, so doses cannot be compared."
    if trend.value >= 0 or trend.p > FALLS:
        return f"The accuracy does not surely fall with the dose: {trend.value:+.2f} per unit, p = {trend.p:.2g}."
    if found.threshold.value > last:
        return f"Less than half of the possible loss occurs within the doses asked, up to {last:g}."
    return ""


def trend_over_doses(doses: Numbers, answers: Numbers, clusters: ArrayLike | None = None, *, seed: int = 0) -> Estimate:
    """Mean slope per item, as change of accuracy per unit of dose.

    `answers` has one row per item and one column per dose, NaN if not asked. Items asked at only one dose are left out;
    the slope is nan if none remain. The interval is that of `bonett_price` on slopes scaled to [−1, 1]. p comes from
    `permutation_test`, which flips the signs of the slopes by cluster. With the two doses 0 and 1 the result is that of
    `paired_difference`.

    >>> print(trend_over_doses(np.array([0, 0.5, 1]), np.array([[1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 1, 0]] * 5)))
    -0.75 [-0.93, -0.43] (n=20, mean-slope; bonett-price)
    """
    there = np.isfinite(answers)
    counts = there.sum(axis=1, keepdims=True)
    middle = np.sum(np.where(there, doses, 0.0), axis=1, keepdims=True) / np.maximum(counts, 1)
    centred = np.where(there, doses - middle, 0.0)
    spread = np.sum(centred**2, axis=1)
    several = counts[:, 0] > 1
    if not several.any():
        return Estimate(nan, -inf, inf, 0, "mean-slope")
    slopes = np.sum(centred * np.nan_to_num(answers), axis=1)[several] / spread[several]
    steepest = np.sum(np.maximum(centred, 0), axis=1)[several] / spread[several]
    scale = float(steepest.max())
    groups = None if clusters is None else np.asarray(clusters)[several]
    found = bonett_price(np.clip(slopes / scale, -1, 1), groups)
    signs = permutation_test(slopes.round(12), groups, seed=seed)
    ends = {end: getattr(found, end) * scale for end in ("value", "low", "high")}
    return replace(found, **ends, method=f"mean-slope; {found.method}", p=signs.p, least_p=signs.least)
