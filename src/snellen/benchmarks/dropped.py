"""Rows that were left out: whether they differ from those that were kept, by answer, category or missing image."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from snellen.items import LETTERS, Item
from snellen.runtime import counted

LEVEL = 0.01
"""A difference is told where chance alone would make one as large in fewer than so many of the draws."""
DRAWS = 9_999
FEWEST = 5
"""Of fewer rows nothing is told."""


class Dropped(NamedTuple):
    """What is known of a row that was left out: the letter of its right option, its category, its image's fault."""

    key: str = ""
    category: str = ""
    by_image: bool = False


def bias(kept: Sequence[Item], dropped: Sequence[Dropped]) -> list[str]:
    """In which ways the rows that were left out are not like those that were kept, in sentences with their test."""
    if len(dropped) < FEWEST:
        return []
    keys = [LETTERS[item.answer] for item in kept if isinstance(item.answer, int)]
    categories = [item.category for item in kept if item.category]
    found = [
        *_unlike("the right answer is {}", keys, [each.key for each in dropped if each.key]),
        *_unlike("the category is {!r}", categories, [each.category for each in dropped if each.category]),
    ]
    images = sum(each.by_image for each in dropped)
    if 2 * images > len(dropped):
        found.append(f"{images:,} of the {counted(len(dropped), 'row')} left out lack a usable image")
    return found


def _unlike(words: str, kept: Sequence[str], dropped: Sequence[str]) -> list[str]:
    """The sentence for the value that is too common among the dropped, if the two differ by more than chance."""
    if len(dropped) < FEWEST or len(kept) < FEWEST:
        return []
    names = sorted({*kept, *dropped})
    of_kept, of_dropped = (_counts(names, each) for each in (kept, dropped))
    p = unlike_p(of_kept, of_dropped)
    if p > LEVEL:
        return []
    most = int(np.argmax(of_dropped / len(dropped) - of_kept / len(kept)))
    said, least = words.format(names[most]), 1 / (DRAWS + 1)
    return [
        f"{said} in {of_dropped[most] / len(dropped):.0%} of the {counted(len(dropped), 'row')} left out and in "
        f"{of_kept[most] / len(kept):.0%} of the {counted(len(kept), 'row')} kept (permutation test, p "
        f"{'≤' if p <= least else '='} {p:.2g}): what is kept is no fair part of the file"
    ]


def _counts(names: Sequence[str], values: Iterable[str]) -> np.ndarray:
    found = Counter(values)
    return np.array([found[name] for name in names], dtype=np.int64)


def unlike_p(first: Sequence[int] | np.ndarray, second: Sequence[int] | np.ndarray) -> float:
    """The p of Pearson's chi-square for two rows of counts, by drawing the second row anew from both together.

    >>> unlike_p([50, 50], [50, 50])
    1.0
    """
    one, other = np.asarray(first), np.asarray(second)
    together, size = one + other, int(other.sum())
    expected = together * (size / together.sum())
    drawn = np.random.default_rng(0).multivariate_hypergeometric(together, size, size=DRAWS, method="marginals")
    with np.errstate(invalid="ignore", divide="ignore"):
        far = np.nansum((drawn - expected) ** 2 / expected, axis=1)
        seen = float(np.nansum((other - expected) ** 2 / expected))
    return (int(np.sum(far >= seen * (1 - 1e-9))) + 1) / (DRAWS + 1)
