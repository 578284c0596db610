"""What a phantom must say of itself to be drawn."""

from __future__ import annotations

from typing import Protocol


class Shown(Protocol):
    """A finding with its side, location, count and size; empty or 0 where a finding has none."""

    @property
    def finding(self) -> str:
        """The finding, or normal."""

    @property
    def side(self) -> str:
        """Left, right, both or neither; of the patient, or of the image in an OCT scan."""

    @property
    def location(self) -> str:
        """Where it is, or nothing if it is spread out."""

    @property
    def count(self) -> int:
        """How many there are of a countable finding."""

    @property
    def size(self) -> str:
        """Small, medium or large."""


def sides(shown: Shown) -> tuple[str, ...]:
    """The sides that are affected, one or two."""
    return ("left", "right") if shown.side == "both" else (shown.side,)
