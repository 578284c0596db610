"""Comparison of two studies: numbers, text for a terminal, and a page."""

__all__ = ["FLIPS_SHOWN", "two_studies"]

FLIPS_SHOWN = 5
