"""Missing images: does a response admit that no image was sent?

Each word becomes one letter for its role (`language/image_roles`). Patterns of roles find ways of denying, declining,
doubting and describing (`language/acts`). `parser` gives each sentence a kind, and the kinds decide the label of the
response in a fixed order of priority.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from snellen.items import WITHOUT_IMAGE
from snellen.reading.confidence import read_counts
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
    counted=read_counts("missing-image"),
)

EMBEDDED = replace(MISSING_IMAGE, name="missing-image-embedded")
"""The parser that added sentence embeddings to rules; a network does so for `missing-image` now. The name stays."""

__all__ = ["MISSING_IMAGE", "Admission", "Admitted", "WithoutImage", "columns", "denies_image", "read_admission"]
