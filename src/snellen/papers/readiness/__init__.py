"""“The Illusion of Readiness” (arXiv 2509.18234): six stress tests, their score, and the printed figures."""

from __future__ import annotations

from typing import Any

from snellen.papers.protocol import Protocol, Suite
from snellen.plugins import settings_from
from snellen.prompts import Settings
from snellen.stress.image_dependence.subset import Subset


@settings_from(Subset)
def readiness(*, images: int = 1, **settings: Any) -> Suite:
    """The six stress tests of "The Illusion of Readiness", the grounded reading, and the paper's score beside it.

    `images` is how many substitutes T5 shows; the others say which items need the image, as for visual-necessity.
    """
    subset = Subset(**settings)
    return Suite(
        (
            "image-needed",
            subset.named("visual-necessity"),
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
            subset.named("grounded-reading"),
            subset.named("robustness"),
            "reports",
        ),
        prompt="readiness",
        settings=Settings(temperature=0.0),
    )


PROTOCOL = Protocol(readiness, tables="snellen.papers.readiness.published")
