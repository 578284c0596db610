"""Acts: says that the image is missing, declines, describes, doubts, speaks of quality."""

__all__ = ["answering", "opposing"]
