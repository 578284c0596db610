"""Psychometric functions: how the share of letters that are read right grows with their size.

Wichmann & Hill (2001): the lapse rate is free, because one slip at an easy size would otherwise flatten the curve.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snellen.stats.estimate import Estimate
from snellen.stats.observations import Numbers, numbers, whole

Shape = Literal["logistic", "weibull"]
Likelihoods = NDArray[np.float32]
"""Half the digits are enough to choose a curve by, and take half the time."""
EDGE = 0.05
"""The width of a curve is the distance, in log10 of the size, from this share of the rise to 1 less this share."""
WIDTHS = (0.01, 2.0)
GUESSES = (0.0, 0.3)
LAPSES = (0.0, 0.5)
"""Where the free numbers may lie."""
USUAL_WIDTH, NARROWER, WIDER = 0.15, 1.5, 0.5
"""The weak prior of the width: a usual one, and its spread in log10 on either side. Steps are hardly held against."""
RATE_PRIOR = 10
"""The weak prior of both rates: Beta(1, 10), most of it below 0.25."""
BEYOND = 0.3
"""How far beyond the sizes shown, in log10, a threshold is looked for."""
STEP = 0.01
"""Between two thresholds of the grid, in log10."""
ALIKE = 0.25
"""Thresholds fit alike whose penalised log-likelihood is less than the best by no more than this."""
LIKELIHOOD_RATIO = 3.0
"""The same for the letters themselves.

Half of the 95% point of χ², 1.92, held the threshold of shallow curves in only 84 to 90% of simulated exams, whose
sizes are chosen by the replies; this holds it in 94%.
"""
TAILS = (0.025, 0.975)


@dataclass(frozen=True)
class PsychometricCurve:
    """guess + (1 − guess − lapse) · F, where F rises from 0 to 1 over log10 of the size and is 1/2 at `threshold`.

    `width` is the distance in log10 of the size from F = 0.05 to F = 0.95. `guess` is the share that is right far below
    the threshold, `lapse` the share that is wrong far above it.
    """

    threshold: float
    """As a size, such as pixels."""
    width: float
    guess: float
    lapse: float
    shape: Shape = "logistic"

    def at(self, sizes: ArrayLike) -> Numbers:
        """The expected share right at some sizes.

        >>> PsychometricCurve(threshold=10, width=0.2, guess=0.1, lapse=0.02).at([1, 10, 100]).round(3)
        array([0.1 , 0.54, 0.98])
        """
        along = (np.log10(np.asarray(sizes, dtype=np.float64)) - np.log10(self.threshold)) / self.width
        return np.asarray(self.guess + (1 - self.guess - self.lapse) * rise(along, self.shape))


class PsychometricFit(NamedTuple):
    """The best curve, its threshold with an interval, and what each resample says."""

    curve: PsychometricCurve
    threshold: Estimate
    """As a size; an end is 0 or infinite where it may lie beyond the sizes shown."""
    width: Estimate
    drawn: Numbers
    """A row for each resample: log10 of the least and the largest threshold that fit alike, width, guess, lapse."""

    def band(self, sizes: ArrayLike) -> tuple[Numbers, Numbers]:
        """The ends of the curve's 95% interval at some sizes."""
        at = np.log10(np.asarray(sizes, dtype=np.float64))
        _, _, widths, guesses, lapses = self.drawn.T[:, :, None]
        shares = [
            guesses + (1 - guesses - lapses) * rise((at - self.drawn[:, end, None]) / widths, self.curve.shape)
            for end in (1, 0)
        ]
        low, high = (np.quantile(some, tail, axis=0) for some, tail in zip(shares, TAILS, strict=True))
        own = self.curve.at(sizes)
        return np.minimum(low, own), np.maximum(high, own)


def rise(along: NDArray[Any], shape: Shape) -> NDArray[Any]:
    """F of a distance from the threshold in units of the width: 1/2 at 0, and from 0.05 to 0.95 within one width."""
    if shape == "logistic":
        return np.asarray(1 / (1 + np.exp(np.clip(-2 * log(1 / EDGE - 1) * along, -80, 80))))
    steepness = log(-log(EDGE)) - log(-log(1 - EDGE))
    return np.asarray(1 - np.exp(-np.exp(np.clip(steepness * along + log(log(2)), -80, 4))))


def fit_psychometric(
    sizes: ArrayLike,
    right: ArrayLike,
    shown: ArrayLike,
    *,
    shape: Shape = "logistic",
    like: PsychometricCurve | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> PsychometricFit:
    """The curve of the highest likelihood, under weak priors, through the letters read right at some sizes.

    `right` of `shown` letters were read at each size; a size may stand there several times. With `like`, for few
    letters, the guess is that curve's and the width not far from its own. The interval is that of a parametric
    bootstrap: letters are drawn from the fitted curve at the same sizes and fitted again; or that of the likelihood
    ratio, where it reaches further, as it does where the curve is steeper than the sizes are dense: every threshold in
    the gap fits.

    >>> fit = fit_psychometric([4, 5, 6, 8, 10, 12], [0, 1, 4, 9, 10, 10], [10] * 6, seed=1)
    >>> round(fit.threshold.value, 1), fit.threshold.n
    (6.3, 60)
    """
    at, counts = _gathered(sizes, right, shown)
    grid = _grid(at, like, shape)
    own = _fits(counts[None], grid, alike=LIKELIHOOD_RATIO)
    best = _polished(at, counts, _fits(counts[None], grid, alike=0)[0], shape, like)
    curve = PsychometricCurve(float(10 ** best[0]), float(best[1]), float(best[2]), float(best[3]), shape)
    rng = np.random.default_rng(seed)
    expected = np.clip(curve.at(10**at), 0, 1)
    again = rng.binomial(counts[1].astype(np.int64), expected, size=(whole(resamples, "resamples"), at.size))
    distinct, which = np.unique(again, axis=0, return_inverse=True)
    drawn = _fits(np.stack((distinct, np.broadcast_to(counts[1], distinct.shape)), axis=1), grid)[which.ravel()]
    return _with_intervals(curve, at, own[0], drawn, int(counts[1].sum()))


def _gathered(sizes: ArrayLike, right: ArrayLike, shown: ArrayLike) -> tuple[Numbers, Numbers]:
    """log10 of each size, rising, and under it how many letters were right and how many shown."""
    given, hits, letters = numbers(sizes, "sizes"), numbers(right, "right"), numbers(shown, "shown")
    if not given.size == hits.size == letters.size:
        raise ValueError(f"`right` and `shown` must be one number per size, got {hits.size}, {letters.size}.")
    if (given <= 0).any() or (hits < 0).any() or (letters < 1).any() or (hits > letters).any():
        raise ValueError("Expected sizes above 0, at least one letter shown at each, and no more right than shown.")
    own, which = np.unique(np.log10(given), return_inverse=True)
    return own, np.stack([np.bincount(which, each, own.size) for each in (hits, letters)])


class _Grid(NamedTuple):
    """All combinations of threshold, the slowest, and of the other three, with what each expects at every size."""

    thresholds: Numbers
    others: Numbers
    """A row for each combination of width, guess and lapse."""
    log_right: Likelihoods
    """A row for each size, a column for each combination of all four."""
    log_wrong: Likelihoods
    log_prior: Likelihoods


def _grid(at: Numbers, like: PsychometricCurve | None, shape: Shape) -> _Grid:
    thresholds = np.arange(at[0] - BEYOND, at[-1] + BEYOND + STEP, STEP)
    widths = np.geomspace(0.01, 1.5, 14) if like is None else like.width * np.array([0.5, 1.0, 2.0, 4.0])
    guesses = np.array([0.0, 0.03, 0.08, 0.16]) if like is None else np.array([like.guess])
    lapses = np.array([0.0, 0.01, 0.04, 0.1, 0.2, 0.4])
    others = np.stack([each.ravel() for each in np.meshgrid(widths, guesses, lapses, indexing="ij")], axis=1)
    wide, guess, lapse = others.T.astype(np.float32)
    along = (at[:, None, None] - thresholds[:, None]).astype(np.float32) / wide
    shares = np.clip(guess + (1 - guess - lapse) * rise(along, shape), 1e-6, 1 - 1e-6).reshape(at.size, -1)
    prior = np.tile(log_prior(*others.T, usual=_usual(like)).astype(np.float32), thresholds.size)
    return _Grid(thresholds, others, np.log(shares), np.log1p(-shares), prior)


def _usual(like: PsychometricCurve | None) -> float:
    return USUAL_WIDTH if like is None else like.width


def log_prior(widths: ArrayLike, guesses: ArrayLike, lapses: ArrayLike, *, usual: float = USUAL_WIDTH) -> Numbers:
    """The log of the weak priors of width, guess and lapse, up to a constant."""
    beyond = np.log10(np.asarray(widths, dtype=np.float64) / usual)
    along = beyond / np.where(beyond < 0, NARROWER, WIDER)
    rates = np.log1p(-np.asarray(guesses, dtype=np.float64)) + np.log1p(-np.asarray(lapses, dtype=np.float64))
    return np.asarray(-(along**2) / 2 + (RATE_PRIOR - 1) * rates)


def _fits(tables: NDArray[Any], grid: _Grid, *, alike: float = ALIKE) -> Numbers:
    """Of each table of right and shown: the least and the largest threshold that fit alike, width, guess, lapse."""
    found = []
    for start in range(0, len(tables), 50):
        hits, letters = np.moveaxis(tables[start : start + 50], 1, 0).astype(np.float32)
        likelihoods = hits @ grid.log_right + (letters - hits) @ grid.log_wrong + grid.log_prior
        likelihoods = likelihoods.reshape(len(hits), -1, len(grid.others))
        profile = likelihoods.max(axis=2)
        best = profile.argmax(axis=1)
        fits = profile >= profile.max(axis=1, keepdims=True) - alike
        first, last = fits.argmax(axis=1), fits.shape[1] - 1 - fits[:, ::-1].argmax(axis=1)
        there = likelihoods[np.arange(len(hits)), best]
        others = grid.others[there.argmax(axis=1)].copy()
        others[:, 0] = _between(grid, there)
        found.append(np.column_stack((grid.thresholds[first], grid.thresholds[last], others)))
    return np.concatenate(found)


def _between(grid: _Grid, likelihoods: Likelihoods) -> Numbers:
    """The width of the highest likelihood, by the parabola through the best of the grid and its neighbours."""
    widths = np.unique(grid.others[:, 0])
    profile = likelihoods.reshape(len(likelihoods), widths.size, -1).max(axis=2).astype(np.float64)
    middle = np.clip(profile.argmax(axis=1), 1, widths.size - 2)
    before, own, after = (profile[np.arange(len(profile)), middle + step] for step in (-1, 0, 1))
    bend = np.minimum(before - 2 * own + after, -1e-9)
    shift = np.clip((before - after) / (2 * bend), -1, 1)
    return np.asarray(widths[middle] * (widths[1] / widths[0]) ** shift)


def _polished(at: Numbers, counts: Numbers, start: Numbers, shape: Shape, like: PsychometricCurve | None) -> Numbers:
    """log10 of the threshold, width, guess and lapse of the highest penalised likelihood, from the grid's best on."""
    from scipy.optimize import minimize

    hits, letters = counts

    def loss(free: Numbers) -> float:
        threshold, width, guess, lapse = free[0], 10 ** free[1], free[2], free[3]
        share = np.clip(guess + (1 - guess - lapse) * rise((at - threshold) / width, shape), 1e-9, 1 - 1e-9)
        likelihood = np.sum(hits * np.log(share) + (letters - hits) * np.log1p(-share))
        return float(-likelihood - log_prior(width, guess, lapse, usual=_usual(like)))

    low, high, width, guess, lapse = start
    widths = WIDTHS if like is None else (like.width / 2, like.width * 4)
    fixed = [tuple(np.log10(widths)), GUESSES if like is None else (like.guess, like.guess)]
    bounds = [(at[0] - BEYOND, at[-1] + BEYOND), *fixed, LAPSES]
    best = minimize(loss, [(low + high) / 2, np.log10(width), guess, lapse], method="L-BFGS-B", bounds=bounds)
    return np.array([best.x[0], 10 ** best.x[1], best.x[2], best.x[3]])


def _with_intervals(
    curve: PsychometricCurve, at: Numbers, own: Numbers, drawn: Numbers, letters: int
) -> PsychometricFit:
    """What fits the letters themselves belongs to the interval, beside what fits the resamples."""
    method = f"parametric bootstrap or likelihood ratio, the wider; resamples={len(drawn)}"
    least = min(float(np.quantile(drawn[:, 0], TAILS[0])), own[0], np.log10(curve.threshold))
    most = max(float(np.quantile(drawn[:, 1], TAILS[1])), own[1], np.log10(curve.threshold))
    low = 0.0 if least < at[0] else float(10**least)
    high = inf if most > at[-1] else float(10**most)
    narrow, wide = (float(np.quantile(drawn[:, 2], tail)) for tail in TAILS)
    width = Estimate(curve.width, min(narrow, curve.width), max(wide, curve.width), letters, method)
    return PsychometricFit(curve, Estimate(curve.threshold, low, high, letters, method), width, drawn)
