"""Psychometric functions: the share of letters read correctly as a function of their size.

After Wichmann & Hill (2001), the lapse rate is fitted, because one slip at an easy size would otherwise flatten the
curve.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snellen.stats.estimate import Estimate
from snellen.stats.observations import Numbers, check_count, numbers

Shape = Literal["logistic", "weibull"]
Likelihoods = NDArray[np.float32]
"""Array in single precision, which suffices to choose a curve and takes half the time."""
EDGE = 0.05
"""Share of the rise where the width of a curve starts; the width ends at 1 minus this share."""
WIDTHS = (0.01, 2.0)
GUESSES = (0.0, 0.3)
LAPSES = (0.0, 0.5)
"""Ranges of the fitted width, guess rate and lapse rate."""
USUAL_WIDTH, NARROWER, WIDER = 0.15, 1.5, 0.5
"""Prior of the width: usual value, and standard deviations in log10 for narrower and wider curves.

Curves as steep as a step are hardly penalised.
"""
RATE_PRIOR = 10
"""Prior of the guess and the lapse rate: Beta(1, 10), mostly below 0.25."""
BEYOND = 0.3
"""Largest distance of a threshold from the sizes shown, in log10."""
STEP = 0.01
"""Distance between two thresholds of the grid, in log10."""
ALIKE = 0.25
"""Thresholds fit equally well if their penalised log-likelihood is at most this far below the best."""
LIKELIHOOD_RATIO = 3.0
"""The same limit for the observed letters, instead of resamples.

Half of the 95% point of χ², 1.92, contained the threshold of shallow curves in only 84% to 90% of simulated exams,
whose sizes depend on the responses. This limit contains it in 94%.
"""
FITTED = 2
"""Number of curve parameters that rows near the threshold determine."""
MOST_CORRELATED = 0.9
TAILS = (0.025, 0.975)


@dataclass(frozen=True)
class PsychometricCurve:
    """Share of letters read correctly by size: guess + (1 − guess − lapse) · F(log10 size).

    F is 1/2 at `threshold`. `width` is the distance from F = 0.05 to F = 0.95 in log10 of the size. `guess` is the
    share read correctly far below the threshold, `lapse` the share read wrongly far above it.
    """

    threshold: float
    """Size at the threshold, for instance in pixels."""
    width: float
    guess: float
    lapse: float
    shape: Shape = "logistic"

    def predict_accuracy(self, sizes: ArrayLike) -> Numbers:
        """Return the expected share read correctly at some sizes.

        >>> PsychometricCurve(threshold=10, width=0.2, guess=0.1, lapse=0.02).predict_accuracy([1, 10, 100]).round(3)
        array([0.1 , 0.54, 0.98])
        """
        along = (np.log10(np.asarray(sizes, dtype=np.float64)) - np.log10(self.threshold)) / self.width
        return np.asarray(self.guess + (1 - self.guess - self.lapse) * rise(along, self.shape))


class PsychometricFit(NamedTuple):
    """Best curve, its threshold and width with intervals, and the fits of the resamples."""

    curve: PsychometricCurve
    threshold: Estimate
    """Size at the threshold; a bound is 0 or infinite if it may lie beyond the sizes shown."""
    width: Estimate
    drawn: Numbers
    """One row per resample: smallest and largest threshold that fit (log10), width, guess, lapse."""
    correlation: float = 0.0
    """Correlation of two letters in one row, beyond what the curve explains."""

    def band(self, sizes: ArrayLike) -> tuple[Numbers, Numbers]:
        """Return the ends of the curve's 95% interval at some sizes."""
        at = np.log10(np.asarray(sizes, dtype=np.float64))
        _, _, widths, guesses, lapses = self.drawn.T[:, :, None]
        shares = [
            guesses + (1 - guesses - lapses) * rise((at - self.drawn[:, end, None]) / widths, self.curve.shape)
            for end in (1, 0)
        ]
        low, high = (np.quantile(some, tail, axis=0) for some, tail in zip(shares, TAILS, strict=True))
        own = self.curve.predict_accuracy(sizes)
        return np.minimum(low, own), np.maximum(high, own)


def rise(along: NDArray[Any], shape: Shape) -> NDArray[Any]:
    """F at a distance from the threshold, in units of the width."""
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
    """Fit a psychometric curve to letters read, with weak priors.

    In each row `right` of `shown` letters were read correctly; several rows may have one size. With `like`, for few
    letters, the guess rate is that curve's, and the width is close to its width. The interval is the wider of a
    parametric bootstrap and the likelihood ratio. Letters of one row may be correlated: then m letters weigh as m /
    (1 + (m − 1) · correlation). None as `correlation` estimates it from the scatter of the rows around the curve.

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
    again = rows.draw_again(curve, correlation, check_count(resamples, "resamples"), np.random.default_rng(seed))
    distinct, which = np.unique(again, axis=0, return_inverse=True)
    drawn = _fits(np.stack((distinct, np.broadcast_to(counts[1], distinct.shape)), axis=1), grid)[which.ravel()]
    return _with_intervals(curve, at, own[0], drawn, rows, correlation)


def _best_curve(
    by_size: tuple[Numbers, Numbers], grid: _Grid, shape: Shape, like: PsychometricCurve | None
) -> PsychometricCurve:
    """The curve with the highest penalised likelihood."""
    at, counts = by_size
    best = _refine_fit(at, counts, _fits(counts[None], grid, alike=0)[0], shape, like)
    return PsychometricCurve(float(10 ** best[0]), float(best[1]), float(best[2]), float(best[3]), shape)


class _LetterRows(NamedTuple):
    """Rows of letters: log10 of the size, letters read correctly (`hits`) and letters shown."""

    at: Numbers
    hits: Numbers
    letters: Numbers

    def weigh(self, correlation: float) -> Numbers:
        return np.asarray(1 / (1 + (self.letters - 1) * correlation))

    def sum_by_size(self, correlation: float) -> tuple[Numbers, Numbers]:
        """Return the distinct sizes, and the weighted letters read correctly and shown at each."""
        return self._add_up(np.stack((self.hits, self.letters)) * self.weigh(correlation))

    def _add_up(self, values: Numbers) -> tuple[Numbers, Numbers]:
        """Sum the rows' values by size; return the distinct sizes and the sums."""
        own, which = np.unique(self.at, return_inverse=True)
        return own, values @ (which[:, None] == np.arange(own.size))

    def estimate_correlation(self, curve: PsychometricCurve) -> float:
        """Estimate the correlation by moments, corrected for the number of fitted parameters."""
        share = np.clip(curve.predict_accuracy(10**self.at), 1e-3, 1 - 1e-3)
        spread = self.letters * share * (1 - share)
        beyond = ((self.hits - self.letters * share) ** 2).sum() * self.at.size / max(1, self.at.size - FITTED)
        possible = float(((self.letters - 1) * spread).sum())
        return float(np.clip((beyond - spread.sum()) / possible, 0, MOST_CORRELATED)) if possible else 0.0

    def draw_again(
        self, curve: PsychometricCurve, correlation: float, resamples: int, rng: np.random.Generator
    ) -> NDArray[Any]:
        """Draw the weighted letters read correctly at each size from the curve, for each resample."""
        if not correlation:
            at, (_, letters) = self.sum_by_size(0.0)
            return rng.binomial(
                letters.astype(np.int64), np.clip(curve.predict_accuracy(10**at), 0, 1), size=(resamples, at.size)
            )
        expected, others = np.clip(curve.predict_accuracy(10**self.at), 1e-6, 1 - 1e-6), 1 / correlation - 1
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
    """All combinations of the curve's parameters, with the expected accuracy at each size.

    The threshold changes slowest.
    """

    thresholds: Numbers
    others: Numbers
    """One row per combination of width, guess and lapse."""
    log_right: Likelihoods
    """One row per size, one column per combination of all four parameters."""
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
    """Log of the priors of width, guess and lapse, up to a constant."""
    beyond = np.log10(np.asarray(widths, dtype=np.float64) / usual)
    along = beyond / np.where(beyond < 0, NARROWER, WIDER)
    rates = np.log1p(-np.asarray(guesses, dtype=np.float64)) + np.log1p(-np.asarray(lapses, dtype=np.float64))
    return np.asarray(-(along**2) / 2 + (RATE_PRIOR - 1) * rates)


def _fits(tables: NDArray[Any], grid: _Grid, *, alike: float = ALIKE) -> Numbers:
    """Fit each table of letters; return threshold limits, width, guess and lapse, one row each."""
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
        others[:, 0] = _estimate_width(grid, there)
        found.append(np.column_stack((grid.thresholds[first], grid.thresholds[last], others)))
    return np.concatenate(found)


def _estimate_width(grid: _Grid, likelihoods: Likelihoods) -> Numbers:
    """Most likely width, by a parabola around the best grid point."""
    widths = np.unique(grid.others[:, 0])
    profile = likelihoods.reshape(len(likelihoods), widths.size, -1).max(axis=2).astype(np.float64)
    middle = np.clip(profile.argmax(axis=1), 1, widths.size - 2)
    before, own, after = (profile[np.arange(len(profile)), middle + step] for step in (-1, 0, 1))
    bend = np.minimum(before - 2 * own + after, -1e-9)
    shift = np.clip((before - after) / (2 * bend), -1, 1)
    return np.asarray(widths[middle] * (widths[1] / widths[0]) ** shift)


def _refine_fit(at: Numbers, counts: Numbers, start: Numbers, shape: Shape, like: PsychometricCurve | None) -> Numbers:
    """Maximise the penalised likelihood from the best grid point."""
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
    """Add intervals that include the fits of the resamples and of the observed letters."""
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
