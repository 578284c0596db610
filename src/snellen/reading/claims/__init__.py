"""Claims: findings that a response says it sees in the image."""

from __future__ import annotations

from snellen.reading.claims.columns import rationales
from snellen.reading.claims.parser import read_rationale
from snellen.reading.confidence import read_counts
from snellen.reading.parsers import Parser

__all__ = ["columns", "parser"]

CLAIMS = Parser(
    name="claims",
    kind="claims",
    about="what a response says that it sees in the image, beyond what the question said; whether it notices that "
    "there is no image, voices doubt, or explains its answer.",
    read=lambda reply, item: read_rationale(reply.text, reply.reasoning, item),
    rules={
        "several-claims": "claims to see several things",
        "one-claim": "claims to see one thing",
        "notices": "claims nothing, and says that there is no image or nothing in it",
        "explains": "says more than its answer, and claims nothing",
        "answers": "says little more than its answer",
    },
    columns=rationales,
    counted=read_counts("claims"),
)
