"""Planning of a study before any request: cost, needed questions, and savings."""

__all__ = ["claims", "frontier", "pilot", "planned", "power"]
