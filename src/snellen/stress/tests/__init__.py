"""The stress tests that belong to no paper, one file each."""

__all__ = ["comparison", "image_used", "rationale"]
