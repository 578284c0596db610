"""Reference answers: two people write down the right answer, and a third settles where theirs do not say the same."""

from __future__ import annotations

from typing import Any

from snellen.reading.language.cleaning import lowered
from snellen.tools.review.task import Field, Task, Value


def _said(field: Field, value: Value) -> Any:
    """An answer without what is no difference: capitals, spaces and a full stop."""
    return " ".join(lowered(str(value.get(field.name) or "")).split()).rstrip(".")


REFERENCE = Task(
    name="reference",
    title="What is the right answer?",
    asks="Write down the answer that you would accept as right, as shortly as it can be said; of a chain of reasoning, "
    "one step per line. Below it, write other answers that you would accept as well, one per line.",
    fields=(
        Field("answer", "The right answer", "words"),
        Field("also", "Other answers that are as right, one on a line (optional)", "words", required=False,
              compared=False),
    ),
    source="The Illusion of Clinical Reasoning",
    candidates="answer",
    says=_said,
)  # fmt: skip
