"""Mending a benchmark: what is to become of an item that an audit doubts, with the corrected key and question."""

from __future__ import annotations

from typing import Any

from snellen.reading.language.cleaning import lowered
from snellen.tools.review.task import Choice, Field, Task, Value

DOUBTS = "doubts"
"""The field of an item's metadata that says in sentences what is doubted."""


def _compare(field: Field, value: Value) -> Any:
    """A choice as it is; words without capitals, spaces and a full stop."""
    said = value.get(field.name)
    return said if field.kind == "choice" else " ".join(lowered(str(said or "")).split()).rstrip(".")


MEND = Task(
    name="mend",
    title="What is to become of this item?",
    asks="An audit doubts this item. Look at question, key and image, and decide. If you mend it, write the right key, "
    "or the question as it should read, or both.",
    fields=(
        Field("decision", "Your decision", "choice", (
            Choice("keep", "Keep", "It is sound as it is."),
            Choice("mend", "Mend", "It is worth asking once key or question are corrected."),
            Choice("remove", "Remove", "It cannot be asked, or is not worth asking."),
        )),
        Field("key", "The right key, if it is another: a letter, or the words of the answer (optional)", "words",
              required=False),
        Field("question", "The question as it should read (optional)", "words", required=False, compared=False),
        Field("why", "Why (optional)", "words", required=False, compared=False),
    ),
    candidates="key",
    says=_compare,
    each=10_000,
)  # fmt: skip
