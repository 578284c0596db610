"""Word lists by topic, for all languages."""

__all__ = ["details"]
