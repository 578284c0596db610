"""Comparison of many models on the same items: omnibus test, pairs and ranks."""

from __future__ import annotations

from itertools import combinations
from math import nan
from typing import Literal, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from snellen.stats.estimate import Estimate
from snellen.stats.intervals import proportion
from snellen.stats.multiple import holm
from snellen.stats.observations import Codes, Numbers, check_count, group_codes, is_binary, open_fraction
from snellen.stats.paired import paired_difference
from snellen.stats.permutation import drawn_p
from snellen.stats.resampling import drawn_totals

_CELLS = 500_000
_DIGITS = 12
"""Decimal digits of means of repeats; values that differ only by rounding count as equal."""


class OmnibusTest(NamedTuple):
    """Result of a test for any difference between models.

    p is nan if there is nothing to test; `method` then says why. `least_p` is the smallest p that random permutations
    can show; None if p comes from a known law.
    """

    statistic: float
    freedom: int
    p: float
    n: int
    method: str
    least_p: float | None = None


class DunnPair(NamedTuple):
    """Two models compared by Dunn's test; z is positive if the second scores higher."""

    first: int
    second: int
    z: float
    p: float
    adjusted: float
    n: int


class ModelPair(NamedTuple):
    """Paired difference of two models, with p and Holm's adjusted p.

    `test` names the test behind p. Both p are nan if the models share no item.
    """

    first: int
    second: int
    difference: Estimate
    adjusted: float
    test: str


class ModelRank(NamedTuple):
    """A model's mean score, rank with a simultaneous interval, and share of first places."""

    score: Estimate
    rank: Estimate
    best: float


class Ranking(NamedTuple):
    """Ranks of the models, their pairs, and the number of pairs with a settled order.

    `items` counts the items that all models answered, from which ranks are computed, and `left_out` the others.
    """

    models: tuple[ModelRank, ...]
    pairs: tuple[ModelPair, ...]
    settled: int
    items: int
    left_out: int

    @property
    def share_settled(self) -> float:
        """Share of pairs with a settled order; NaN without pairs."""
        return self.settled / len(self.pairs) if self.pairs else nan


def kruskal_wallis(scores: ArrayLike) -> OmnibusTest:
    """Kruskal–Wallis test of an items × models table, corrected for ties.

    It exists to reproduce published results. It ignores that all models answered the same items, which usually costs
    power; `cochrans_q` suits such data. NaN is an item that a model did not answer.

    >>> found = kruskal_wallis([[1, 0], [1, 0], [1, 1], [1, 0]])
    >>> round(found.statistic, 3), found.freedom, round(found.p, 4), found.n
    (4.2, 1, 0.0404, 8)
    """
    table = _table(scores)
    answered = np.isfinite(table)
    sizes = answered.sum(axis=0)[answered.any(axis=0)]
    freedom, n = max(0, sizes.size - 1), int(sizes.sum())
    if sizes.size < 2:
        return OmnibusTest(nan, freedom, nan, n, "undefined: fewer than two models have scores")
    ranked = _pooled_ranks(table)
    if ranked.untied == 0:
        return OmnibusTest(0.0, freedom, 1.0, n, "all scores equal")
    between = np.sum((ranked.means[answered.any(axis=0)] - (n + 1) / 2) ** 2 * sizes)
    statistic = float(12 * between / (n * (n + 1)) / ranked.untied)
    return OmnibusTest(statistic, freedom, float(scipy.special.chdtrc(freedom, statistic)), n, "kruskal-wallis")


def dunn(scores: ArrayLike, *, adjust: Literal["bonferroni", "holm"] = "bonferroni") -> tuple[DunnPair, ...]:
    """Dunn's two-sided test of every pair of models, corrected for ties.

    "bonferroni" is min(1, p × number of pairs), which GraphPad Prism calls the multiplicity-adjusted p. Pairs with a
    model without scores are nan and do not count.

    >>> [round(pair.z, 2) for pair in dunn([[1, 0, 1], [1, 0, 0], [1, 1, 1], [1, 0, 0]])]
    [-2.06, -1.37, 0.69]
    """
    if adjust not in ("bonferroni", "holm"):
        raise ValueError(f'`adjust` must be "bonferroni" or "holm", got {adjust!r}.')
    table = _table(scores)
    sizes = np.isfinite(table).sum(axis=0)
    n, ranked = int(sizes.sum()), _pooled_ranks(table)
    pairs = list(combinations(range(table.shape[1]), 2))
    z = np.full(len(pairs), nan)
    for at, (first, second) in enumerate(pairs):
        if sizes[first] and sizes[second]:
            spread = n * (n + 1) / 12 * ranked.untied * (1 / sizes[first] + 1 / sizes[second])
            z[at] = (ranked.means[second] - ranked.means[first]) / np.sqrt(spread) if spread else 0.0
    p = 2 * scipy.special.ndtr(-np.abs(z))
    adjusted = _adjust_p_values(p) if adjust == "holm" else np.minimum(1.0, p * np.isfinite(p).sum())
    return tuple(
        DunnPair(first, second, float(z[at]), float(p[at]), float(adjusted[at]), int(sizes[first] + sizes[second]))
        for at, (first, second) in enumerate(pairs)
    )


def cochrans_q(
    scores: ArrayLike, clusters: ArrayLike | None = None, *, resamples: int = 2000, seed: int = 0
) -> OmnibusTest:
    """Cochran's Q: test whether models that answered the same items score alike.

    For zeros and ones of independent items p comes from the chi-square law. For means of repeats, and for items of one
    patient (`clusters`), models are permuted at random within every cluster, with the same statistic of the clusters'
    sums. Only items that every model answered count; a model without scores is left out.

    >>> cochrans_q([[1, 0, 0], [1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 0, 1]]).statistic
    4.5
    """
    table = _table(scores)
    codes = group_codes(clusters, len(table))
    check_count(resamples, "resamples")
    there, rows = _common(table)
    models, n = int(there.sum()), int(rows.sum())
    freedom = max(0, models - 1)
    if models < 2 or not n:
        why = "fewer than two models have scores" if models < 2 else "no items in common"
        return OmnibusTest(nan, freedom, nan, n, f"undefined: {why}")
    kept = table[np.ix_(rows, there)]
    sums = _cluster_sums(kept, None if codes is None else codes[rows])
    within = float(np.sum((sums - sums.mean(axis=1, keepdims=True)) ** 2))
    if within < 10.0**-_DIGITS:
        return OmnibusTest(0.0, freedom, 1.0, n, "no item on which models differ")
    totals = sums.sum(axis=0)
    statistic = freedom * float(np.sum((totals - totals.mean()) ** 2)) / within
    if len(sums) == n and is_binary(kept.ravel()):
        return OmnibusTest(statistic, freedom, float(scipy.special.chdtrc(freedom, statistic)), n, "cochran-q")
    drawn = _permuted_spreads(sums, np.random.default_rng(seed), resamples) * freedom / within
    found = drawn_p(int(np.sum(drawn >= statistic - 1e-9)), resamples)
    method = "permutation-of-models" if len(sums) == n else "cluster-permutation-of-models"
    return OmnibusTest(statistic, freedom, found.p, n, method, found.least)


def compare_models(
    scores: ArrayLike, clusters: ArrayLike | None = None, level: float = 0.95, *, seed: int = 0
) -> tuple[ModelPair, ...]:
    """Compare every pair of models on the items that both answered.

    The interval is Bonett and Price's. p is McNemar's exact one for zeros and ones of independent items, not the mid-p,
    which may exceed its level if few answers differ. For means of repeats and for clusters, p comes from a permutation
    test. Holm's adjustment counts the pairs that share items.

    >>> [(pair.difference.value, pair.difference.p, pair.test) for pair in compare_models([[0, 1], [0, 1], [1, 1]])]
    [(0.6666666666666666, 0.5, 'mcnemar-exact')]
    """
    table = _table(scores)
    codes = group_codes(clusters, len(table))
    open_fraction(level, "level")
    pairs = list(combinations(range(table.shape[1]), 2))
    # Enough random signs for Holm's smallest p to fall well below 0.05.
    resamples = max(10_000, 100 * len(pairs))
    found = [_compare_pair(table[:, pair], codes, level, seed, resamples) for pair in pairs]
    adjusted = _adjust_p_values(np.array([nan if each.p is None else each.p for each, _ in found]))
    return tuple(
        ModelPair(first, second, difference, float(p), test)
        for (first, second), (difference, test), p in zip(pairs, found, adjusted, strict=True)
    )


def ranks(
    scores: ArrayLike,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    *,
    resamples: int = 2000,
    seed: int = 0,
) -> Ranking:
    """Rank the models by mean score, with simultaneous intervals; ties share a rank.

    A rank's interval runs from 1 + the number of significantly better models to the number of models minus the number
    of significantly worse ones, by Holm's p of all pairs (Mogstad, Romano, Shaikh and Wilhelm). `best` is the share of
    resamples in which the model comes first, not the probability that it is truly the best. Only items that every model
    answered count; a model without scores has no rank.

    >>> board = ranks([[1, 0, 0]] * 12 + [[1, 1, 0]] * 4)
    >>> [(each.rank.value, each.rank.low, each.rank.high) for each in board.models], board.settled
    ([(1, 1, 1), (2, 2, 3), (3, 2, 3)], 2)
    """
    table = _table(scores)
    codes = group_codes(clusters, len(table))
    check_count(resamples, "resamples")
    there, rows = _common(table)
    kept, groups = table[np.ix_(rows, there)], None if codes is None else codes[rows]
    at = np.flatnonzero(there)
    left_out = int(np.isfinite(table).any(axis=1).sum() - rows.sum())
    if not kept.size:
        nowhere = (_leave_unranked("no items in common"),) * table.shape[1]
        return Ranking(nowhere, (), 0, 0, left_out)
    pairs = compare_models(kept, groups, level, seed=seed)
    above = _significantly_above(pairs, at.size, 1 - level)
    means = kept.mean(axis=0).round(_DIGITS)
    best = _share_best(kept, groups, resamples, seed)
    found = [_leave_unranked("no scores")] * table.shape[1]
    for one, model in enumerate(at):
        rank = 1 + int(np.sum(means > means[one]))
        low, high = 1 + int(above[:, one].sum()), at.size - int(above[one].sum())
        score = proportion(kept[:, one], groups, level)
        found[model] = ModelRank(score, Estimate(rank, low, high, len(kept), "holm-over-pairs"), float(best[one]))
    renamed = tuple(pair._replace(first=int(at[pair.first]), second=int(at[pair.second])) for pair in pairs)
    return Ranking(tuple(found), renamed, int(above.sum()), len(kept), left_out)


class _Ranked(NamedTuple):
    """Mean rank of each model's scores, and the correction of the variance for ties."""

    means: Numbers
    untied: float


def _table(scores: ArrayLike) -> Numbers:
    try:
        table = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"`scores` must hold numbers only, one row per item: {error}.") from error
    if table.ndim != 2 or not table.shape[1]:
        raise ValueError(f"`scores` must be a table of items × models, got an array of shape {table.shape}.")
    outside = table[np.isinf(table) | (table < 0) | (table > 1)]
    if outside.size:
        raise ValueError(f"`scores` must lie in [0, 1], or be NaN, got {outside[0]}.")
    return table


def _common(table: Numbers) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Find the models with scores, and the items that all of these answered."""
    answered = np.isfinite(table)
    there = answered.any(axis=0)
    return np.asarray(there), np.asarray(answered[:, there].all(axis=1) & there.any())


def _pooled_ranks(table: Numbers) -> _Ranked:
    answered = np.isfinite(table)
    _, code, counts = np.unique(table[answered].round(_DIGITS), return_inverse=True, return_counts=True)
    pooled = np.zeros(table.shape)
    pooled[answered] = (np.cumsum(counts) - (counts - 1) / 2)[code]
    n = int(counts.sum())
    untied = 1 - float(np.sum(counts.astype(float) ** 3 - counts)) / (n**3 - n) if n > 1 else 0.0
    sizes = answered.sum(axis=0)
    means = np.where(sizes > 0, pooled.sum(axis=0) / np.maximum(sizes, 1), nan)
    return _Ranked(means, 0.0 if counts.size < 2 else untied)


def _adjust_p_values(p: Numbers) -> Numbers:
    """Adjust p-values by Holm; nan stays nan and does not count."""
    adjusted, there = np.full(p.shape, nan), np.isfinite(p)
    if there.any():
        adjusted[there] = holm(p[there])
    return adjusted


def _compare_pair(both: Numbers, codes: Codes | None, level: float, seed: int, resamples: int) -> tuple[Estimate, str]:
    rows = np.isfinite(both).all(axis=1)
    if not rows.any():
        return Estimate(nan, -1.0, 1.0, 0, "undefined: no items in common", nan), "none"
    first, second = both[rows].T
    groups = None if codes is None else codes[rows]
    found = paired_difference(first, second, groups, level, seed=seed, resamples=resamples)
    if found.method != "bonett-price":
        return found, "cluster-paired-permutation"
    return found, "mcnemar-exact" if is_binary(both[rows].ravel()) else "paired-permutation"


def _significantly_above(pairs: tuple[ModelPair, ...], models: int, alpha: float) -> NDArray[np.bool_]:
    """True where the model of a row scores significantly higher than that of a column."""
    above = np.zeros((models, models), dtype=bool)
    for pair in pairs:
        if pair.adjusted <= alpha:
            higher, lower = (pair.second, pair.first) if pair.difference.value > 0 else (pair.first, pair.second)
            above[higher, lower] = True
    return above


def _leave_unranked(why: str) -> ModelRank:
    nothing = Estimate(nan, nan, nan, 0, f"undefined: {why}")
    return ModelRank(nothing, nothing, nan)


def _cluster_sums(table: Numbers, codes: Codes | None) -> Numbers:
    if codes is None:
        return table
    _, code = np.unique(codes, return_inverse=True)
    return np.column_stack([np.bincount(code, weights=column) for column in table.T])


def _permuted_spreads(sums: Numbers, rng: np.random.Generator, resamples: int) -> Numbers:
    """Spread of the models' totals when models are permuted within rows.

    Rows and their entries are sorted first, so that the order of models and items does not change the random draws.
    """
    centred = np.sort(sums - sums.mean(axis=1, keepdims=True), axis=1).round(_DIGITS)
    differing = centred[np.ptp(centred, axis=1) > 0]
    ordered = differing[np.lexsort(differing.T)]
    step = max(1, _CELLS // ordered.size)
    parts = []
    for start in range(0, resamples, step):
        count = min(step, resamples - start)
        dealt = rng.permuted(np.repeat(ordered[None], count, axis=0), axis=2)
        parts.append(np.sum(dealt.sum(axis=1) ** 2, axis=1))
    return np.concatenate(parts)


def _share_best(table: Numbers, codes: Codes | None, resamples: int, seed: int) -> Numbers:
    """Share of resamples in which each model has the highest mean; ties are divided."""
    by_mean = np.argsort(table.mean(axis=0).round(_DIGITS), kind="stable")
    sums = _cluster_sums(table, codes)[:, by_mean].round(_DIGITS)
    totals = drawn_totals(sums[np.lexsort(sums.T)], np.random.default_rng(seed), resamples)
    first = totals >= totals.max(axis=1, keepdims=True) - 1e-9
    shares = np.empty(table.shape[1])
    shares[by_mean] = np.mean(first / first.sum(axis=1, keepdims=True), axis=0)
    return shares
