"""The robustness score of "The Illusion of Readiness" (Supplementary Note 1): five fragilities and what is left of 1.

Accuracies are fractions. Every figure may be an array, one element a resample, and the scores are then arrays too; a
figure that was not measured is NaN, and so is every fragility that needs it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Figure = float | NDArray[np.float64]
Figures = NDArray[np.float64]

TESTS = ("T1", "T2", "T3", "T4", "T5")
WEIGHTS = (0.5, 0.3, 0.2)
"""Of the three parts of T4: lost without the image, gained with it, gained by offering "Unknown"."""


class Removal(NamedTuple):
    """T1 on one benchmark: how many items weigh in, and their accuracy with and without the image."""

    n: Figure
    image: Figure
    text: Figure


class Replacement(NamedTuple):
    """T4: accuracies before and after the wrong options were replaced, and with "Unknown" among the options.

    `text_unknown_base` is the accuracy, of the same questions, without "Unknown".
    """

    text_base: Figure
    text_replaced: Figure
    image_base: Figure
    image_replaced: Figure
    text_unknown_base: Figure
    text_unknown: Figure


@dataclass(frozen=True)
class Accuracies:
    """All that the score is made of, test by test: before and after, without the image unless it says otherwise."""

    removal: tuple[Removal, ...]
    needed: Figure
    chance: Figure
    in_order: Figure
    reordered: Figure
    replacement: Replacement
    original: Figure
    substituted: Figure


def fragilities(accuracies: Accuracies) -> Figures:
    """f1 to f5, each from 0 to 1, along the first axis."""
    weights = sum(each.n for each in accuracies.removal)
    lost = sum(each.n * _drop(each.image, each.text) for each in accuracies.removal) / weights
    excess = _drop(accuracies.needed, accuracies.chance) / (1 - np.asarray(accuracies.chance))
    options = accuracies.replacement
    replaced = (
        WEIGHTS[0] * _drop(options.text_base, options.text_replaced)
        + WEIGHTS[1] * _drop(options.image_replaced, options.image_base)
        + WEIGHTS[2] * _drop(options.text_unknown, options.text_unknown_base)
    )
    reordered = _drop(accuracies.in_order, accuracies.reordered)
    substituted = _drop(accuracies.original, accuracies.substituted)
    return np.stack(np.broadcast_arrays(lost, excess, reordered, replaced, substituted))


def robustness(found: Figures) -> Figures:
    """R: the mean of 1 − f over the five tests."""
    return np.asarray(1 - np.mean(found, axis=0))


def _drop(before: Figure, after: Figure) -> Figures:
    return np.maximum(0.0, np.asarray(before, dtype=np.float64) - np.asarray(after, dtype=np.float64))
