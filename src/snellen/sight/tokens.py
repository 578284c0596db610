"""Input tokens that the server counts with and without an image."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

FEWEST_TOKENS = 8
"""The fewest tokens of an image on any server. Very small images may have fewer, see PATCH."""
PATCH = 28 * 28
"""The most pixels that any model turns into one token."""
PLACEHOLDER = 64
"""If images of all sizes have the same token count, below this, text replaced them."""
SPREAD = 4
"""Images differ in size if the largest has this many times the smallest's pixels."""
ENOUGH = 5
"""Number of pairs needed to judge delivery."""


class TokenPair(NamedTuple):
    """Input tokens of the same text with and without images, and each image's pixels."""

    tokens: int
    without: int
    pixels: tuple[int, ...]
    image_tokens: int | None = None
    """Image tokens as reported by the server; None if it reports none."""

    @property
    def added(self) -> int:
        """Tokens that the images added to the count."""
        return self.tokens - self.without

    @property
    def counted(self) -> bool:
        """True if the count includes the images."""
        return max(self.added, self.image_tokens or 0) >= fewest_tokens(self.pixels)


def fewest_tokens(pixels: Iterable[int]) -> int:
    """Return the fewest tokens that any server counts for images of these sizes, in pixels.

    >>> fewest_tokens([448 * 448]), fewest_tokens([28 * 28]), fewest_tokens([448 * 448] * 2)
    (8, 1, 16)
    """
    return sum(max(1, min(FEWEST_TOKENS, each // PATCH)) for each in pixels)


def flat(pairs: Sequence[TokenPair]) -> int | None:
    """Return the small number of tokens that every image added, whatever its size. None if tokens differ or are many.

    >>> flat([TokenPair(130, 100, (448 * 448,))] * 3 + [TokenPair(130, 100, (1120 * 1120,))] * 3)
    30
    >>> flat([TokenPair(356, 100, (448 * 448,))] * 3 + [TokenPair(356, 100, (1120 * 1120,))] * 3) is None
    True
    """
    added = {pair.added for pair in pairs}
    pixels = [sum(pair.pixels) for pair in pairs]
    if len(pairs) < ENOUGH or len(added) > 1 or any(pair.image_tokens or len(pair.pixels) != 1 for pair in pairs):
        return None
    same = added.pop()
    return same if 0 < same < PLACEHOLDER and max(pixels) >= SPREAD * min(pixels) > 0 else None


def medians(pairs: Sequence[TokenPair]) -> tuple[float, float]:
    """Return the median token counts with images and without."""
    with_images, without = np.median([(pair.tokens, pair.without) for pair in pairs], axis=0)
    return float(with_images), float(without)


def describe_counts(pairs: Sequence[TokenPair]) -> str:
    """Describe the token counts in a sentence without a full stop."""
    with_images, without = medians(pairs)
    return (
        f"For the same words the server counted {with_images:,.0f} input tokens with an image and {without:,.0f} "
        f"without (medians of {len(pairs):,} pairs)"
    )
