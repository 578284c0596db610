"""The stress tests that belong to no paper: one file each, but for those that are only declared."""

__all__ = ["comparison", "image_used", "rationale"]
