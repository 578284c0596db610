"""Rationales: which patterns of bad reasoning a response shows, and in which of its words."""

from __future__ import annotations

from snellen.stress.taxonomy import PATTERNS
from snellen.tools.review.task import Choice, Field, Task

RATIONALE = Task(
    name="rationale",
    title="Which of these does the response show?",
    asks="Read the response beside the image, if there is one: the model was shown what you are shown. Select the "
    "words that show a pattern and choose it; a response may show several, or none.",
    fields=(
        Field(
            "patterns",
            "Which of these does the response show?",
            "marks",
            tuple(Choice(tag.name, tag.name.capitalize(), tag.means) for tag in PATTERNS),
        ),
        Field("note", "Note (optional)", "words", required=False, compared=False),
    ),
    source="The Illusion of Readiness; Are Large Vision Language Models Truly Grounded in Medical Images?",
)
