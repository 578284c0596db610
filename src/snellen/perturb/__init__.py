"""Functions of pixels or text, without side effects, which conditions use."""

__all__ = [
    "alike", "arithmetic", "artefacts", "blank", "cues", "hidden", "left_and_right", "mirror", "polar", "sides",
    "topics", "words",
]  # fmt: skip
