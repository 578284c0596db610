"""Conditional logit: probability that each option is correct, from weighted features."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


CLOSE = 1e-3
"""The fit ends if the slope falls to this share of its initial value."""
_MOST_STEPS, _MOST_TURNS = 50, 200


def learn_weights(design: Any, sizes: Ints, right: Ints, seen: NDArray[np.bool_]) -> Floats:
    """Fit the weights on the items marked in `seen`, with a standard normal prior.

    `design` has a row per option, with an item's options together. `sizes` has the number of options per item, and
    `right` the row of each correct option. Newton's method with conjugate gradients takes a tenth of the time of
    L-BFGS, since there are many rare words.
    """
    rows = np.repeat(seen, sizes)
    shown, offered = design[rows], sizes[seen]
    turned = shown.T.tocsr()
    starts = np.cumsum(offered) - offered
    keys = (np.cumsum(rows) - 1)[right[seen]]
    truth = np.zeros(shown.shape[0])
    truth[keys] = 1
    weights, scores = np.zeros(design.shape[1]), np.zeros(shown.shape[0])
    first = 0.0
    for _ in range(_MOST_STEPS):
        given = shares(scores, offered)
        slope = turned @ (given - truth) + weights
        steep = np.sqrt(_dot(slope, slope))
        first = first or steep
        if steep <= CLOSE * first:
            break

        def multiply_curvature(direction: Floats, given: Floats = given) -> Floats:
            moved = given * (shown @ direction)
            moved -= given * np.repeat(np.add.reduceat(moved, starts), offered)
            return np.asarray(turned @ moved + direction)

        step = _solve_conjugate(multiply_curvature, -slope, within=min(0.1, np.sqrt(steep / first)) * steep)
        weights, scores = _take_step(weights, scores, step, shown @ step, _dot(slope, step), (offered, keys))
    return weights


def _dot(one: Floats, other: Floats) -> float:
    """Dot product in one thread; at these sizes, several threads are slower."""
    return float(np.einsum("i,i->", one, other))


def _solve_conjugate(multiply_curvature: Callable[[Floats], Floats], wanted: Floats, *, within: float) -> Floats:
    """Solve for the step with this slope by conjugate gradients, within a tolerance."""
    found, left = np.zeros_like(wanted), wanted.copy()
    direction, length = left.copy(), _dot(left, left)
    for _ in range(_MOST_TURNS):
        bent = multiply_curvature(direction)
        far = length / _dot(direction, bent)
        found += far * direction
        left -= far * bent
        before, length = length, _dot(left, left)
        if length <= within * within:
            break
        direction = left + length / before * direction
    return found


def _take_step(
    weights: Floats, scores: Floats, step: Floats, shift: Floats, slope: float, keyed: tuple[Ints, Ints]
) -> tuple[Floats, Floats]:
    """Return weights and scores after a step, halved until the loss falls as predicted."""
    offered, keys = keyed

    def surprise(weights: Floats, scores: Floats) -> float:
        return _dot(weights, weights) / 2 - float(np.log(shares(scores, offered)[keys]).sum())

    before, share = surprise(weights, scores), 1.0
    while share > 1e-6 and surprise(weights + share * step, scores + share * shift) > before + 1e-4 * share * slope:
        share /= 2
    return weights + share * step, scores + share * shift


def shares(scores: Floats, sizes: Ints) -> Floats:
    """Convert scores to probabilities over the options of each item.

    >>> shares(np.zeros(5), np.array([2, 3])).round(2).tolist()
    [0.5, 0.5, 0.33, 0.33, 0.33]
    """
    starts = np.cumsum(sizes) - sizes
    grown = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
    return np.asarray(grown / np.repeat(np.add.reduceat(grown, starts), sizes)).clip(1e-12)


def hits(given: Floats, sizes: Ints, right: Ints) -> Floats:
    """Return 1 if the likeliest option is correct, otherwise 0; a share in a tie.

    >>> hits(np.array([0.7, 0.3, 0.4, 0.4, 0.2]), np.array([2, 3]), np.array([0, 3])).tolist()
    [1.0, 0.5]
    """
    starts = np.cumsum(sizes) - sizes
    best = np.repeat(np.maximum.reduceat(given, starts), sizes)
    liked = np.isclose(given, best, rtol=1e-9, atol=0).astype(np.float64)
    return np.asarray(liked[right] / np.add.reduceat(liked, starts))
