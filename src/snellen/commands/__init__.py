"""The commands, and what they print."""

__all__ = ["cli"]
