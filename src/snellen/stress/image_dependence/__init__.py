"""Which items of a benchmark need their image: by list, by rating or by what a guesser makes of the text."""

__all__ = ["conditional_logit", "cues", "guesser", "subset"]
