"""Missing images: does a response to a question about an image that was never sent admit that there is none?

Every word becomes a letter for the role it plays (`roles`, and a word list a language), ways of denying, declining,
doubting and describing are patterns of roles (`shapes`), each sentence gets a kind (`kinds`), and the label follows
from the kinds by precedence (`parser`).
"""

from __future__ import annotations

from pathlib import Path

from snellen.items import WITHOUT_IMAGE
from snellen.reading.confidence import counted
from snellen.reading.missing_image.columns import QUESTION, RULES, WEIGHS, WithoutImage, admissions, without_image
from snellen.reading.missing_image.parser import Admission, Admitted, denies_image, read_admission
from snellen.reading.parsers import Parser

MISSING_IMAGE = Parser(
    name="missing-image",
    kind=WITHOUT_IMAGE,
    source="Our own, for questions about an image that was never sent",
    about="whether a response says so, voices doubt, declines, speaks in general, or describes the image as if it had "
    "been seen.",
    read=without_image(read_admission),
    outcome=lambda read, item: read.outcome,
    reads_all=True,
    question=QUESTION,
    rules=RULES,
    weighs=WEIGHS,
    formal=frozenset(("generic: lone-letter",)),
    columns=admissions,
    agreement=Path(__file__).with_name("agreement.json"),
    counted=counted("missing-image"),
)

__all__ = ["MISSING_IMAGE", "Admission", "Admitted", "WithoutImage", "columns", "denies_image", "read_admission"]
