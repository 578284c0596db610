"""Item response theory: the two-parameter logistic model by marginal maximum likelihood.

A subject of ability θ answers an item correctly with probability σ(a(θ − b)); θ is standard normal. Bock and Aitkin's
EM maximises the likelihood with θ integrated out, times a weak prior that keeps a and b finite: an item that all answer
correctly would otherwise have b = −∞. In the form σ(aθ + c), the prior of the slope a is normal around 1, and that of
the intercept c around 0. A negative a means that weaker subjects are correct more often, for instance because of a
wrong key.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, log_expit, logsumexp

from snellen.stats.observations import Numbers

NODES = 41
SLOPE_MEAN, SLOPE_SD, INTERCEPT_SD = 1.0, 1.5, 3.0


class TwoParameter(NamedTuple):
    """Fitted discriminations a and difficulties b of the items, and abilities of the subjects.

    `b` = −c/a is NaN if the slope's 95% CI includes 0, because a difficulty then has no meaning.
    """

    a: Numbers
    b: Numbers
    intercept: Numbers
    a_se: Numbers
    b_se: Numbers
    ability: Numbers
    log_posterior: float
    converged: bool


def two_parameter_logistic(responses: ArrayLike, *, rounds: int = 2000, tolerance: float = 1e-6) -> TwoParameter:
    """Fit a subjects × items table: 1 correct, 0 wrong, NaN for no answer.

    Standard errors come from the observed information of each item, taking the distribution of abilities as known.
    """
    given = np.asarray(responses, dtype=np.float64)
    if given.ndim != 2 or min(given.shape) < 2:
        raise ValueError(f"`responses` must be a table of two subjects and two items or more, got {given.shape}.")
    if not np.isin(given[~np.isnan(given)], (0.0, 1.0)).all():
        raise ValueError("`responses` must be 1 (right), 0 (wrong) or NaN (no answer).")
    right, wrong = np.nan_to_num(given), np.nan_to_num(1 - given)
    nodes, weights = _quadrature(NODES)
    slope, intercept = np.ones(given.shape[1]), np.log((right.sum(axis=0) + 0.5) / (wrong.sum(axis=0) + 0.5))
    converged = False
    for _ in range(rounds):
        posterior, _ = _subjects(right, wrong, slope, intercept, nodes, weights)
        new = _maximise_items(right.T @ posterior, wrong.T @ posterior, slope, intercept, nodes)
        moved = max(float(np.abs(new[0] - slope).max()), float(np.abs(new[1] - intercept).max()))
        slope, intercept = new
        if moved < tolerance:
            converged = True
            break
    return _build_result(right, wrong, slope, intercept, converged=converged)


def log_posterior(responses: ArrayLike, slope: ArrayLike, intercept: ArrayLike) -> float:
    """Log-posterior of the responses for given slopes and intercepts, up to a constant."""
    given = np.asarray(responses, dtype=np.float64)
    a, c = np.asarray(slope, dtype=np.float64), np.asarray(intercept, dtype=np.float64)
    _, likelihood = _subjects(np.nan_to_num(given), np.nan_to_num(1 - given), a, c, *_quadrature(NODES))
    return likelihood + _log_prior(a, c)


def _log_prior(slope: Numbers, intercept: Numbers) -> float:
    return float(-0.5 * (((slope - SLOPE_MEAN) / SLOPE_SD) ** 2 + (intercept / INTERCEPT_SD) ** 2).sum())


def _quadrature(nodes: int) -> tuple[Numbers, Numbers]:
    """Gauss–Hermite nodes and weights of a standard normal."""
    at, weights = np.polynomial.hermite_e.hermegauss(nodes)
    return at, weights / weights.sum()


def _subjects(
    right: Numbers, wrong: Numbers, slope: Numbers, intercept: Numbers, nodes: Numbers, weights: Numbers
) -> tuple[Numbers, float]:
    """Posterior probability of each node for each subject, and the log-likelihood of all."""
    inner = np.outer(nodes, slope) + intercept
    joint = right @ log_expit(inner).T + wrong @ log_expit(-inner).T + np.log(weights)
    total = logsumexp(joint, axis=1, keepdims=True)
    return np.exp(joint - total), float(total.sum())


def _maximise_items(
    right: Numbers, wrong: Numbers, slope: Numbers, intercept: Numbers, nodes: Numbers
) -> tuple[Numbers, Numbers]:
    """M-step by Newton: each item's logistic regression on the nodes."""
    for _ in range(8):
        share = expit(np.outer(slope, nodes) + intercept[:, None])
        residual = right - (right + wrong) * share
        gradient_a = residual @ nodes - (slope - SLOPE_MEAN) / SLOPE_SD**2
        gradient_c = residual.sum(axis=1) - intercept / INTERCEPT_SD**2
        weight = (right + wrong) * share * (1 - share)
        aa = weight @ nodes**2 + SLOPE_SD**-2
        ac, cc = weight @ nodes, weight.sum(axis=1) + INTERCEPT_SD**-2
        determinant = aa * cc - ac**2
        step_a = (cc * gradient_a - ac * gradient_c) / determinant
        step_c = (aa * gradient_c - ac * gradient_a) / determinant
        shorten = np.minimum(1.0, 2.0 / np.maximum(np.abs(step_a), np.abs(step_c)).clip(1e-12))
        slope, intercept = slope + shorten * step_a, intercept + shorten * step_c
        if max(float(np.abs(step_a).max()), float(np.abs(step_c).max())) < 1e-9:
            break
    return slope, intercept


def _build_result(
    right: Numbers, wrong: Numbers, slope: Numbers, intercept: Numbers, *, converged: bool
) -> TwoParameter:
    nodes, weights = _quadrature(NODES)
    posterior, likelihood = _subjects(right, wrong, slope, intercept, nodes, weights)
    ability = posterior @ nodes
    # The sign of the abilities is arbitrary: choose it so that most slopes are positive.
    if slope.sum() < 0:
        slope, ability = -slope, -ability
        posterior = posterior[:, ::-1]
    covariance = _covariances(right, wrong, slope, intercept, nodes, posterior)
    a_se = np.sqrt(covariance[:, 0, 0])
    clear = np.abs(slope) > 1.96 * a_se
    with np.errstate(divide="ignore", invalid="ignore"):
        b = np.where(clear, -intercept / slope, np.nan)
        towards = np.stack([intercept / slope**2, -1 / slope], axis=1)
        b_se = np.where(clear, np.sqrt(np.einsum("ij,ijk,ik->i", towards, covariance, towards)), np.nan)
    total = likelihood + _log_prior(slope, intercept)
    return TwoParameter(slope, b, intercept, a_se, b_se, ability, total, converged)


def _covariances(
    right: Numbers, wrong: Numbers, slope: Numbers, intercept: Numbers, nodes: Numbers, posterior: Numbers
) -> Numbers:
    """Covariance of each item's parameters: the inverse of its observed information.

    That is the complete information minus the part lost because abilities are unknown.
    """
    share = expit(np.outer(slope, nodes) + intercept[:, None])
    terms = np.stack([nodes, np.ones_like(nodes)])
    found = np.empty((slope.size, 2, 2))
    for item in range(slope.size):
        asked = right[:, item] + wrong[:, item]
        complete = np.einsum("n,jn,kn->jk", (asked @ posterior) * share[item] * (1 - share[item]), terms, terms)
        score = (right[:, item, None] - asked[:, None] * share[item]) * posterior
        mean = score @ terms.T
        squares = (right[:, item, None] - asked[:, None] * share[item]) ** 2 * posterior
        missing = np.einsum("sn,jn,kn->jk", squares, terms, terms) - mean.T @ mean
        information = complete - missing + np.diag([SLOPE_SD**-2, INTERCEPT_SD**-2])
        found[item] = np.linalg.inv(information)
    return found
