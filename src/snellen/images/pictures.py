"""Sent images: the rules by which they were changed, and those nearly black or white."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

NEARLY_BLACK, NEARLY_WHITE = "nearly black", "nearly white"
NEARLY_ALL = 0.99
"""Share of pixels that makes an image nearly black or white; of 328 real images, the darkest has 0.83."""
DARK, BRIGHT = 25, 230
"""Last level that counts as black, and first that counts as white, of 255: a tenth of the range each."""
NAMED = 10
"""Largest number of items that are named; the others are counted."""


def shade(picture: Any) -> str:
    """Return `nearly black` or `nearly white` if almost nothing is visible, otherwise ""."""
    levels = picture.convert("L").histogram()
    enough = NEARLY_ALL * sum(levels)
    if sum(levels[: DARK + 1]) >= enough:
        return NEARLY_BLACK
    return NEARLY_WHITE if sum(levels[BRIGHT:]) >= enough else ""


@dataclass(frozen=True)
class PicturesSent:
    """Counts of sent images by rule, and items with (nearly) black or white originals."""

    number: int = 0
    rules: Mapping[str, int] = field(default_factory=dict)
    shades: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Ids of items with a nearly black or nearly white unmodified image, by shade."""

    def __add__(self, other: PicturesSent) -> PicturesSent:
        shades = {
            each: tuple(dict.fromkeys((*self.shades.get(each, ()), *other.shades.get(each, ()))))
            for each in (*self.shades, *other.shades)
        }
        rules = Counter(self.rules)
        rules.update(other.rules)
        return PicturesSent(self.number + other.number, dict(rules), shades)

    def sentences(self) -> Iterator[str]:
        """Return notes on the images for readers of results; none if all were sent unchanged."""
        for rule, count in sorted(self.rules.items(), key=lambda each: -each[1]):
            some = f"{count:,} of {self.number:,} different images (over all conditions)"
            yield f"{some} {'was' if count == 1 else 'were'} changed for sending: {rule}."
        yield from self.warnings()

    def warnings(self) -> Iterator[str]:
        """Return warnings about images that show almost nothing."""
        for which, items in self.shades.items():
            more = f" and {len(items) - NAMED:,} more" if len(items) > NAMED else ""
            of = "1 item" if len(items) == 1 else f"{len(items):,} items"
            side = "below a tenth" if which == NEARLY_BLACK else "above nine tenths"
            yield (
                f"The image of {of} was sent {which} (at least {NEARLY_ALL:.0%} of its pixels are {side} of full "
                f"brightness): {', '.join(items[:NAMED])}{more}."
            )

    def record(self) -> dict[str, Any]:
        """Return the counts and items for JSON."""
        return {
            "pictures": self.number,
            "rules": dict(self.rules),
            "nearly_black": list(self.shades.get(NEARLY_BLACK, ())),
            "nearly_white": list(self.shades.get(NEARLY_WHITE, ())),
        }
