"""Kernels: pure functions of pixels or words, which conditions put to use."""

__all__ = [
    "alike", "arithmetic", "artefacts", "blank", "left_and_right", "mirror", "modalities", "polar", "regions",
    "sides", "topics", "words",
]  # fmt: skip
