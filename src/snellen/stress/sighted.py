"""The same test with the image or on the words alone."""

from __future__ import annotations

from snellen.conditions import IMAGE_REMOVED, ORIGINAL, Condition, Together
from snellen.errors import StudyError
from snellen.prompts import Arm


def baseline(image: str, change: Condition | None = None) -> Arm:
    """The arm with or without the image; with a change, what is held against it."""
    if image not in ("kept", "removed"):
        raise StudyError(f"The image is kept or removed, got image={image}.")
    if image == "kept":
        return Arm(change or ORIGINAL)
    return Arm(Together((IMAGE_REMOVED, change)) if change else IMAGE_REMOVED)


def under(name: str, image: str) -> str:
    """A test's name, with how it treats the image where that is not as usual."""
    return name if image == "kept" else f"{name}:image={image}"
