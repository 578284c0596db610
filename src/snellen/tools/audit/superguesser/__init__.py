"""The super-guesser: a language model trained on questions without images (Mirage, sections 3.3 and 7.8).

What it gets right on questions that it never saw can be had without eyes.
"""

__all__ = ["recipe", "results", "superguesser", "training"]
