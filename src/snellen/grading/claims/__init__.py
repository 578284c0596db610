"""Claims: what a response says that it sees."""

from __future__ import annotations

from snellen.grading.claims.columns import rationales
from snellen.grading.claims.parser import read_rationale
from snellen.grading.parsers import Parser

CLAIMS = Parser(
    name="claims",
    kind="claims",
    about="what a response says that it sees in the image, beyond what the question said; whether it notices that "
    "there is no image, voices doubt, or explains its answer.",
    read=lambda reply, item: read_rationale(reply.text, reply.reasoning, item),
    rules={},
    columns=rationales,
)
