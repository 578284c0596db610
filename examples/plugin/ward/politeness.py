"""A judge's question."""

from collections.abc import Mapping

from snellen.judging.qualify import Labelled, LabelledQuestion, find_label
from snellen.prompts import Request

LABELS = ("polite", "rude")


def ask(row: Labelled, turned: bool) -> Request:
    """The question about one response; `turned` is for questions that show several things."""
    return Request("", f"Is this polite or rude? Answer with one word.\n\n{row.response}")


def read(answer: str, row: Labelled, turned: bool) -> Mapping[tuple[str, ...], str] | None:
    """The label that the judge gives."""
    word = answer.strip().lower()
    return {(): word} if word in LABELS else None


QUESTION = LabelledQuestion(
    name="politeness",
    version="politeness-1",
    opinions=1,
    people=lambda row: {(): find_label(row, LABELS)},
    request=ask,
    read=read,
    undecided="rude",
    worth={"polite": 1.0, "rude": 0.0},
    turns=False,
)
