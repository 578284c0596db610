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
FITTED = 2
"""Numbers of a curve that rows near its threshold are fitted by."""
MOST_CORRELATED = 0.9
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
    correlation: float = 0.0
    """That of two letters of one row, beyond what the curve explains."""

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
    correlation: float | None = 0.0,
    resamples: int = 1000,
    seed: int = 0,
) -> PsychometricFit:
    """The curve of the highest likelihood, under weak priors, through the letters read right at some sizes.

    `right` of `shown` letters were read in each row; several rows may have one size. With `like`, for few letters, the
    guess is that curve's and the width not far from its own. The interval is that of a parametric bootstrap: letters
    are drawn from the fitted curve at the same sizes and fitted again; or that of the likelihood ratio, where it
    reaches further, as it does where the curve is steeper than the sizes are dense: every threshold in the gap fits.

    Letters of one row come in one response. With a `correlation` between them, m letters weigh as m / (1 + (m − 1) ·
    correlation), and rows are drawn from the beta-binomial law. None estimates it from how rows scatter about the
    curve.

    >>> fit = fit_psychometric([4, 5, 6, 8, 10, 12], [0, 1, 4, 9, 10, 10], [10] * 6, seed=1)
    >>> round(fit.threshold.value, 1), fit.threshold.n
    (6.3, 60)
    """
    rows = _read_rows(sizes, right, shown)
    grid = _grid(np.unique(rows.at), like, shape)
    if correlation is None:
        correlation = rows.estimate_correlation(_best_curve(rows.sum_by_size(0.0), grid, shape, like))
    at, counts = rows.sum_by_size(correlation)
    curve = _best_curve((at, counts), grid, shape, like)
    own = _fits(counts[None], grid, alike=LIKELIHOOD_RATIO)
    again = rows.draw_again(curve, correlation, whole(resamples, "resamples"), np.random.default_rng(seed))
    distinct, which = np.unique(again, axis=0, return_inverse=True)
    drawn = _fits(np.stack((distinct, np.broadcast_to(counts[1], distinct.shape)), axis=1), grid)[which.ravel()]
    return _with_intervals(curve, at, own[0], drawn, rows, correlation)


def _best_curve(
    by_size: tuple[Numbers, Numbers], grid: _Grid, shape: Shape, like: PsychometricCurve | None
) -> PsychometricCurve:
    """The curve of the highest penalised likelihood."""
    at, counts = by_size
    best = _polished(at, counts, _fits(counts[None], grid, alike=0)[0], shape, like)
    return PsychometricCurve(float(10 ** best[0]), float(best[1]), float(best[2]), float(best[3]), shape)


class _LetterRows(NamedTuple):
    """Rows of letters: log10 of their sizes, how many were right, how many were shown."""

    at: Numbers
    hits: Numbers
    letters: Numbers

    def weigh(self, correlation: float) -> Numbers:
        """How much a letter of each row weighs."""
        return np.asarray(1 / (1 + (self.letters - 1) * correlation))

    def sum_by_size(self, correlation: float) -> tuple[Numbers, Numbers]:
        """The distinct sizes, and the weighed letters right and shown at each."""
        return self._add_up(np.stack((self.hits, self.letters)) * self.weigh(correlation))

    def _add_up(self, values: Numbers) -> tuple[Numbers, Numbers]:
        """The distinct sizes, and for each the sum of its rows' values."""
        own, which = np.unique(self.at, return_inverse=True)
        return own, values @ (which[:, None] == np.arange(own.size))

    def estimate_correlation(self, curve: PsychometricCurve) -> float:
        """The moment estimate of the correlation, corrected for the numbers fitted."""
        share = np.clip(curve.at(10**self.at), 1e-3, 1 - 1e-3)
        spread = self.letters * share * (1 - share)
        beyond = ((self.hits - self.letters * share) ** 2).sum() * self.at.size / max(1, self.at.size - FITTED)
        possible = float(((self.letters - 1) * spread).sum())
        return float(np.clip((beyond - spread.sum()) / possible, 0, MOST_CORRELATED)) if possible else 0.0

    def draw_again(
        self, curve: PsychometricCurve, correlation: float, resamples: int, rng: np.random.Generator
    ) -> NDArray[Any]:
        """Weighed letters right at every size, drawn from the curve again and again."""
        if not correlation:
            at, (_, letters) = self.sum_by_size(0.0)
            return rng.binomial(letters.astype(np.int64), np.clip(curve.at(10**at), 0, 1), size=(resamples, at.size))
        expected, others = np.clip(curve.at(10**self.at), 1e-6, 1 - 1e-6), 1 / correlation - 1
        of_row = rng.beta(expected * others, (1 - expected) * others, size=(resamples, self.at.size))
        again = rng.binomial(self.letters.astype(np.int64), of_row)
        return self._add_up(again * self.weigh(correlation))[1]


def _read_rows(sizes: ArrayLike, right: ArrayLike, shown: ArrayLike) -> _LetterRows:
    given, hits, letters = numbers(sizes, "sizes"), numbers(right, "right"), numbers(shown, "shown")
    if not given.size == hits.size == letters.size:
        raise ValueError(f"`right` and `shown` must be one number per size, got {hits.size}, {letters.size}.")
    if (given <= 0).any() or (hits < 0).any() or (letters < 1).any() or (hits > letters).any():
        raise ValueError("Expected sizes above 0, at least one letter shown at each, and no more right than shown.")
    return _LetterRows(np.log10(given), hits, letters)


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
    curve: PsychometricCurve, at: Numbers, own: Numbers, drawn: Numbers, rows: _LetterRows, correlation: float
) -> PsychometricFit:
    """What fits the letters themselves belongs to the interval, beside what fits the resamples."""
    letters = int(rows.letters.sum())
    together = f"; rows of letters correlated by {correlation:.2f}" if correlation else ""
    method = f"parametric bootstrap or likelihood ratio, the wider; resamples={len(drawn)}{together}"
    least = min(float(np.quantile(drawn[:, 0], TAILS[0])), own[0], np.log10(curve.threshold))
    most = max(float(np.quantile(drawn[:, 1], TAILS[1])), own[1], np.log10(curve.threshold))
    low = 0.0 if least < at[0] else float(10**least)
    high = inf if most > at[-1] else float(10**most)
    narrow, wide = (float(np.quantile(drawn[:, 2], tail)) for tail in TAILS)
    width = Estimate(curve.width, min(narrow, curve.width), max(wide, curve.width), letters, method)
    return PsychometricFit(curve, Estimate(curve.threshold, low, high, letters, method), width, drawn, correlation)
