"""Grounding signal: by how much answers differ with and without the image, beyond the variation of repeats.

The two arms are the responses with and without the image, or under any other two conditions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import comb, inf, log, nan
from typing import NamedTuple, TypeVar

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from snellen.stats.clustered import count_nonzero_clusters, gather, worth_one_item
from snellen.stats.estimate import Estimate
from snellen.stats.observations import Codes, Numbers, group_codes
from snellen.stats.paired import bonett_price
from snellen.stats.permutation import PermutationP, drawn_p

RESAMPLES = 10_000
SEED = 0
LEVEL = 0.95


@dataclass(frozen=True)
class AnswerCounts:
    """Counts of answers in two arms: one cell per item and answer.

    `items` are the item numbers. Cell by cell, `at` is the place in `items`, `answer` the answer's number, and `first`
    and `second` are the counts in the two arms.
    """

    items: Codes
    at: Codes
    answer: Codes
    first: Codes
    second: Codes

    @cached_property
    def replies(self) -> tuple[Codes, Codes]:
        """Number of responses to each item, in the first and in the second arm."""
        width = len(self.items)
        sums = [np.bincount(self.at, weights=counts, minlength=width) for counts in (self.first, self.second)]
        return sums[0].astype(np.intp), sums[1].astype(np.intp)

    def select_items(self, kept: NDArray[np.bool_]) -> AnswerCounts:
        """Return the cells of the items for which `kept` is true."""
        cells = kept[self.at]
        place = np.cumsum(kept) - 1
        return AnswerCounts(
            self.items[kept], place[self.at[cells]], self.answer[cells], self.first[cells], self.second[cells]
        )

    def single_replies_repeated(self) -> AnswerCounts:
        """Count each item's only response twice, as if the model repeated itself exactly."""
        once, alone = (replies == 1 for replies in self.replies)
        return replace(self, first=self.first * (1 + once[self.at]), second=self.second * (1 + alone[self.at]))

    def clusters(self, labels: ArrayLike | None) -> Codes | None:
        """Return the cluster number of each item; `labels` has one label per item number."""
        if labels is None:
            return None
        array = np.asarray(labels)
        if array.ndim != 1 or len(array) <= self.items.max(initial=-1):
            raise ValueError(
                f"`clusters` must be one label for each item number up to {self.items.max(initial=-1)}, "
                f"got an array of shape {array.shape}."
            )
        return group_codes(array[self.items], len(self.items))


def count_answers(
    first: ArrayLike, second: ArrayLike, first_items: ArrayLike, second_items: ArrayLike, *, least: int
) -> AnswerCounts:
    """Count the answers to the items that have at least `least` responses in each arm."""
    one, two = _labels(first, "first"), _labels(second, "second")
    item = np.concatenate((_item_numbers(first_items, one, "first"), _item_numbers(second_items, two, "second")))
    names, answer = np.unique(np.concatenate((one, two)), return_inverse=True)
    items, at = np.unique(item, return_inverse=True)
    cells, cell = np.unique(at * max(1, len(names)) + answer, return_inverse=True)
    counts = [np.bincount(part, minlength=len(cells)) for part in (cell[: len(one)], cell[len(one) :])]
    found = AnswerCounts(items, cells // max(1, len(names)), cells % max(1, len(names)), counts[0], counts[1])
    return found.select_items(np.minimum(*found.replies) >= least)


def _labels(codes: ArrayLike, name: str) -> NDArray[np.generic]:
    array = np.asarray(codes)
    if array.ndim != 1:
        raise ValueError(f"`{name}` must be one answer code per response, got an array of shape {array.shape}.")
    return array


def _item_numbers(items: ArrayLike, replies: NDArray[np.generic], name: str) -> Codes:
    array = np.asarray(items)
    if array.shape != replies.shape:
        raise ValueError(
            f"`{name}_items` needs one item number per response ({len(replies)}), got shape {array.shape}."
        )
    if array.size and (array.dtype.kind not in "iu" or array.min() < 0):
        raise ValueError(f"`{name}_items` must be whole numbers of at least 0, got {array.tolist()[:5]}.")
    return array.astype(np.intp)


class ItemDistances(NamedTuple):
    """Item numbers of the items that could be measured, and the distance of each."""

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
    """Unbiased estimate of each item's distance ½ Σ (p − q)² between two arms.

    p and q are the probabilities of an answer in the two arms. The distance is P(a response of each arm differ) − ½
    [P(two of the first differ) + P(two of the second differ)], over all pairs of responses. It is 0 in expectation if
    both arms answer alike, so often negative. Each arm needs two responses to an item; other items are left out. For a
    `deterministic` model one is enough.

    >>> item_distances([1, 1, 2, 3], [4, 4, 2, 3], [7, 7, 8, 8], [7, 7, 8, 8]).values.tolist()
    [1.0, -0.5]
    """
    counts = _count_answers((first, second, first_items, second_items), deterministic)
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
    """Mean of `item_distances`, with an interval over items or clusters.

    Two hypothetical clusters, with the distances 0 and 1, are added for the Student-t interval, so it has a width even
    if all items are alike. The one-sided p is the probability of a mean this large if responses were assigned to the
    arms at random. A `deterministic` model has no p, because any change is proof.

    >>> item = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    >>> print(grounding_signal([1, 1] * 6, [1, 1] * 4 + [2, 2] * 2, item, item))
    0.33 [-0.06, 0.81] (n=6, unseen-t)
    """
    counts = _count_answers((first, second, first_items, second_items), deterministic)
    codes = counts.clusters(clusters)
    if not len(counts.items):
        return Estimate(nan, 0.0, 1.0, 0, "unseen-t")
    values = distances(counts)
    by_cluster = gather(values, codes)
    # Near 1 the spread comes from the few clusters with small distances, which show little of how far items agree.
    stayed = int(np.count_nonzero(by_cluster.sums < by_cluster.sizes / 2))
    weight = worth_one_item(values, codes, min(count_nonzero_clusters(values, codes), stayed))
    low, high = by_cluster.ends_with((weight, 0.0), weight, (-0.5, 1.0), LEVEL)
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
    """Total variation between all answers of two arms, minus its value by chance.

    The value by chance is the mean over random swaps of the two arms within items (of single responses, if an item has
    more in one arm); p is the share of swaps with a distance this large. The result is 0 in expectation if a model
    ignores the image. The interval of the distance itself is extended downwards by the value by chance.

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
    # The distance is a mean over items (how far each moved in the common direction), so a mean's interval is valid.
    moved = np.bincount(counts.at, weights=shift * np.sign(totals.round(9))[counts.answer] / 2, minlength=items)
    mean = bonett_price(np.clip(moved, -1, 1), codes, LEVEL)
    as_far = int(np.sum(swapped >= far - 1e-9))
    p = PermutationP(as_far / len(swapped)) if every else drawn_p(as_far, len(swapped))
    low = max(-1.0, mean.low - chance)
    return Estimate(far - chance, low, mean.high, items, f"swapped-{mean.method}", p.p, p.least)


def _count_answers(replies: tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike], deterministic: bool) -> AnswerCounts:
    counts = count_answers(*replies, least=1 if deterministic else 2)
    return counts.single_replies_repeated() if deterministic else counts


Whole = TypeVar("Whole", int, Codes)
_STATES = 5_000
"""Most ways to divide an item's responses between the arms that are all counted; beyond it, ways are drawn."""


class Pooled(NamedTuple):
    """Answer counts of an item over both arms, and the number of responses per arm."""

    answers: tuple[int, ...]
    arms: tuple[int, int]


class Law(NamedTuple):
    """Possible distances of an item in ascending order, with their probabilities."""

    values: Numbers
    shares: Numbers


def distances(counts: AnswerCounts) -> Numbers:
    """Distance of each item: disagreement between arms minus mean disagreement within arms."""
    one, two = counts.replies
    scores = _score(counts.first, counts.second, one[counts.at], two[counts.at])
    sums = np.bincount(counts.at, weights=scores, minlength=len(counts.items))
    return np.asarray(sums / _scale(one, two))


def relabelling_p(counts: AnswerCounts, *, resamples: int, seed: int) -> PermutationP:
    """Permutation p of the total distance, with responses assigned to the arms at random.

    All assignments are tried if they are few. Otherwise p is (draws at least as far + 1) / (resamples + 1).
    """
    kinds = sorted(Counter(_pool_arms(counts)).items())
    far = float(np.sum(distances(counts))) - 1e-9
    laws = [(law(kind), kind, times) for kind, times in kinds]
    if sum(times * log(len(known.values) if known else inf) for known, _, times in laws) <= log(resamples):
        sums, shares = np.zeros(1), np.ones(1)
        for values, chances in (known for known, _, times in laws if known for _ in range(times)):
            sums, shares = np.add.outer(sums, values).ravel(), np.outer(shares, chances).ravel()
        return PermutationP(min(1.0, float(shares[sums >= far].sum())))
    rng = np.random.default_rng(seed)
    drawn = np.zeros(resamples)
    for known, kind, times in laws:
        if known:
            drawn += rng.multinomial(times, known.shares, size=resamples) @ known.values
        else:
            drawn += sum(_draw_distances(kind, rng, resamples) for _ in range(times))
    return drawn_p(int(np.sum(drawn >= far)), resamples)


def law(kind: Pooled) -> Law | None:
    """Exact distribution of an item's distance under random assignment; None if too large.

    >>> [part.round(3).tolist() for part in law(Pooled((2, 2), (2, 2)))]
    [[-0.5, 1.0], [0.667, 0.333]]
    """
    one, two = kind.arms
    # An answer given only once adds nothing to the distance, so only the number of such responses matters.
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
    """Update the counted ways with one more answer, whose responses are divided between the arms."""
    more: dict[tuple[int, int], int] = {}
    for (taken, score), number in ways.items():
        for first in range(min(count, arms[0] - taken) + 1):
            state = taken + first, score + _score(first, count - first, *arms)
            more[state] = more.get(state, 0) + number * comb(count, first)
    return more


def _score(first: Whole, second: Whole, one: Whole, two: Whole) -> Whole:
    """Contribution of an answer to the distance, as a whole number (see `_scale`)."""
    within = first * (first - 1) * two * (two - 1) + second * (second - 1) * one * (one - 1)
    score: Whole = within - 2 * first * second * (one - 1) * (two - 1)
    return score


def _scale(one: Whole, two: Whole) -> Whole:
    return 2 * one * (one - 1) * two * (two - 1)


def _pool_arms(counts: AnswerCounts) -> list[Pooled]:
    """Answer counts of each item over both arms; items with equal counts become equal."""
    together = np.split(counts.first + counts.second, np.flatnonzero(np.diff(counts.at)) + 1)
    arms = np.sort(np.stack(counts.replies, axis=1), axis=1).tolist()
    return [Pooled(tuple(sorted(cells.tolist())), (one, two)) for cells, (one, two) in zip(together, arms, strict=True)]


def _draw_distances(kind: Pooled, rng: np.random.Generator, resamples: int) -> Numbers:
    """Distances of one item under random assignment of its responses."""
    one, two = kind.arms
    answers = np.array(kind.answers)
    first = rng.multivariate_hypergeometric(answers, one, size=resamples, method="marginals")
    size = np.full_like(first, one)
    return np.asarray(_score(first, answers - first, size, np.full_like(first, two)).sum(axis=1) / _scale(one, two))


_CELLS = 500_000
"""Largest number of values in memory at a time."""


class Swapped(NamedTuple):
    """Total variation of each swap, and whether all swaps were tried."""

    values: Numbers
    every: bool


class _Uneven(NamedTuple):
    """An item with different numbers of responses in the arms; its responses are permuted."""

    columns: Codes
    answers: Codes
    first: int
    second: int


def shifts(counts: AnswerCounts) -> Numbers:
    """Difference of each answer's share between the arms, cell by cell."""
    one, two = counts.replies
    return np.asarray(counts.first / one[counts.at] - counts.second / two[counts.at])


def swapped_distances(counts: AnswerCounts, *, resamples: int, seed: int) -> Swapped:
    """Total variation after swapping the arms of items: all swaps if they are few, else random ones."""
    shift, even = shifts(counts), np.equal(*counts.replies)[counts.at]
    # An answer to only one item with equally many responses in both arms adds the same to every distance.
    lone = even & (np.bincount(counts.answer)[counts.answer] == 1)
    fixed = float(np.abs(shift[lone]).sum())
    _, column = np.unique(counts.answer[~lone], return_inverse=True)
    columns = np.zeros(len(shift), dtype=np.intp)
    columns[~lone] = column
    moved = even & ~lone & (shift != 0)
    rows, row = np.unique(counts.at[moved], return_inverse=True)
    # Each item has few of the possible answers: most of the table is empty.
    table = scipy.sparse.csr_array((shift[moved], (row, columns[moved])), shape=(len(rows), column.max(initial=-1) + 1))
    uneven = _uneven(counts, columns)
    every = not uneven and 2 ** len(rows) <= resamples
    rng = np.random.default_rng(seed)
    parts: Iterable[Numbers] = _random_signs(rng, resamples, table.shape)
    if every:  # all choices of −1 and 1, one per row
        parts = [(np.arange(2 ** len(rows))[:, None] >> np.arange(len(rows)) & 1) * np.float64(2) - 1]
    sums = [np.abs(_add_uneven(signs @ table, uneven, rng)).sum(axis=1) for signs in parts]
    return Swapped((np.concatenate(sums) + fixed) / (2 * len(counts.items)), every)


def _uneven(counts: AnswerCounts, columns: Codes) -> list[_Uneven]:
    together = counts.first + counts.second
    found = []
    for item in np.flatnonzero(np.not_equal(*counts.replies)):
        cells = slice(*np.searchsorted(counts.at, [item, item + 1]))
        one, two = (int(replies[item]) for replies in counts.replies)
        found.append(_Uneven(columns[cells], together[cells], one, two))
    return found


def _add_uneven(sums: Numbers, uneven: list[_Uneven], rng: np.random.Generator) -> Numbers:
    """Add random permutations of the uneven items to the sums."""
    for columns, answers, one, two in uneven:
        dealt = rng.multivariate_hypergeometric(answers, one, size=len(sums), method="marginals")
        sums[:, columns] += dealt / one - (answers - dealt) / two
    return sums


def _random_signs(rng: np.random.Generator, resamples: int, shape: tuple[int, int]) -> Iterator[Numbers]:
    rows = max(1, _CELLS // max(1, *shape))
    for start in range(0, resamples, rows):
        coins = rng.integers(0, 2, size=(min(rows, resamples - start), shape[0]), dtype=np.int8)
        yield coins * np.float64(2) - 1
