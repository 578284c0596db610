"""Stress tests that are not from a paper, mostly one per file."""

__all__ = ["comparison", "image_used", "rationale"]
