"""Pictures as they went out: by which rules they were shown, and which of them are nearly black or white."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

NEARLY_BLACK, NEARLY_WHITE = "nearly black", "nearly white"
NEARLY_ALL = 0.99
"""The share of pixels that makes a picture nearly black or white; of 328 real ones, none has more than 0.83 dark."""
DARK, BRIGHT = 25, 230
"""The last level of 255 that counts as black, and the first that counts as white: a tenth of the range each."""
NAMED = 10
"""So many items are named, the others counted."""


def shade(picture: Any) -> str:
    """What to call a Pillow image in which next to nothing can be seen; empty for all others."""
    levels = picture.convert("L").histogram()
    enough = NEARLY_ALL * sum(levels)
    if sum(levels[: DARK + 1]) >= enough:
        return NEARLY_BLACK
    return NEARLY_WHITE if sum(levels[BRIGHT:]) >= enough else ""


@dataclass(frozen=True)
class PicturesSent:
    """How many different pictures went out, how many by which rule, and the items whose own picture shows nothing."""

    number: int = 0
    rules: Mapping[str, int] = field(default_factory=dict)
    shades: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The ids of the items whose unmodified picture is nearly black, and of those whose is nearly white."""

    def __add__(self, other: PicturesSent) -> PicturesSent:
        shades = {
            each: tuple(dict.fromkeys((*self.shades.get(each, ()), *other.shades.get(each, ()))))
            for each in (*self.shades, *other.shades)
        }
        rules = Counter(self.rules)
        rules.update(other.rules)
        return PicturesSent(self.number + other.number, dict(rules), shades)

    def sentences(self) -> Iterator[str]:
        """What a reader of the results must know of the pictures; nothing where all went out as they are."""
        for rule, count in sorted(self.rules.items(), key=lambda each: -each[1]):
            some = f"{count:,} of {self.number:,} different pictures (over all conditions)"
            yield f"{some} {'was' if count == 1 else 'were'} changed for sending: {rule}."
        yield from self.warnings()

    def warnings(self) -> Iterator[str]:
        """Which pictures show next to nothing."""
        for which, items in self.shades.items():
            more = f" and {len(items) - NAMED:,} more" if len(items) > NAMED else ""
            of = "1 item" if len(items) == 1 else f"{len(items):,} items"
            side = "below a tenth" if which == NEARLY_BLACK else "above nine tenths"
            yield (
                f"The picture of {of} went out {which} ({NEARLY_ALL:.0%} of the pixels or more are {side} of full "
                f"brightness): {', '.join(items[:NAMED])}{more}."
            )

    def record(self) -> dict[str, Any]:
        """The same for JSON."""
        return {
            "pictures": self.number,
            "rules": dict(self.rules),
            "nearly_black": list(self.shades.get(NEARLY_BLACK, ())),
            "nearly_white": list(self.shades.get(NEARLY_WHITE, ())),
        }
