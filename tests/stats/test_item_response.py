"""The two-parameter logistic model: against brute force, on simulated parameters, and on what has no finite maximum."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import approx_fprime, minimize
from scipy.special import expit
from scipy.stats import norm

from snellen.stats.item_response import (
    INTERCEPT_SD,
    SLOPE_MEAN,
    SLOPE_SD,
    _build_result,
    log_posterior,
    two_parameter_logistic,
)


def simulated(rng, subjects, slope, intercept):
    ability = rng.normal(size=subjects)
    chance = expit(np.outer(ability, slope) + intercept)
    return (rng.random(chance.shape) < chance).astype(float), ability


def by_integration(responses, slope, intercept):
    """The log-posterior by adaptive integration over the ability of each subject."""

    def likelihood(theta, row):
        share = expit(slope * theta + intercept)
        there = ~np.isnan(row)
        return norm.pdf(theta) * np.prod(np.where(row == 1, share, 1 - share)[there])

    total = sum(np.log(quad(likelihood, -9, 9, args=(row,), epsabs=1e-13)[0]) for row in responses)
    return total + norm.logpdf(slope, SLOPE_MEAN, SLOPE_SD).sum() + norm.logpdf(intercept, 0, INTERCEPT_SD).sum()


def test_quadrature_is_the_integral():
    """What is maximised differs from adaptive integration by the same constant at any parameters."""
    rng = np.random.default_rng(1)
    given, _ = simulated(rng, 12, np.array([1.0, 0.5, 2.0]), np.array([0.0, 1.0, -1.0]))
    given[0, 1] = np.nan
    places = [(np.array([1.0, 1.0, 1.0]), np.zeros(3)), (np.array([-0.5, 2.0, 0.1]), np.array([1.0, -1.0, 0.3]))]
    gaps = [by_integration(given, *place) - log_posterior(given, *place) for place in places]
    assert gaps[0] == pytest.approx(gaps[1], abs=1e-6)


def test_the_fit_is_what_a_general_optimiser_finds():
    """EM ends where scipy's BFGS ends on the same objective, with missing answers and a wrong key among them."""
    rng = np.random.default_rng(2)
    given, _ = simulated(rng, 80, np.array([1.2, 0.7, 1.8, -1.0, 1.0]), np.array([0.5, -1.0, 0.0, 0.3, 2.0]))
    given[rng.random(given.shape) < 0.1] = np.nan
    fit = two_parameter_logistic(given, tolerance=1e-8)
    found = minimize(lambda both: -log_posterior(given, both[:5], both[5:]), np.r_[np.ones(5), np.zeros(5)])
    assert fit.converged
    assert fit.log_posterior == pytest.approx(-found.fun, abs=1e-6)
    assert np.r_[fit.a, fit.intercept] == pytest.approx(found.x, abs=2e-3)
    assert fit.a[3] < 0 < fit.a[2]


def test_standard_errors_are_those_of_the_objective():
    """Each item's standard errors come from the curvature of the objective in its own two parameters."""
    rng = np.random.default_rng(3)
    given, _ = simulated(rng, 150, np.array([1.2, 0.7, 1.8, 1.0]), np.array([0.5, -1.0, 0.0, 1.0]))
    fit = two_parameter_logistic(given, tolerance=1e-9)
    for item in range(4):

        def objective(two, item=item):
            slope, intercept = fit.a.copy(), fit.intercept.copy()
            slope[item], intercept[item] = two
            return -log_posterior(given, slope, intercept)

        at = np.array([fit.a[item], fit.intercept[item]])
        curvature = approx_fprime(at, lambda two, f=objective: approx_fprime(two, f, 1e-5), 1e-4)
        assert fit.a_se[item] == pytest.approx(np.sqrt(np.linalg.inv(curvature)[0, 0]), rel=0.03)
        towards = np.array([at[1] / at[0] ** 2, -1 / at[0]])
        expected = np.sqrt(towards @ np.linalg.inv(curvature) @ towards) if np.isfinite(fit.b[item]) else np.nan
        assert fit.b_se[item] == pytest.approx(expected, rel=0.03, nan_ok=True)


def test_simulated_parameters_are_recovered():
    """With 1,500 subjects, slopes, difficulties and abilities come back, and most 95% CIs hold the truth."""
    rng = np.random.default_rng(4)
    slope, b = rng.uniform(0.6, 2.0, 20), rng.normal(size=20)
    slope[7] = -1.0
    given, ability = simulated(rng, 1500, slope, -slope * b)
    fit = two_parameter_logistic(given, tolerance=1e-4)
    assert np.corrcoef(fit.a, slope)[0, 1] > 0.97
    assert np.corrcoef(fit.b, b)[0, 1] > 0.99
    assert np.corrcoef(fit.ability, ability)[0, 1] > 0.9
    assert np.mean(np.abs(fit.a - slope) < 1.96 * fit.a_se) > 0.85
    assert np.mean(np.abs(fit.b - b) < 1.96 * fit.b_se) > 0.85


def test_items_that_all_get_right_stay_finite():
    """An item without a wrong answer, and one without any answer, have finite slopes; b is not told without a slope."""
    rng = np.random.default_rng(5)
    given, _ = simulated(rng, 40, np.ones(6), np.zeros(6))
    given[:, 0], given[:, 1] = 1, np.nan
    fit = two_parameter_logistic(given)
    assert np.isfinite(np.r_[fit.a, fit.intercept, fit.a_se]).all()
    assert fit.intercept[0] > 2
    assert np.isnan(fit.b[1])


def test_most_items_are_taken_to_be_the_right_way_round():
    """The sign of ability is that of most items, and the order of subjects does not matter."""
    rng = np.random.default_rng(6)
    given, ability = simulated(rng, 200, np.full(10, 1.5), np.zeros(10))
    fit, turned = two_parameter_logistic(given), two_parameter_logistic(given[::-1])
    assert np.corrcoef(fit.ability, ability)[0, 1] > 0.8
    assert turned.a == pytest.approx(fit.a, abs=1e-4)
    described = _build_result(given, 1 - given, -fit.a, fit.intercept, converged=True)
    for one, other in zip(described, fit, strict=True):
        assert one == pytest.approx(other, nan_ok=True)


def test_a_fit_says_whether_it_has_converged():
    """One round is too few; two subjects and two items are enough for a fit."""
    assert not two_parameter_logistic([[1, 0], [0, 1]], rounds=1).converged
    assert two_parameter_logistic([[1, 0], [0, 1]]).converged


@pytest.mark.parametrize("given", [[1, 0], [[1, 0.5], [0, 1]], [[1, 0]]])
def test_what_is_no_table_of_right_and_wrong_is_refused(given):
    """Other values, and fewer than two subjects or items, are errors."""
    with pytest.raises(ValueError, match="responses"):
        two_parameter_logistic(given)
