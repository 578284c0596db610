"""Suites: the tests of a whole protocol under one name, with the prompt that it asks by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from snellen.errors import StudyError
from snellen.plugins import parse_settings
from snellen.stress.subset import Subset


class Suite(NamedTuple):
    """Test specs, and the prompt's name where the protocol has its own."""

    tests: tuple[str, ...]
    prompt: str = ""


def standard() -> Suite:
    """The standard exam."""
    return Suite(("image-needed", "blank-image", "rationale", "option-order"))


def readiness(*, images: int = 1, **settings: Any) -> Suite:
    """The six stress tests of "The Illusion of Readiness", its score, and the grounded reading beside it.

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
            subset.named("robustness"),
            subset.named("grounded-reading"),
        ),
        prompt="readiness",
    )


def mirage(*, seeds: int = 200) -> Suite:
    """The tests of "Mirage: The Illusion of Visual Understanding"; `seeds` is how often each diagnosis is asked for."""
    return Suite(
        (
            "mirage-rate",
            "mirage-bias" if seeds == 200 else f"mirage-bias:seeds={seeds}",
            "mirage-score",
            "image-needed",
            "guess-mode",
            "dataset-name",
            "grounding-signal",
        ),
        prompt="mirage",
    )


SUITES: dict[str, Callable[..., Suite]] = {"standard": standard, "readiness": readiness, "mirage": mirage}


def suite_named(spec: str) -> Suite | None:
    """The suite that a line names, such as `readiness:items=needed.txt`; None where it names none."""
    name, _, rest = spec.partition(":")
    if name not in SUITES:
        return None
    bare, named = parse_settings(rest)
    try:
        return SUITES[name](*bare, **named)
    except TypeError as error:
        raise StudyError(f"The tests {spec!r} cannot be made: {error}.") from error
