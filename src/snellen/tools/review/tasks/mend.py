"""Mending task: raters decide on doubtful items, and correct answer key or question."""

from __future__ import annotations

from snellen.tools.review.task import Field, FieldChoice, ReviewTask, normalise_words

DOUBTS = "doubts"
"""Key in an item's metadata for the audit's doubts, a list of sentences."""


MEND = ReviewTask(
    name="mend",
    title="What should be done with this item?",
    asks="An audit found a possible problem in this item. Check question, answer key and image, and decide. If you "
    "mend it, write the correct answer key, the corrected question, or both.",
    fields=(
        Field("decision", "Your decision", "choice", (
            FieldChoice("keep", "Keep", "It is sound and stays unchanged."),
            FieldChoice("mend", "Mend", "It is worth asking once answer key or question are corrected."),
            FieldChoice("remove", "Remove", "It cannot be asked, or is not worth asking."),
        )),
        Field("key", "The correct answer key, if different: a letter, or the answer in words (optional)", "words",
              required=False),
        Field("new_question", "The corrected question (optional)", "words", required=False, compared=False),
        Field("why", "Why (optional)", "words", required=False, compared=False),
    ),
    candidates="key",
    says=normalise_words,
    each=10_000,
)  # fmt: skip
