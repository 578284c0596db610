"""Conditional logit: how likely each option of an item is the right one, by a weighted sum of what is known of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def learnt(design: Any, sizes: Ints, right: Ints, seen: NDArray[np.bool_], *, ftol: float = 1e-6) -> Floats:
    """The weights learnt from the items that were seen; a standard normal prior holds each of them back.

    `design` has a row for every option, those of an item together; `sizes` says how many options each item has,
    `right` which row is the right one. The search ends once a step gains less than `ftol` of what there is to gain.
    """
    from scipy.optimize import minimize  # takes a fifth of a second to import, which every command would wait for

    rows = np.repeat(seen, sizes)
    shown, offered = design[rows], sizes[seen]
    turned = shown.T.tocsr()
    keys = (np.cumsum(rows) - 1)[right[seen]]
    truth = np.zeros(shown.shape[0])
    truth[keys] = 1

    def surprise(weights: Floats) -> tuple[float, Floats]:
        given = shares(shown @ weights, offered)
        return weights @ weights / 2 - np.log(given[keys]).sum(), turned @ (given - truth) + weights

    start = np.zeros(design.shape[1])
    found = minimize(surprise, start, jac=True, method="L-BFGS-B", options={"gtol": 1e-2, "ftol": ftol})
    weights: Floats = found.x
    return weights


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
