"""Conditional logit: how likely each option of an item is the right one, by a weighted sum of what is known of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


CLOSE = 1e-3
"""The search for weights ends where the slope is this share of what it was at the start."""
_MOST_STEPS, _MOST_TURNS = 50, 200


def learnt(design: Any, sizes: Ints, right: Ints, seen: NDArray[np.bool_]) -> Floats:
    """The weights learnt from the items that were seen; a standard normal prior holds each of them back.

    `design` has a row for every option, those of an item together; `sizes` says how many options each item has,
    `right` which row is the right one. Newton's method, each step found by conjugate gradients: a tenth of the time
    that L-BFGS takes to come as close, since words are many and rare.
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

        def curved(direction: Floats, given: Floats = given) -> Floats:
            moved = given * (shown @ direction)
            moved -= given * np.repeat(np.add.reduceat(moved, starts), offered)
            return np.asarray(turned @ moved + direction)

        step = _solved(curved, -slope, within=min(0.1, np.sqrt(steep / first)) * steep)
        weights, scores = _moved(weights, scores, step, shown @ step, _dot(slope, step), (offered, keys))
    return weights


def _dot(one: Floats, other: Floats) -> float:
    """Their product in one thread: for vectors of this size, waiting for others takes most of the time."""
    return float(np.einsum("i,i->", one, other))


def _solved(curved: Callable[[Floats], Floats], wanted: Floats, *, within: float) -> Floats:
    """Where a curved plane has the slope that is wanted, by conjugate gradients."""
    found, left = np.zeros_like(wanted), wanted.copy()
    direction, length = left.copy(), _dot(left, left)
    for _ in range(_MOST_TURNS):
        bent = curved(direction)
        far = length / _dot(direction, bent)
        found += far * direction
        left -= far * bent
        before, length = length, _dot(left, left)
        if length <= within * within:
            break
        direction = left + length / before * direction
    return found


def _moved(
    weights: Floats, scores: Floats, step: Floats, shift: Floats, slope: float, keyed: tuple[Ints, Ints]
) -> tuple[Floats, Floats]:
    """Weights and scores after a step, shortened until the surprise falls as its slope promises."""
    offered, keys = keyed

    def surprise(weights: Floats, scores: Floats) -> float:
        return _dot(weights, weights) / 2 - float(np.log(shares(scores, offered)[keys]).sum())

    before, share = surprise(weights, scores), 1.0
    while share > 1e-6 and surprise(weights + share * step, scores + share * shift) > before + 1e-4 * share * slope:
        share /= 2
    return weights + share * step, scores + share * shift


def shares(scores: Floats, sizes: Ints) -> Floats:
    """Scores as probabilities over the options of each item.

    >>> shares(np.zeros(5), np.array([2, 3])).round(2).tolist()
    [0.5, 0.5, 0.33, 0.33, 0.33]
    """
    starts = np.cumsum(sizes) - sizes
    grown = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
    return np.asarray(grown / np.repeat(np.add.reduceat(grown, starts), sizes)).clip(1e-12)


def hits(given: Floats, sizes: Ints, right: Ints) -> Floats:
    """Whether the option that is given most is the right one: 1 or 0 by item, or a share where several are liked alike.

    >>> hits(np.array([0.7, 0.3, 0.4, 0.4, 0.2]), np.array([2, 3]), np.array([0, 3])).tolist()
    [1.0, 0.5]
    """
    starts = np.cumsum(sizes) - sizes
    best = np.repeat(np.maximum.reduceat(given, starts), sizes)
    liked = np.isclose(given, best, rtol=1e-9, atol=0).astype(np.float64)
    return np.asarray(liked[right] / np.add.reduceat(liked, starts))
