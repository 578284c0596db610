"""What a study costs before it is asked: the questions that each verdict needs, and where to save."""

__all__ = ["claims", "frontier", "pilot", "planned", "power"]
