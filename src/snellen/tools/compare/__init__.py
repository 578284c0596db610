"""Comparison: what changed between two studies, as numbers, as text and as a page."""

__all__ = ["FLIPS_SHOWN", "two_studies"]

FLIPS_SHOWN = 5
