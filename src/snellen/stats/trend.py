"""The trend over doses: whether each item's answers fall as the dose rises, items as blocks."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan

import numpy as np
from numpy.typing import ArrayLike

from snellen.stats.estimate import Estimate
from snellen.stats.observations import Numbers
from snellen.stats.paired import bonett_price
from snellen.stats.permutation import paired_permutation


def trend_over_doses(doses: Numbers, answers: Numbers, clusters: ArrayLike | None = None, *, seed: int = 0) -> Estimate:
    """The mean over items of each item's own slope, in accuracy per unit of dose, with its interval and a p.

    `answers` has one row per item and one column per dose, NaN if not asked; items asked at one dose are left out, and
    where there are no others the slope is nan. The interval is that of `bonett_price` on slopes scaled to [−1, 1], p
    that of `paired_permutation`: could the slopes, cluster by cluster, as well have had the other sign? Of two doses, 0
    and 1, it is `paired_difference`.

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
    p = paired_permutation(slopes.round(12), groups, seed=seed)
    ends = {end: getattr(found, end) * scale for end in ("value", "low", "high")}
    return replace(found, **ends, method=f"mean-slope; {found.method}", p=p)
