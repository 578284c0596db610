"""The eye chart: how small, how faint and where in an image a model still reads letters."""

__all__ = ["charts", "exam", "files", "result"]
