"""Rationale task: which patterns of bad reasoning does a response show, and in which words?"""

from __future__ import annotations

from snellen.stress.taxonomy import PATTERNS
from snellen.tools.review.task import Field, FieldChoice, ReviewTask

RATIONALE = ReviewTask(
    name="rationale",
    title="Which of these does the response show?",
    asks="Read the response beside the image, if there is one: the model was shown what you are shown. Select the "
    "words that show a pattern and choose it; a response may show several, or none.",
    fields=(
        Field(
            "patterns",
            "Which of these does the response show?",
            "marks",
            tuple(FieldChoice(tag.name, tag.name.capitalize(), tag.means) for tag in PATTERNS),
        ),
        Field("note", "Note (optional)", "words", required=False, compared=False),
    ),
    source="The Illusion of Readiness; Are Large Vision Language Models Truly Grounded in Medical Images?",
)
