"""The grounding signal: how far the answers with the image lie from those without it, beyond how far two runs do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from math import comb, inf, log, nan
from typing import NamedTuple, TypeVar

import numpy as np
import scipy
from numpy.typing import ArrayLike

from snellen.stats.answer_counts import AnswerCounts, count_answers
from snellen.stats.clustered import Clustered, gather, independent_variance, touched
from snellen.stats.estimate import Estimate
from snellen.stats.observations import Codes, Numbers
from snellen.stats.paired import bonett_price
from snellen.stats.permutation import PermutationP, drawn_p

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
    method = "unseen-t" if by_cluster.count == len(values) else "cluster-unseen-t"
    found = Estimate(by_cluster.mean, low, high, len(values), method)
    if deterministic:
        return found
    chance = relabelling_p(counts, resamples=RESAMPLES, seed=SEED)
    return replace(found, p=chance.p, least_p=chance.least)


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
    as_far = int(np.sum(swapped >= far - 1e-9))
    p = PermutationP(as_far / len(swapped)) if every else drawn_p(as_far, len(swapped))
    low = max(-1.0, mean.low - chance)
    return Estimate(far - chance, low, mean.high, items, f"swapped-{mean.method}", p.p, p.least)


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


Whole = TypeVar("Whole", int, Codes)
_STATES = 5_000
"""So many ways of sharing an item's responses between the arms are told apart; where there are more, they are drawn."""


class Pooled(NamedTuple):
    """An item without its arms: how often each answer was given in both together, and the responses of each arm."""

    answers: tuple[int, ...]
    arms: tuple[int, int]


class Law(NamedTuple):
    """The distances an item may show, in ascending order, and the probability of each."""

    values: Numbers
    shares: Numbers


def distances(counts: AnswerCounts) -> Numbers:
    """Per item P(a response of each arm differ) − ½ [P(two of the first differ) + P(two of the second differ)]."""
    one, two = counts.replies
    scores = _score(counts.first, counts.second, one[counts.at], two[counts.at])
    sums = np.bincount(counts.at, weights=scores, minlength=len(counts.items))
    return np.asarray(sums / _scale(one, two))


def relabelling_p(counts: AnswerCounts, *, resamples: int, seed: int) -> PermutationP:
    """How often the distances add up to as much as they do when each item's responses fall into the arms by chance.

    All ways are tried where they are few, else so many are drawn: (as far + 1) / (resamples + 1).
    """
    kinds = sorted(Counter(_pooled(counts)).items())
    far = float(np.sum(distances(counts))) - 1e-9
    laws = [(law(kind), kind, times) for kind, times in kinds]
    if sum(times * log(len(known.values) if known else inf) for known, _, times in laws) <= log(resamples):
        sums, shares = _all_sums([known for known, _, times in laws if known for _ in range(times)])
        return PermutationP(min(1.0, float(shares[sums >= far].sum())))
    rng = np.random.default_rng(seed)
    drawn = np.zeros(resamples)
    for known, kind, times in laws:
        if known:
            drawn += rng.multinomial(times, known.shares, size=resamples) @ known.values
        else:
            drawn += sum(_drawn(kind, rng, resamples) for _ in range(times))
    return drawn_p(int(np.sum(drawn >= far)), resamples)


def law(kind: Pooled) -> Law | None:
    """The exact law of an item's distance under relabelling; None where too many ways would have to be told apart.

    >>> [part.round(3).tolist() for part in law(Pooled((2, 2), (2, 2)))]
    [[-0.5, 1.0], [0.667, 0.333]]
    """
    one, two = kind.arms
    # An answer given once adds nothing to the distance in either arm: only the number of such responses matters.
    lone = sum(count == 1 for count in kind.answers)
    ways = {(0, 0): 1}
    for count in kind.answers:
        if count > 1:
            ways = _shared_out(ways, count, kind.arms)
        if len(ways) > _STATES:
            return None
    found: dict[int, int] = {}
    for (taken, score), number in ways.items():
        if 0 <= one - taken <= lone:
            found[score] = found.get(score, 0) + number * comb(lone, one - taken)
    scores, total = sorted(found), comb(one + two, one)
    return Law(np.array(scores) / _scale(one, two), np.array([found[score] / total for score in scores]))


def _shared_out(ways: dict[tuple[int, int], int], count: int, arms: tuple[int, int]) -> dict[tuple[int, int], int]:
    """The ways (responses taken by the first arm, score so far) after one more answer is shared between the arms."""
    more: dict[tuple[int, int], int] = {}
    for (taken, score), number in ways.items():
        for first in range(min(count, arms[0] - taken) + 1):
            state = taken + first, score + _score(first, count - first, *arms)
            more[state] = more.get(state, 0) + number * comb(count, first)
    return more


def _score(first: Whole, second: Whole, one: Whole, two: Whole) -> Whole:
    """What an answer adds to its item's distance, scaled to whole numbers so that equal distances are equal."""
    within = first * (first - 1) * two * (two - 1) + second * (second - 1) * one * (one - 1)
    score: Whole = within - 2 * first * second * (one - 1) * (two - 1)
    return score


def _scale(one: Whole, two: Whole) -> Whole:
    return 2 * one * (one - 1) * two * (two - 1)


def _pooled(counts: AnswerCounts) -> list[Pooled]:
    """Every item without its arms; neither the answers' names nor which arm is which can be told from it."""
    together = np.split(counts.first + counts.second, np.flatnonzero(np.diff(counts.at)) + 1)
    arms = np.sort(np.stack(counts.replies, axis=1), axis=1).tolist()
    return [Pooled(tuple(sorted(cells.tolist())), (one, two)) for cells, (one, two) in zip(together, arms, strict=True)]


def _all_sums(laws: list[Law]) -> tuple[Numbers, Numbers]:
    sums, shares = np.zeros(1), np.ones(1)
    for values, chances in laws:
        sums, shares = np.add.outer(sums, values).ravel(), np.outer(shares, chances).ravel()
    return sums, shares


def _drawn(kind: Pooled, rng: np.random.Generator, resamples: int) -> Numbers:
    """Distances of one item under random relabelling."""
    one, two = kind.arms
    answers = np.array(kind.answers)
    first = rng.multivariate_hypergeometric(answers, one, size=resamples, method="marginals")
    size = np.full_like(first, one)
    return np.asarray(_score(first, answers - first, size, np.full_like(first, two)).sum(axis=1) / _scale(one, two))


_CELLS = 500_000
"""So many numbers are held at a time."""


class Swapped(NamedTuple):
    """Total variation under swaps, and whether these are all there are."""

    values: Numbers
    every: bool


class _Uneven(NamedTuple):
    """An item whose arms have different numbers of responses: its responses change places, not its arms."""

    columns: Codes
    answers: Codes
    first: int
    second: int


def shifts(counts: AnswerCounts) -> Numbers:
    """By how much each answer's share of its item's responses is larger in the first arm than in the second."""
    one, two = counts.replies
    return np.asarray(counts.first / one[counts.at] - counts.second / two[counts.at])


def swapped_distances(counts: AnswerCounts, *, resamples: int, seed: int) -> Swapped:
    """The total variation of each swap: of all of them where they are few, else of so many random ones."""
    shift, even = shifts(counts), np.equal(*counts.replies)[counts.at]
    # What only one item was answered, and as often in swapped arms, adds the same to every distance.
    lone = even & (np.bincount(counts.answer)[counts.answer] == 1)
    fixed = float(np.abs(shift[lone]).sum())
    _, column = np.unique(counts.answer[~lone], return_inverse=True)
    columns = np.zeros(len(shift), dtype=np.intp)
    columns[~lone] = column
    moved = even & ~lone & (shift != 0)
    rows, row = np.unique(counts.at[moved], return_inverse=True)
    # Each item has few of all answers: most of the table is empty.
    table = scipy.sparse.csr_array((shift[moved], (row, columns[moved])), shape=(len(rows), column.max(initial=-1) + 1))
    uneven = _uneven(counts, columns)
    every = not uneven and 2 ** len(rows) <= resamples
    rng = np.random.default_rng(seed)
    parts = [_all_signs(len(rows))] if every else _random_signs(rng, resamples, table.shape)
    sums = [np.abs(_added(signs @ table, uneven, rng)).sum(axis=1) for signs in parts]
    return Swapped((np.concatenate(sums) + fixed) / (2 * len(counts.items)), every)


def _uneven(counts: AnswerCounts, columns: Codes) -> list[_Uneven]:
    together = counts.first + counts.second
    found = []
    for item in np.flatnonzero(np.not_equal(*counts.replies)):
        cells = slice(*np.searchsorted(counts.at, [item, item + 1]))
        one, two = (int(replies[item]) for replies in counts.replies)
        found.append(_Uneven(columns[cells], together[cells], one, two))
    return found


def _added(sums: Numbers, uneven: list[_Uneven], rng: np.random.Generator) -> Numbers:
    """The sums with those of the uneven items, whose responses are dealt out to the arms at random."""
    for columns, answers, one, two in uneven:
        dealt = rng.multivariate_hypergeometric(answers, one, size=len(sums), method="marginals")
        sums[:, columns] += dealt / one - (answers - dealt) / two
    return sums


def _all_signs(items: int) -> Numbers:
    """Every choice of −1 and 1 for so many items."""
    return np.asarray((np.arange(2**items)[:, None] >> np.arange(items) & 1) * np.float64(2) - 1)


def _random_signs(rng: np.random.Generator, resamples: int, shape: tuple[int, int]) -> Iterator[Numbers]:
    rows = max(1, _CELLS // max(1, *shape))
    for start in range(0, resamples, rows):
        coins = rng.integers(0, 2, size=(min(rows, resamples - start), shape[0]), dtype=np.int8)
        yield coins * np.float64(2) - 1
