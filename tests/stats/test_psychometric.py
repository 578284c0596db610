"""Psychometric curves: an independent program finds the same, intervals hold, and a step is known to its gap."""

import numpy as np
import pytest

from snellen.stats.psychometric import PsychometricCurve, fit_psychometric

SIZES = [4, 6, 8, 9, 10, 12, 14, 17, 20, 24, 30, 40]
# Fitted by psignifit 4.3 to the same letters, with its yes/no experiment: threshold, width, guess, lapse.
BY_PSIGNIFIT = {
    "sharp": ([4, 7, 21, 101, 172, 200, 194, 194, 196, 197, 197, 197], "logistic", (9.021, 0.1291, 0.0264, 0.0179)),
    "guesses": ([19, 21, 29, 41, 53, 110, 155, 186, 187, 185, 191, 189], "logistic", (11.771, 0.3127, 0.1017, 0.0530)),
    "weibull": ([10, 24, 16, 18, 27, 26, 25, 64, 101, 165, 195, 194], "weibull", (20.215, 0.3204, 0.0870, 0.0261)),
}


@pytest.mark.parametrize(("right", "shape", "found"), BY_PSIGNIFIT.values(), ids=BY_PSIGNIFIT)
def test_an_independent_program_finds_the_same_curve(right, shape, found):
    """Two hundred letters at each size outweigh the weak priors of both programs."""
    curve = fit_psychometric(SIZES, right, [200] * len(SIZES), shape=shape, resamples=1).curve
    threshold, width, guess, lapse = found
    assert curve.threshold == pytest.approx(threshold, rel=0.005)
    assert curve.width == pytest.approx(width, rel=0.02)
    assert (curve.guess, curve.lapse) == pytest.approx((guess, lapse), abs=0.002)


def test_the_interval_holds_the_true_threshold():
    """In 24 simulated exams of 55 letters the 95% interval holds it as often as it says, less four standard errors."""
    rng = np.random.default_rng(3)
    sizes = np.array([4, 5, 6, 7, 8, 9, 10, 12, 14, 20, 30])
    readers = [PsychometricCurve(9, 0.15, 0.02, 0.02), PsychometricCurve(9, 0.4, 0.1, 0.05)] * 12
    held = 0
    for seed, true in enumerate(readers):
        right = rng.binomial(5, true.predict_accuracy(sizes))
        threshold = fit_psychometric(sizes, right, [5] * sizes.size, resamples=80, seed=seed).threshold
        held += threshold.low <= true.threshold <= threshold.high
    assert held / 24 >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / 24)


@pytest.mark.parametrize("correlation", [0.3, 0.6])
def test_the_interval_holds_where_letters_of_a_row_go_together(correlation):
    """In 16 simulated exams whose rows are correlated; it is wider than that of single letters."""
    sizes, true = np.repeat([9, 10, 11, 12, 13, 14, 16], 2), PsychometricCurve(12, 0.3, 0.02, 0.02)
    held, wider = 0, []
    for seed in range(16):
        share, spread, rng = true.predict_accuracy(sizes), 1 / correlation - 1, np.random.default_rng(seed)
        right = rng.binomial(5, rng.beta(share * spread, (1 - share) * spread))
        rows, single = (
            fit_psychometric(sizes, right, [5] * 14, correlation=each, resamples=80, seed=seed).threshold
            for each in (None, 0.0)
        )
        held += rows.low <= true.threshold <= rows.high
        spans = [np.ptp(np.log(np.clip((each.low, each.high), 9, 16))) for each in (rows, single)]
        wider.append(spans[0] / spans[1])
    assert held / 16 >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / 16)
    assert np.median(wider) > 1 + correlation / 2


def test_independent_letters_are_found_to_be_so():
    """Rows that scatter as single letters do give no correlation, and the interval stays as it was."""
    sizes = np.array([4, 5, 6, 7, 8, 9, 10, 12, 14, 20, 30])
    right = np.rint(5 * PsychometricCurve(9, 0.3, 0.02, 0.02).predict_accuracy(sizes))
    found = fit_psychometric(sizes, right, [5] * sizes.size, correlation=None, resamples=50)
    assert found.correlation == 0
    assert found.threshold == fit_psychometric(sizes, right, [5] * sizes.size, resamples=50).threshold


def test_a_step_is_known_to_the_gap_between_two_sizes():
    """Nothing at 8 and all at 9: the threshold lies between, and so does most of its interval, which has a width."""
    threshold = fit_psychometric([5, 7, 8, 9, 10, 14], [0, 0, 0, 10, 10, 10], [10] * 6, seed=1).threshold
    assert 8 < threshold.low < 8.4 < threshold.value < 8.6 < threshold.high < 9


def test_a_few_letters_lean_on_a_known_curve():
    """With the guess of another series and about its width, three rows find a threshold."""
    like = PsychometricCurve(8, 0.1, 0.1, 0.0)
    fit = fit_psychometric([12, 16, 20], [0, 3, 5], [5, 5, 5], like=like, seed=1)
    assert fit.curve.guess == pytest.approx(0.1)
    assert 0.05 <= fit.curve.width <= 0.4
    assert 14 < fit.threshold.value < 17


def test_neither_order_nor_grouping_of_the_letters_matters():
    """One size asked twice is the same as all its letters at once."""
    once = fit_psychometric([6, 8, 10], [1, 6, 10], [10, 10, 10], resamples=50)
    apart = fit_psychometric([10, 8, 6, 8, 8], [10, 2, 1, 3, 1], [10, 5, 10, 4, 1], resamples=50)
    assert once.threshold == apart.threshold


def test_an_end_beyond_the_sizes_shown_is_open():
    """Where the largest letters are read half of the time, nobody knows how large they would have to be."""
    assert fit_psychometric([5, 7, 9], [0, 0, 3], [5, 5, 5], seed=1).threshold.high == np.inf

    assert fit_psychometric([5, 7, 9], [3, 5, 5], [5, 5, 5], seed=1).threshold.low == 0


def test_the_band_is_that_of_the_resampled_curves():
    """At each size the lower tail of curves whose threshold is late, and the upper tail of those that are early."""
    fit = fit_psychometric([4, 5, 6, 8, 10, 12], [0, 1, 4, 9, 10, 10], [10] * 6, resamples=60, seed=1)
    sizes = [3, 5, 6.3, 9, 20]
    early, late = (
        np.array([PsychometricCurve(10 ** row[end], *row[2:]).predict_accuracy(sizes) for row in fit.drawn])
        for end in (0, 1)
    )
    low, high = fit.band(sizes)
    assert low == pytest.approx(np.minimum(np.quantile(late, 0.025, axis=0), fit.curve.predict_accuracy(sizes)))
    assert high == pytest.approx(np.maximum(np.quantile(early, 0.975, axis=0), fit.curve.predict_accuracy(sizes)))
    least, most = 10 ** np.quantile(fit.drawn[:, 0], 0.025), 10 ** np.quantile(fit.drawn[:, 1], 0.975)
    assert 4 < fit.threshold.low <= least < most <= fit.threshold.high < 12
    assert [fit.width.low, fit.width.high] == pytest.approx(np.quantile(fit.drawn[:, 2], [0.025, 0.975]))
    assert (fit.width.value, fit.width.n) == (fit.curve.width, 60)


def test_more_right_than_shown_is_refused():
    """Counts that cannot be are told."""
    with pytest.raises(ValueError, match="no more right than shown"):
        fit_psychometric([5], [6], [5])
    with pytest.raises(ValueError, match="at least one letter shown"):
        fit_psychometric([5], [0], [0])
