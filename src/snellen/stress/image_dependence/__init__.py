"""Choose the items that need their image: by a list, by ratings or by a text-only guesser."""

__all__ = ["conditional_logit", "cues", "guesser", "subset"]
