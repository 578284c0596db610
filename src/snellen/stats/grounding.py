"""The grounding signal: how far the answers with the image lie from those without it, beyond how far two runs do."""

from __future__ import annotations

from math import nan
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from snellen.stats.answer_counts import AnswerCounts, count_answers
from snellen.stats.clustered import Clustered, gather, independent_variance, touched
from snellen.stats.estimate import Estimate
from snellen.stats.observations import Codes, Numbers
from snellen.stats.paired import bonett_price
from snellen.stats.relabelling import distances, relabelling_p
from snellen.stats.swapping import shifts, swapped_distances

RESAMPLES = 10_000
SEED = 0
LEVEL = 0.95


class ItemDistances(NamedTuple):
    """The numbers of the items that could be measured, and the distance of each."""

    items: Codes
    values: Numbers


def item_distances(
    first: ArrayLike,
    second: ArrayLike,
    first_items: ArrayLike,
    second_items: ArrayLike,
    *,
    deterministic: bool = False,
) -> ItemDistances:
    """Per item, how far the two arms' answers lie apart: an unbiased estimate of ½ Σ (p − q)² over the answers.

    It is P(a response of each arm differ) − ½ [P(two of the first differ) + P(two of the second differ)], all pairs of
    responses counted: 0 in expectation where the arms answer alike, and then often below; 1 where one arm always
    says one thing and the other always another. Arms that differ but scatter lie less far apart. Needs two responses in
    each arm; items with fewer are left out, unless the model is `deterministic`: then one response says it all.

    >>> item_distances([1, 1, 2, 3], [4, 4, 2, 3], [7, 7, 8, 8], [7, 7, 8, 8]).values.tolist()
    [1.0, -0.5]
    """
    counts = _counted((first, second, first_items, second_items), deterministic)
    return ItemDistances(counts.items, distances(counts))


def grounding_signal(
    first: ArrayLike,
    second: ArrayLike,
    first_items: ArrayLike,
    second_items: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    deterministic: bool = False,
) -> Estimate:
    """The mean of `item_distances`, with an interval over items or clusters (one label for every item number).

    Two clusters nobody saw, one that moved wholly and one that did not move, are added before a Student-t interval is
    taken, so that it has a width where all items are alike. p, one-sided, is how often as much would be seen if every
    item's responses had fallen into the arms by chance; a `deterministic` model has none, as any change is then proof.

    >>> item = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    >>> print(grounding_signal([1, 1] * 6, [1, 1] * 4 + [2, 2] * 2, item, item))
    0.33 [-0.06, 0.81] (n=6, unseen-t)
    """
    counts = _counted((first, second, first_items, second_items), deterministic)
    codes = counts.clusters(clusters)
    if not len(counts.items):
        return Estimate(nan, 0.0, 1.0, 0, "unseen-t")
    values = distances(counts)
    by_cluster = gather(values, codes)
    low, high = _with_unseen(by_cluster, values, codes)
    p = None if deterministic else relabelling_p(counts, resamples=RESAMPLES, seed=SEED)
    method = "unseen-t" if by_cluster.count == len(values) else "cluster-unseen-t"
    return Estimate(by_cluster.mean, low, high, len(values), method, p)


def distribution_distance(
    first: ArrayLike,
    second: ArrayLike,
    first_items: ArrayLike,
    second_items: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
) -> Estimate:
    """How far the answers to all items together shift: total variation, less what chance makes of it.

    Each item counts once, however often it was asked. Chance is the mean over swaps of the two arms within items (of
    the single responses where an item's arms differ in number), and p how often a swap shifts as much: 0 in expectation
    for a model that ignores the image, 1 − chance for one whose answers all change to others. The interval is that of
    the distance itself: from below what is left of it to above what was seen, as up to all of chance may be in it.

    >>> print(distribution_distance([1] * 20, [1] * 10 + [2] * 10, range(20), range(20)))
    0.38 [0.07, 0.72] (n=20, swapped-bonett-price)
    """
    counts = count_answers(first, second, first_items, second_items, least=1)
    codes = counts.clusters(clusters)
    if not len(counts.items):
        return Estimate(nan, 0.0, 1.0, 0, "swapped-bonett-price")
    items, shift = len(counts.items), shifts(counts)
    totals = np.bincount(counts.answer, weights=shift)
    far = float(np.abs(totals).sum()) / (2 * items)
    swapped, every = swapped_distances(counts, resamples=RESAMPLES, seed=SEED)
    chance = float(swapped.mean())
    # The distance is a mean over items, of how far each moved the way all together did: a mean has an honest interval.
    moved = np.bincount(counts.at, weights=shift * np.sign(totals.round(9))[counts.answer] / 2, minlength=items)
    mean = bonett_price(np.clip(moved, -1, 1), codes, LEVEL)
    seen = 0 if every else 1
    p = float(np.sum(swapped >= far - 1e-9) + seen) / (len(swapped) + seen)
    low = max(-1.0, mean.low - chance)
    return Estimate(far - chance, low, mean.high, items, f"swapped-{mean.method}", p)


def _counted(replies: tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike], deterministic: bool) -> AnswerCounts:
    counts = count_answers(*replies, least=1 if deterministic else 2)
    return counts.single_replies_repeated() if deterministic else counts


def _with_unseen(by_cluster: Clustered, values: Numbers, codes: Codes | None) -> tuple[float, float]:
    """The ends of the interval, with the two clusters that nobody saw."""
    # Near 1 the few clusters that stayed carry all the spread, and tell little of how far items of a cluster agree.
    stayed = int(np.count_nonzero(by_cluster.sums < by_cluster.sizes / 2))
    weight = by_cluster.design_effect(independent_variance(values), min(touched(values, codes), stayed))
    widened = by_cluster.joined((weight, 0.0), (weight, weight))
    half, value = widened.margin(LEVEL), by_cluster.mean
    return max(-0.5, min(widened.mean - half, value)), min(1.0, max(widened.mean + half, value))
