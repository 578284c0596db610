"""Open answers compared by words or, if words decide nothing, by sentence embeddings. English only."""

from __future__ import annotations

from snellen.items import Item
from snellen.reading.confidence import read_counts
from snellen.reading.embeddings import Embed, embedder, is_english
from snellen.reading.open.comparison import CORRECT, UNCLEAR
from snellen.reading.open.reading import RULES, STATED, WEIGHS, read_open
from snellen.reading.outcomes import OpenGrade, OpenReading
from snellen.reading.parsers import OPEN, Parser

ALIKE = 0.75
"""With at least this cosine, an answer that shares no term with a reference has the same meaning."""
NEAR = 0.55
"""Below this cosine the meaning differs; between NEAR and ALIKE it is unclear.

Chosen on development rows of `research/open_answers`. Embeddings know topics better than answers. Of 216 answers
without a word of their reference, the similarity was high for 5 of 45 correct ones and 2 of 171 others.
"""
_UNDECIDED = "nothing-shared"
_GRADES = {"alike": CORRECT, "near": UNCLEAR}


def read_open_embedded(text: str, item: Item) -> OpenReading:
    """Compare a response with references by words, else by embeddings."""
    # Loaded first, so that a missing package is reported at the first response, not at the first undecided one.
    embed = embedder()
    return reread(read_open(text, item), item, embed=embed)


def reread(worded: OpenReading, item: Item, *, embed: Embed) -> OpenReading:
    """Return the reading by words. If they do not decide, use the similarity to the nearest reference."""
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
    counted=read_counts("match-embedded"),
)
