"""What a judge can be asked about labelled rows: in which words, and what its answers amount to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from snellen.grading.detection import Seen
from snellen.grading.parsers import parser_named
from snellen.judging import admission, quality
from snellen.prompts import Request
from snellen.qualify.missing_image import flag_word, flagging
from snellen.qualify.qualification import Labelled, Qualification, Read
from snellen.qualify.quality import AS_PUBLISHED, QUALITY, item_of, word

Verdict = Any
"""What a judge says of a row, in a form that JSON knows."""


class Asked(NamedTuple):
    """A judge's question: the labels it is held against, its words, its verdict, and the label that a verdict is."""

    version: str
    question: Callable[[Qualification], Qualification]
    request: Callable[[Read], Request]
    verdict: Callable[[str], Verdict | None]
    word: Callable[[Verdict], str]


def _quality_verdict(answer: str) -> dict[str, Any] | None:
    said = quality.read(answer)
    return None if said is None else {"label": word(said.label), "flags": said.flags, "conflict": said.conflict}


ADMISSION = Asked(
    admission.VERSION,
    flagging,
    lambda row: admission.request(str(row.fields["response"])),
    admission.flagged,
    flag_word,
)
"""The question of the Mirage paper: does a response admit that it saw no image?"""
CONCLUSION = Asked(
    quality.VERSION,
    lambda done: done,
    lambda row: quality.request(str(row.fields["response"]), item_of(Labelled(row.where, row.fields))),
    _quality_verdict,
    lambda verdict: str(verdict["label"]),
)
"""Our question about detection responses: what does a response conclude?"""
COUNTED = CONCLUSION._replace(word=lambda verdict: word(Seen.QUALITY) if verdict["flags"] else str(verdict["label"]))
"""The same, counted as the artefacts paper does: any response that flags quality."""


def asked_of(done: Qualification) -> Asked:
    """What a judge is asked about the rows of a parser; rows that no judge can be asked about are refused there."""
    return {QUALITY: CONCLUSION, AS_PUBLISHED: COUNTED}.get(parser_named(done.parser).kind, ADMISSION)
