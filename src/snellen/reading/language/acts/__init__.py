"""Acts of a response: it says that the image is missing, declines, describes, doubts, or mentions quality."""

__all__ = ["answering", "opposing"]
