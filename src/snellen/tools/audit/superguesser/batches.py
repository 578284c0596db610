"""Batches of questions, in an order that the seed alone decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.tools.audit.superguesser.recipe import Hardware, Recipe

Ints = NDArray[np.int64]

GRAIN = 8
"""Rows of a micro batch are padded to a multiple of this many tokens, which suits the matrix units."""


class Lesson(NamedTuple):
    """A question as tokens, with its answer as the last of them."""

    tokens: tuple[int, ...]
    answer: int
    """Number of tokens at the end that are the answer; only they count in the loss."""


class Padded(NamedTuple):
    """Sequences as one array, padded at the right. Causal attention needs no mask for that."""

    tokens: Ints
    at: Ints
    """Places in the flattened array where the answer's tokens are predicted: one before each of them."""
    targets: Ints
    """The answer's tokens."""


def batch_at(step: int, count: int, recipe: Recipe) -> list[int]:
    """Draw the places of the questions of one step; every epoch has its own order.

    >>> sorted(batch_at(0, 3, Recipe(batch=2)) + batch_at(1, 3, Recipe(batch=2)))
    [0, 1, 2]
    """
    per_epoch = -(-count // recipe.batch)
    epoch, number = divmod(step, per_epoch)
    order = np.random.default_rng((recipe.seed, epoch)).permutation(count)
    return [int(place) for place in order[number * recipe.batch : (number + 1) * recipe.batch]]


def micro_batches(lengths: Sequence[int], hardware: Hardware) -> list[list[int]]:
    """Batch the sequences of similar length, so that little padding is needed.

    All sequences belong to one step, so its gradient does not depend on the parts.

    >>> micro_batches([9, 30, 8, 31], Hardware(micro_batch=2))
    [[3, 1], [0, 2]]
    """
    parts: list[list[int]] = []
    for place in sorted(range(len(lengths)), key=lambda each: (-lengths[each], each)):
        room = parts and len(parts[-1]) < hardware.micro_batch
        if room and (len(parts[-1]) + 1) * _round_up(lengths[parts[-1][0]]) <= hardware.micro_tokens:
            parts[-1].append(place)
        else:
            parts.append([place])
    return parts


def pad_sequences(sequences: Sequence[Lesson], fill: int = 0) -> Padded:
    """Pad sequences to one array.

    >>> pad_sequences([Lesson((5, 6, 7), 1)]).at.tolist()
    [1]
    """
    length = _round_up(max(len(each.tokens) for each in sequences))
    tokens = np.full((len(sequences), length), fill, dtype=np.int64)
    at: list[int] = []
    targets: list[int] = []
    for row, each in enumerate(sequences):
        tokens[row, : len(each.tokens)] = each.tokens
        first = row * length + len(each.tokens) - each.answer - 1
        at += range(first, first + each.answer)
        targets += each.tokens[len(each.tokens) - each.answer :]
    return Padded(tokens, np.array(at, dtype=np.int64), np.array(targets, dtype=np.int64))


def _round_up(length: int) -> int:
    return -(-length // GRAIN) * GRAIN
