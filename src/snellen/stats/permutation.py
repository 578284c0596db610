"""Exact tests and permutation tests of paired answers, by changing the signs of differences."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from snellen.stats.clustered import gather
from snellen.stats.observations import Codes, Numbers, check_count, group_codes, is_binary, numbers, paired_fractions

LEAST = 1e-12
"""Smallest p reported from counting all signs; below it floating point is not accurate enough."""
_MOST_PARTS = 10_000
"""Largest common denominator of the amounts for the exact count, as for means of repeats."""
_CELLS = 200_000
"""Number of random signs drawn at a time; they fit into the processor's cache."""
_LARGEST = 20_000_000
"""Limit on amounts × frequencies for the exact count of all signs."""


class PermutationP(NamedTuple):
    """A p-value, and the smallest p that the computation can show. None if unlimited."""

    p: float
    least: float | None = None


def drawn_p(as_extreme: int, draws: int) -> PermutationP:
    """Compute p from random draws; the observed value counts as one of them.

    >>> drawn_p(0, 9999)
    PermutationP(p=0.0001, least=0.0001)
    """
    return PermutationP((as_extreme + 1) / (draws + 1), 1 / (draws + 1))


def mcnemar_exact(a: ArrayLike, b: ArrayLike) -> float:
    """Two-sided exact p of McNemar's test, from the right answers gained and lost.

    >>> mcnemar_exact([0, 0, 0, 0, 0, 1], [1, 1, 1, 1, 1, 1])
    0.0625
    """
    left, right = paired_fractions(a, b, ("a", "b"))
    if not (is_binary(left) and is_binary(right)):
        raise ValueError("`a` and `b` must be 0 or 1 for McNemar's test; use `paired_permutation` for fractions.")
    return _sign_test(int(np.sum(right > left)), int(np.sum(right < left)))


def paired_permutation(
    differences: ArrayLike, clusters: ArrayLike | None = None, *, resamples: int = 10_000, seed: int = 0
) -> float:
    """Return only the p of `permutation_test`.

    >>> paired_permutation([0.2, 0.4, 0.6])
    0.25
    """
    return permutation_test(differences, clusters, resamples=resamples, seed=seed).p


def permutation_test(
    differences: ArrayLike, clusters: ArrayLike | None = None, *, resamples: int = 10_000, seed: int = 0
) -> PermutationP:
    """Two-sided p of the mean difference, by changing the signs of whole clusters.

    p is exact in three cases: all clusters that changed did so by the same amount (McNemar's test, for zeros and ones
    without clusters); there are few enough to try all signs; or all amounts are multiples of one number, as for means
    of repeats. Otherwise p comes from random signs: (draws at least as extreme + 1) / (resamples + 1).

    >>> permutation_test([0.2, 0.4, 0.6])
    PermutationP(p=0.25, least=None)
    """
    array = numbers(differences, "differences")
    check_count(resamples, "resamples")
    sums = gather(array, group_codes(clusters, array.size)).sums
    amounts, counts = np.unique(np.abs(sums[sums != 0]), return_counts=True)
    if amounts.size <= 1:
        return PermutationP(_sign_test(int(np.sum(sums > 0)), int(np.sum(sums < 0))))
    # Rounding makes equal sums differ in the last digits; they must still count as equally extreme.
    threshold = abs(float(sums.sum())) - 1e-12 * float(np.abs(sums).sum())
    if 2 ** int(counts.sum()) <= resamples:
        totals = np.zeros(1)
        for amount in np.repeat(amounts, counts):
            totals = np.concatenate((totals + amount, totals - amount))
        return PermutationP(float(np.mean(np.abs(totals) >= threshold)))
    units = _in_parts(amounts)
    if units is not None and (p := _of_all_ways(*units, counts, abs(float(sums.sum())))) is not None:
        return PermutationP(max(p, LEAST), LEAST)
    totals = _random_sums(amounts, counts, np.random.default_rng(seed), resamples)
    return drawn_p(int(np.sum(np.abs(totals) >= threshold)), resamples)


def _sign_test(gained: int, lost: int) -> float:
    changed = gained + lost
    return min(1.0, 2 * float(scipy.special.bdtr(min(gained, lost), changed, 0.5))) if changed else 1.0


def _in_parts(amounts: Numbers) -> tuple[Codes, int] | None:
    """Express the amounts as multiples of a common part 1/n; None if there is none."""
    parts = 1
    while parts <= _MOST_PARTS:
        scaled = amounts * parts
        units = np.rint(scaled)
        off = np.abs(scaled - units)
        if off.max() < 1e-9 * parts:
            return units.astype(np.int64), parts
        parts *= max(2, Fraction(float(scaled[off.argmax()])).limit_denominator(_MOST_PARTS).denominator)
    return None


def _of_all_ways(units: Codes, parts: int, counts: Codes, observed: float) -> float | None:
    """Exact share of sign choices with a sum at least as extreme as `observed`. None if there are too many.

    The distribution of the sum comes from its characteristic function, Π cos(amount · t). The number of frequencies is
    so large that sums beyond them have a share below 1e-13, by Hoeffding's inequality.
    """
    amounts, at = np.unique(units, return_inverse=True)
    times = np.bincount(at, weights=counts).astype(np.int64)
    seen, most = round(observed * parts), int(amounts @ times)
    bound = float(np.sqrt(2 * np.log(2e13) * float(np.sum(times * amounts.astype(float) ** 2))))
    if seen < 2:  # every sum is at least as far from 0
        return 1.0
    if seen > bound:
        return 0.0
    frequencies = min(int(bound) + 1, most) + 1 | 1
    if frequencies * amounts.size > 2 * _LARGEST:
        return None
    half, turn = np.arange(1, (frequencies + 1) // 2), 2 * frequencies
    cosines = np.cos(np.pi / frequencies * np.arange(turn))
    logs, negative = np.log(np.abs(cosines)), cosines < 0
    total, sign = np.zeros(half.size), np.zeros(half.size, dtype=bool)
    for amount, count in zip(amounts.tolist(), times.tolist(), strict=True):
        place = half * amount % turn
        total += count * logs[place]
        if count % 2:
            sign ^= negative[place]
    law = np.where(sign, -1.0, 1.0) * np.exp(total)
    nearer = np.sin(np.pi / frequencies * (half * (seen - 1) % turn)) / np.sin(np.pi / frequencies * half)
    return 1 - float(seen - 1 + 2 * np.sum(law * nearer)) / frequencies


def _random_sums(amounts: Numbers, counts: Codes, rng: np.random.Generator, resamples: int) -> Numbers:
    """Sums with random signs; the signs of equal amounts are drawn together."""
    if amounts.size * 4 <= counts.sum():
        plus = np.array([rng.binomial(count, 0.5, size=resamples) for count in counts])
        return np.asarray(amounts @ (2.0 * plus - counts[:, None]))
    repeated = np.repeat(amounts, counts)
    rows = max(1, _CELLS // repeated.size)
    parts = [_signs(rng, min(rows, resamples - start), repeated.size) @ repeated for start in range(0, resamples, rows)]
    return np.concatenate(parts)


def _signs(rng: np.random.Generator, rows: int, columns: int) -> Numbers:
    """Table of random −1 and 1; each takes one random bit."""
    drawn = rng.integers(0, 256, size=(rows, -(-columns // 8)), dtype=np.uint8)
    return np.unpackbits(drawn, axis=1, count=columns) * np.float64(2) - 1
