"""T1: accuracy with the image and without it, and the difference between the two on the same items."""

from __future__ import annotations

from snellen.conditions import IMAGE_REMOVED, ORIGINAL
from snellen.report.lookup import Lookup
from snellen.report.sections.comparison import Comparison, Ways, compared

REMOVAL = Ways(("image-needed",), (ORIGINAL.name, IMAGE_REMOVED.name), ("image and text", "text only"))


def removal(lookup: Lookup) -> list[Comparison]:
    """With the image against without it, on every benchmark where both were asked."""
    return compared(lookup, REMOVAL)
