"""The grading."""
