"""Words by role, one file per language."""

__all__ = ["details"]
