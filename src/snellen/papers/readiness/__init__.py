"""“The Illusion of Readiness” (arXiv 2509.18234): six stress tests, their score, and the printed figures."""

from __future__ import annotations

from typing import Any

from snellen.papers.protocol import Protocol, Suite
from snellen.plugins import settings_from
from snellen.prompts import Settings
from snellen.stress.image_dependence.subset import Subset


@settings_from(Subset)
def readiness(*, images: int = 1, **settings: Any) -> Suite:
    """The six stress tests of "The Illusion of Readiness", grounded reading and score.

    `images` is the number of substitute images in T5. The other settings choose the items that need the image, as for
    visual-necessity.
    """
    subset = Subset(**settings)
    return Suite(
        (
            "image-needed",
            subset.name_test("visual-necessity"),
            "option-order",
            "option-order:image=removed",
            "distractors",
            "distractors:image=removed",
            "unknown-option",
            "unknown-option:image=removed",
            "visual-substitution" if images == 1 else f"visual-substitution:images={images}",
            "chain-of-thought",
            "reasoning-effort",
            "rationale:image-removed,original+cot",
            subset.name_test("grounded-reading"),
            subset.name_test("robustness"),
            "reports",
        ),
        prompt="readiness",
        settings=Settings(temperature=0.0),
    )


PROTOCOL = Protocol(readiness, tables="snellen.papers.readiness.published")
