"""Sections of a report that every study has, one file each."""

__all__ = ["comparison", "graders", "headline", "image_panels", "questions", "side_by_side", "tests"]
