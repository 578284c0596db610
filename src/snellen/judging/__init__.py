"""Judging: another model reads the rationales of one question side by side, and says what rules cannot know.

What it says is its opinion, shown as such. It never learns the right answer: whether a response was right is known
without it, and joined to its opinion afterwards. Only where the answer is in words (`open_answer`) is it shown the
reference, since it is asked whether the two agree.
"""

__all__ = [
    "OPINIONS", "THRESHOLD", "admission", "answers", "asking", "choice", "gate", "held_against_people", "judgements",
    "mismatch", "open_answer", "opinions", "premise", "provider", "qualify", "quality", "rubric", "single", "source",
]  # fmt: skip

THRESHOLD = 0.6
"""What the lower bound of κ must reach where nobody says otherwise: agreement that Landis and Koch call substantial."""
OPINIONS = 3
"""How many independent opinions a judge gives of an open answer, as in the Pathway paper."""
