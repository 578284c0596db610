"""Comparison: what changed between two studies, as numbers, as text and as a page."""

FLIPS_SHOWN = 5
