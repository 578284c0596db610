"""The verdicts that a stranger reads first: follows the image, honest without it, steady; and the benchmark's line."""

__all__ = ["decision", "follows", "honest", "marks", "possible_without", "responses", "sentences", "steady"]
