"""Image tokens by the published rule of a model's vendor."""

from __future__ import annotations

import re
from functools import lru_cache
from math import ceil, floor, sqrt
from typing import NamedTuple


class Patches(NamedTuple):
    """OpenAI: patches of 32 pixels times a factor, after scaling to a largest side and number of patches.

    >>> Patches(2048, 2500, 1.2).tokens(1024, 1024), Patches(2048, 2500, 1.2).tokens(2048, 2048)
    (1229, 3000)
    """

    side: int
    budget: int | None
    factor: float

    @property
    def words(self) -> str:
        """The rule in a few words."""
        most = f", at most {self.budget:,}" if self.budget else ""
        return f"patches of 32 × 32 pixels{most}, times {self.factor:g}"

    def tokens(self, width: int, height: int) -> int:
        """Return the tokens of an image of this size."""
        width, height = _scale_to_side(width, height, self.side)
        if self.budget and _squares(width, height, 32) > self.budget:
            scale = sqrt(32**2 * self.budget / (width * height))
            across, down = width * scale / 32, height * scale / 32
            scale *= min(max(1, floor(across)) / across, max(1, floor(down)) / down)
            width, height = max(1, floor(width * scale)), max(1, floor(height * scale))
        return ceil(round(_squares(width, height, 32) * self.factor, 6))


class Tiles(NamedTuple):
    """OpenAI: a base plus tiles of 512 pixels, after scaling to 2,048 (longer side) and 768 (shorter side).

    >>> Tiles(85, 170).tokens(1024, 1024), Tiles(85, 170).tokens(2048, 4096)
    (765, 1105)
    """

    base: int
    each: int

    @property
    def words(self) -> str:
        """The rule in a few words."""
        return f"{self.base:,}, and {self.each:,} for each tile of 512 × 512 pixels"

    def tokens(self, width: int, height: int) -> int:
        """Return the tokens of an image of this size."""
        width, height = _scale_to_side(width, height, 2048)
        if min(width, height) > 768:
            scale = 768 / min(width, height)
            width, height = floor(round(width * scale, 6)), floor(round(height * scale, 6))
        return self.base + self.each * _squares(width, height, 512)


class SquareGrid(NamedTuple):
    """Anthropic: squares of 28 pixels, after scaling to limits of side and tokens.

    >>> [SquareGrid(1568, 1568).tokens(*size) for size in ((200, 200), (1000, 1000), (1092, 1092), (3840, 2160))]
    [64, 1296, 1521, 1560]
    >>> [SquareGrid(2576, 4784).tokens(*size) for size in ((1920, 1080), (3840, 2160))]
    [2691, 4784]
    """

    side: int
    most: int

    @property
    def words(self) -> str:
        """The rule in a few words."""
        return f"patches of 28 × 28 pixels, at most {self.most:,}"

    def tokens(self, width: int, height: int) -> int:
        """Return the tokens of an image of this size."""
        return _cells(self, max(width, height), min(width, height))


@lru_cache(maxsize=4096)
def _cells(rule: SquareGrid, longer: int, shorter: int) -> int:
    """Return the tokens after scaling to the largest allowed size."""
    low, high = 1, longer
    while low < high:
        tried = (low + high + 1) // 2
        across = max(1, round(shorter * tried / longer))
        fits = ceil(tried / 28) * 28 <= rule.side and _squares(tried, across, 28) <= rule.most
        low, high = (tried, high) if fits else (low, tried - 1)
    return _squares(low, max(1, round(shorter * low / longer)), 28)


class Crops(NamedTuple):
    """Gemini before 3: 258 tokens for a small image or for each tile of a larger one.

    >>> Crops().tokens(384, 384), Crops().tokens(960, 540)
    (258, 1548)
    """

    each: int = 258

    @property
    def words(self) -> str:
        """The rule in a few words."""
        return f"{self.each} for each tile, and for an image of at most 384 × 384 pixels"

    def tokens(self, width: int, height: int) -> int:
        """Return the tokens of an image of this size."""
        if max(width, height) <= 384:
            return self.each
        unit = max(1, floor(min(width, height) / 1.5))
        return self.each * _squares(width, height, unit)


class Fixed(NamedTuple):
    """Gemini from 3 on: a fixed number per image at the default resolution."""

    most: int = 1120

    @property
    def words(self) -> str:
        """The rule in a few words."""
        return f"at most {self.most:,}, whatever its size"

    def tokens(self, width: int, height: int) -> int:
        """Return the tokens of an image of this size."""
        return self.most


def _scale_to_side(width: int, height: int, side: int) -> tuple[int, int]:
    """Return the size, scaled down to at most `side` on the longer side."""
    scale = min(1.0, side / max(width, height))
    return max(1, round(width * scale)), max(1, round(height * scale))


def _squares(width: int, height: int, side: int) -> int:
    return ceil(width / side) * ceil(height / side)


Rule = Patches | Tiles | SquareGrid | Crops | Fixed
"""A vendor's rule for the tokens of an image."""
ORIGINAL = Patches(65_535, None, 1.2)
BY_NAME: tuple[tuple[str, Rule], ...] = (
    (r"gpt-[6-9]|gpt-5\.6", ORIGINAL),
    (r"gpt-5\.5", Patches(6000, 10_000, 1.2)),
    (r"gpt-5\.4", Patches(2048, 2500, 1.2)),
    (r"gpt-5\.2", Patches(2048, 6144, 1.2)),
    (r"gpt-5-mini", Patches(2048, 1536, 1.2)),
    (r"gpt-5-nano", Patches(2048, 1536, 1.5)),
    (r"gpt-5(?:\.1)?(?![.\d])", Tiles(70, 140)),
    (r"gpt-4\.1-mini", Patches(2048, 6144, 1.62)),
    (r"gpt-4\.1-nano", Patches(2048, 1536, 2.46)),
    (r"gpt-4o-mini", Tiles(2833, 5667)),
    (r"gpt-4o|gpt-4\.1|gpt-4-turbo|chatgpt-4o", Tiles(85, 170)),
    (r"o4-mini", Patches(2048, 1536, 1.72)),
    (r"o1(?!-mini)|o3(?!-mini)", Tiles(75, 150)),
    (r"gemini-(?:[3-9]|\d\d)", Fixed()),
    (r"gemini", Crops()),
)
"""Rules of OpenAI (at `detail: auto`, which is what is sent) and of Google, by the beginning of the model's name."""
STANDARD, HIGH = SquareGrid(1568, 1568), SquareGrid(2576, 4784)
"""Anthropic's rules: for models before Claude 4.7, and from 4.7 on."""
_CLAUDE = re.compile(r"claude-(?:[a-z]+-)?(\d+)(?:[-.](\d{1,2})(?!\d))?")
LEAST, PIXELS, MOST = 256, 14 * 14, 8192
"""Bounds without a published rule: fewest tokens, pixels per token, and most tokens."""


def rule_of(spec: str) -> Rule | None:
    """Return the rule that a model's vendor publishes; None if there is none.

    >>> rule_of("bedrock/anthropic.claude-opus-4-7-v1:0") == HIGH, rule_of("openai/my-own-model") is None
    (True, True)
    """
    name = spec.lower()
    if found := _CLAUDE.search(name):
        return HIGH if (int(found[1]), int(found[2] or 0)) >= (4, 7) else STANDARD
    begins = re.split(r"[/.:](?=[a-z])", name)
    for pattern, rule in BY_NAME:
        if any(re.match(pattern, part) for part in begins):
            return rule
    return None


def image_tokens(rule: Rule | None, width: int, height: int) -> tuple[int, int]:
    """Return bounds of an image's tokens; they are equal if there is a rule."""
    if rule is None:
        return LEAST, max(LEAST, min(MOST, ceil(width * height / PIXELS)))
    tokens = rule.tokens(width, height)
    return tokens, tokens
