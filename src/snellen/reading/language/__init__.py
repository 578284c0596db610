"""Language of responses: sentences, roles of words, and acts such as declining or doubting."""

__all__ = ["acts", "cleaning", "negation", "patterns", "sentences", "tokens", "words"]
