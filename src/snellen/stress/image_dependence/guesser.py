"""Text-only guesser, trained on the other items.

It is a conditional logit over an item's options. It is trained on other patients' items, so an item's guess never
depends on its own key. *Clues* describe what the context states about an option. *Habits* describe what tends to be
correct in this benchmark: a position, a length, a word. They count as far as they predict held-out items.
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
from snellen.stress.image_dependence.conditional_logit import hits, learn_weights, shares
from snellen.stress.image_dependence.cues import Cues, cues_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FEWEST = 10
"""The guesser does not learn from fewer items than this."""
ENOUGH_ITEMS, ENOUGH_GROUPS = 40, 10
"""With fewer items, or fewer patients, the guesser learns too little to show that an answer cannot be guessed."""
CLUES = 2.0
"""Prior standard deviation of a clue's weight, in log-odds."""
TRUSTS = (0.0, 0.5, 1.0)
"""Prior standard deviations of a habit's weight; held-out items select one."""


@dataclass(frozen=True)
class Guesses:
    """The guesser's result per item; NaN if the item has no choice.

    `best` is the probability of the likeliest option, `right` that of the correct option. `hit` is 1 if they are the
    same option, otherwise 0; a share in a tie.
    """

    best: Floats
    right: Floats
    hit: Floats


def guess(items: Sequence[Item], *, folds: int = 5, seed: int = 0) -> Guesses:
    """Guess each item's answer from the items of other patients.

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
        cues = cues_of(chosen)
        given = _predict_options(cues, folds_of(chosen, folds if len(chosen) >= FEWEST else 1))
        best = np.maximum.reduceat(given, np.cumsum(cues.sizes) - cues.sizes)
        found[:, places] = best, given[cues.right], hits(given, cues.sizes, cues.right)
    return Guesses(*found)


def _predict_options(cues: Cues, fold: Ints) -> Floats:
    """Predict the probability of each option without its item's fold."""
    given = 1 / np.repeat(cues.sizes, cues.sizes)
    folds = range(fold.max() + 1)
    if len(folds) == 1:
        return given
    designs = [scipy.sparse.hstack([CLUES * cues.clues, trust * cues.habits]).tocsr() for trust in TRUSTS]
    for design in designs:
        design.eliminate_zeros()
    losses = _losses(designs, cues, fold) if len(folds) > 2 else np.zeros((len(folds), len(TRUSTS), len(fold)))
    for held in folds:
        known = losses[held][:, fold != held]
        excess = known - known[known.mean(axis=1).argmin()]
        # the smallest trust within one standard error of the best
        good = excess.mean(axis=1) <= excess.std(axis=1) / sqrt(excess.shape[1])
        design = designs[int(good.argmax())]
        rows = np.repeat(fold == held, cues.sizes)
        given[rows] = _fit_probabilities(design, cues, fold != held)[rows]
    return given


def _losses(designs: Sequence[Any], cues: Cues, fold: Ints) -> Floats:
    """Return the loss of the correct option by fold, trust and item. The model is trained without both folds."""
    folds = range(fold.max() + 1)
    losses = np.zeros((len(folds), len(designs), len(fold)))
    for one, other in combinations(folds, 2):
        for trust, design in enumerate(designs):
            surprise = -np.log(_fit_probabilities(design, cues, ~np.isin(fold, (one, other)))[cues.right])
            losses[one, trust, fold == other] = surprise[fold == other]
            losses[other, trust, fold == one] = surprise[fold == one]
    return losses


def _fit_probabilities(design: Any, cues: Cues, seen: NDArray[np.bool_]) -> Floats:
    return shares(design @ learn_weights(design, cues.sizes, cues.right, seen), cues.sizes)
