"""A guesser without eyes: how sure of an answer can one be who has only read the other items?

It is a conditional logit over an item's options, trained on other patients' items: nothing it says of an item depends
on that item's key. Its *clues* are what the context says of an option. Its *habits* are what tends to be right in this
benchmark (a position, a length, a word); they are trusted only as far as they were right about items held out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from snellen.items import Item
from snellen.stress.folds import folds_of, in_drawn_order
from snellen.stress.image_dependence.conditional_logit import hits, learnt, shares
from snellen.stress.image_dependence.cues import Cues, cues_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FEWEST = 10
"""Nothing is learnt from fewer items than this."""
ENOUGH_ITEMS, ENOUGH_GROUPS = 40, 10
"""From fewer items, or fewer patients or images, too little is learnt to say that an answer cannot be guessed."""
CLUES = 2.0
"""The log-odds that a clue is expected to be worth: the spread of the prior on its weight."""
TRUSTS = (0.0, 0.5, 1.0)
"""The same for habits; which of them, the items held out decide."""


@dataclass(frozen=True)
class Guesses:
    """What the guesser makes of each item; NaN where an item offers no choice between answers.

    `best` is the probability of the option it likes best, `right` that of the right option, and `hit` whether the two
    are one: 1 or 0, or a share where it likes several alike.
    """

    best: Floats
    right: Floats
    hit: Floats


def guess(items: Sequence[Item], *, folds: int = 5, seed: int = 0) -> Guesses:
    """How sure a guesser is of each item's answer that was trained on the items of other patients.

    >>> from snellen.items import Option
    >>> sides = (Option("Left"), Option("Right"))
    >>> asked = [Item(id=str(number), question="Which side?", options=sides, answer=0) for number in range(40)]
    >>> float(guess(asked).hit.mean()), float(guess(asked[:9]).hit.mean())
    (1.0, 0.5)
    """
    found = np.full((3, len(items)), np.nan)
    places = in_drawn_order(items, [place for place, item in enumerate(items) if item.has_choice], seed)
    if places:
        chosen = [items[place] for place in places]
        found[:, places] = _judged(cues_of(chosen), folds_of(chosen, folds if len(chosen) >= FEWEST else 1))
    return Guesses(*found)


def _judged(cues: Cues, fold: Ints) -> Floats:
    """`best`, `right` and `hit` of each item."""
    starts = np.cumsum(cues.sizes) - cues.sizes
    given = _given(cues, fold)
    best = np.maximum.reduceat(given, starts)
    return np.stack([best, given[cues.right], hits(given, cues.sizes, cues.right)])


def _given(cues: Cues, fold: Ints) -> Floats:
    """The probability of each option, by a guesser who has not seen the fold of its item."""
    given = 1 / np.repeat(cues.sizes, cues.sizes)
    folds = range(fold.max() + 1)
    if len(folds) == 1:
        return given
    designs = [scipy.sparse.hstack([CLUES * cues.clues, trust * cues.habits]).tocsr() for trust in TRUSTS]
    for design in designs:
        design.eliminate_zeros()
    losses = _losses(designs, cues, fold) if len(folds) > 2 else np.zeros((len(folds), len(TRUSTS), len(fold)))
    for held in folds:
        design = designs[_trusted(losses[held][:, fold != held])]
        rows = np.repeat(fold == held, cues.sizes)
        given[rows] = _learnt(design, cues, fold != held)[rows]
    return given


def _losses(designs: Sequence[Any], cues: Cues, fold: Ints) -> Floats:
    """By fold, trust and item: the surprise at its key of one who has seen neither that fold nor the item's own."""
    folds = range(fold.max() + 1)
    losses = np.zeros((len(folds), len(designs), len(fold)))
    for one, other in combinations(folds, 2):
        for trust, design in enumerate(designs):
            surprise = -np.log(_learnt(design, cues, ~np.isin(fold, (one, other)))[cues.right])
            losses[one, trust, fold == other] = surprise[fold == other]
            losses[other, trust, fold == one] = surprise[fold == one]
    return losses


def _trusted(losses: Floats) -> int:
    """The least trust that does no worse than the best one, but for chance (one standard error)."""
    excess = losses - losses[losses.mean(axis=1).argmin()]
    good = excess.mean(axis=1) <= excess.std(axis=1) / sqrt(excess.shape[1])
    return int(good.argmax())


def _learnt(design: Any, cues: Cues, seen: NDArray[np.bool_]) -> Floats:
    """The probability of every option, by weights learnt from the items seen."""
    return shares(design @ learnt(design, cues.sizes, cues.right, seen), cues.sizes)
