"""Judging: another model grades or compares the responses of the models in a study.

A judge's opinions are reported as opinions. The judge never sees the answer key: whether a response was correct is
known without the judge. Only for open answers (`open_answer`) does it see the reference answer, to compare the two.
"""

__all__ = [
    "OPINIONS", "THRESHOLD", "admission", "answers", "asking", "choice", "gate", "held_against_people", "judgements",
    "mismatch", "open_answer", "opinions", "premise", "provider", "qualify", "quality", "rubric", "single", "source",
]  # fmt: skip

THRESHOLD = 0.6
"""Default for the lowest lower bound of κ that qualifies a judge: "substantial" agreement by Landis and Koch."""
OPINIONS = 3
"""Independent opinions of a judge per open answer, as in the Pathway paper."""
