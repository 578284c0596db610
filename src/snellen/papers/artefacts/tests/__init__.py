"""The stress tests of the artefacts paper, one file each."""

__all__ = ["arms", "dose_response", "pooled", "strong", "weak"]
