"""The three main verdicts on a model, and a benchmark's score without images."""

__all__ = ["decision", "follows", "honest", "marks", "possible_without", "responses", "sentences", "steady"]
