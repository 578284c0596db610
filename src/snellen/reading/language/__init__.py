"""Language: where sentences are cut, words get their roles and the acts of a response are found."""

__all__ = ["acts", "cleaning", "negation", "patterns", "sentences", "tokens", "words"]
