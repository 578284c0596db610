"""Open answers, compared by their words, and by sentence embeddings where words decide nothing. English only."""

from __future__ import annotations

from snellen.items import Item
from snellen.reading.confidence import counted
from snellen.reading.embeddings import Embed, embedder, is_english
from snellen.reading.open.comparison import CORRECT, UNCLEAR
from snellen.reading.open.reading import RULES, STATED, WEIGHS, read_open
from snellen.reading.outcomes import OpenGrade, OpenReading
from snellen.reading.parsers import OPEN, Parser

ALIKE = 0.75
"""The cosine from which on an answer that shares no term with a reference means the same."""
NEAR = 0.55
"""The cosine below which it means something else; in between it is unclear.

Chosen on development rows of `research/open_answers`. Embeddings know a topic better than an answer: of 216 answers
that shared no word with their reference, 5 of 45 correct ones and 2 of 171 others were alike.
"""
_UNDECIDED = "nothing-shared"
_GRADES = {"alike": CORRECT, "near": UNCLEAR}


def read_open_embedded(text: str, item: Item) -> OpenReading:
    """How a response compares with the references: by its words, or by what it means where it shares none of theirs."""
    # Loaded first, so that a missing package shows at the first response and not at the first doubt.
    embed = embedder()
    return reread(read_open(text, item), item, embed=embed)


def reread(worded: OpenReading, item: Item, *, embed: Embed) -> OpenReading:
    """What words read in a response, or how near it comes to the nearest reference where they found nothing."""
    if worded.rule.removeprefix(STATED) != _UNDECIDED or not is_english(f"{item.question} {worded.evidence}"):
        return worded
    said = embed(worded.evidence)
    cosine, reference = max((float(said @ embed(each)), each) for each in item.references)
    rule = "alike" if cosine >= ALIKE else "near" if cosine >= NEAR else ""
    if not rule:
        return worded
    grade: OpenGrade = _GRADES[rule]
    return OpenReading(rule, grade, evidence=worded.evidence, reference=reference)


EMBEDDED = Parser(
    name="match-embedded",
    kind=OPEN,
    source="Our own, English only",
    about="the words of match where they decide, and how alike sentences are where an answer shares none with the "
    "references. It is weaker than a qualified judge too.",
    read=lambda reply, item: read_open_embedded(reply.text, item),
    rules={
        **RULES,
        "alike": "a sentence that means the same, in words that are not known",
        "near": "a sentence that means something near, in words that are not known",
    },
    weighs=WEIGHS | {"near"},
    counted=counted("match-embedded"),
)
