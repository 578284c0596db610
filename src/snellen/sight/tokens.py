"""Tokens: what the server counted for the same words with an image and without, and for small and large images."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

FEWEST_TOKENS = 8
"""No server counts fewer tokens for an image, unless it is so small that PATCH says so."""
PATCH = 28 * 28
"""Pixels that the most frugal models make one token of."""
PLACEHOLDER = 64
"""So few tokens for every image, large or small, are those of some words in its place."""
SPREAD = 4
"""Images differ in size if the largest has so many times the pixels of the smallest."""
ENOUGH = 5
"""So many pairs are compared before anything is concluded."""


class Pair(NamedTuple):
    """The same words with images and without: the input tokens of each, and the pixels of the images."""

    tokens: int
    without: int
    pixels: tuple[int, ...]
    image_tokens: int | None = None
    """Those that the server says are the images'."""

    @property
    def added(self) -> int:
        """What the images added to the count."""
        return self.tokens - self.without

    @property
    def counted(self) -> bool:
        """Whether the images are in the count."""
        return self.added >= fewest_tokens(self.pixels) or bool(self.image_tokens)


def fewest_tokens(pixels: Iterable[int]) -> int:
    """The fewest tokens that any server counts for images of so many pixels.

    >>> fewest_tokens([448 * 448]), fewest_tokens([28 * 28]), fewest_tokens([448 * 448] * 2)
    (8, 1, 16)
    """
    return sum(max(1, min(FEWEST_TOKENS, each // PATCH)) for each in pixels)


def flat(pairs: Sequence[Pair]) -> int | None:
    """How many tokens each image added, where it is the same small number for large images and for small ones.

    >>> flat([Pair(130, 100, (448 * 448,))] * 3 + [Pair(130, 100, (1120 * 1120,))] * 3)
    30
    >>> flat([Pair(356, 100, (448 * 448,))] * 3 + [Pair(356, 100, (1120 * 1120,))] * 3) is None
    True
    """
    added = {pair.added for pair in pairs}
    pixels = [sum(pair.pixels) for pair in pairs]
    if len(pairs) < ENOUGH or len(added) > 1 or any(pair.image_tokens or len(pair.pixels) != 1 for pair in pairs):
        return None
    same = added.pop()
    return same if 0 < same < PLACEHOLDER and max(pixels) >= SPREAD * min(pixels) > 0 else None


def medians(pairs: Sequence[Pair]) -> tuple[float, float]:
    """The median counts with images and without."""
    with_images, without = np.median([(pair.tokens, pair.without) for pair in pairs], axis=0)
    return float(with_images), float(without)


def compared(pairs: Sequence[Pair]) -> str:
    """The counts in words."""
    with_images, without = medians(pairs)
    return (
        f"For the same words the server counted {with_images:,.0f} input tokens with an image and {without:,.0f} "
        f"without (medians of {len(pairs):,} pairs)"
    )
