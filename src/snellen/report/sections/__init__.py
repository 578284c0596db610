"""Sections of a report that every study has, one file each."""

__all__ = ["comparison", "graders", "headline", "questions", "side_by_side", "tests"]
