"""Reference task: two raters write the correct answer; a third settles differences."""

from __future__ import annotations

from snellen.tools.review.task import Field, ReviewTask, normalise_words

REFERENCE = ReviewTask(
    name="reference",
    title="What is the right answer?",
    asks="Write the answer that you would accept as correct, as briefly as possible; for a chain of reasoning, one "
    "step per line. Below it, write other correct answers, one per line.",
    fields=(
        Field("answer", "The right answer", "words"),
        Field("also", "Other correct answers, one per line (optional)", "words", required=False,
              compared=False),
    ),
    source="The Illusion of Clinical Reasoning",
    candidates="answer",
    says=normalise_words,
)  # fmt: skip
