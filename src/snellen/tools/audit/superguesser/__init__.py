"""The super-guesser: a language model trained on questions without images (Mirage, sections 3.3 and 7.8).

Test questions that it answers right can be answered without the image.
"""

__all__ = ["recipe", "results", "superguesser", "training"]
