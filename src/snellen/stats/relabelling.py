"""Relabelling: how far an item's two arms lie apart, and how far they would if responses fell into them by chance."""

from __future__ import annotations

from collections import Counter
from math import comb, inf, log
from typing import NamedTuple, TypeVar

import numpy as np

from snellen.stats.answer_counts import AnswerCounts
from snellen.stats.observations import Codes, Numbers

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


def relabelling_p(counts: AnswerCounts, *, resamples: int, seed: int) -> float:
    """How often the distances add up to as much as they do when each item's responses fall into the arms by chance.

    All ways are tried where they are few, else so many are drawn: (as far + 1) / (resamples + 1).
    """
    kinds = sorted(Counter(_pooled(counts)).items())
    far = float(np.sum(distances(counts))) - 1e-9
    laws = [(law(kind), kind, times) for kind, times in kinds]
    if sum(times * log(len(known.values) if known else inf) for known, _, times in laws) <= log(resamples):
        sums, shares = _all_sums([known for known, _, times in laws if known for _ in range(times)])
        return min(1.0, float(shares[sums >= far].sum()))
    rng = np.random.default_rng(seed)
    drawn = np.zeros(resamples)
    for known, kind, times in laws:
        if known:
            drawn += rng.multinomial(times, known.shares, size=resamples) @ known.values
        else:
            drawn += sum(_drawn(kind, rng, resamples) for _ in range(times))
    return float((np.sum(drawn >= far) + 1) / (resamples + 1))


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
