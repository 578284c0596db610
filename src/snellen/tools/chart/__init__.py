"""The eye chart: the smallest, faintest and most off-centre letters that a model can read."""

__all__ = ["charts", "exam", "files", "result"]
