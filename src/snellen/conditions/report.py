"""The radiology report instead of the image, for models that take no images."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from snellen.conditions.base import Condition, Drawn
from snellen.conditions.effects import Effects
from snellen.conditions.mismatch import CONTRADICTORY
from snellen.errors import Inapplicable
from snellen.items import Item

HEADINGS = {
    "en": "Radiology report:", "it": "Referto radiologico:", "es": "Informe radiológico:",
    "fr": "Compte rendu radiologique :", "de": "Radiologischer Befund:", "zh": "影像学报告：",
}  # fmt: skip
"""Heading of the report, by language."""


@dataclass(frozen=True)
class ReportForImage(Condition):
    """The same words, no image; its radiology report stands after the context."""

    name: ClassVar[str] = "report-for-image"
    declared: ClassVar[Effects] = Effects("words")
    told: ClassVar[str] = "with the report in place of the image"

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Return the item without its images, and with the report in its context."""
        report = item.metadata.get("report")
        if not item.images:
            raise Inapplicable("the item has no image that a report could replace")
        if item.metadata.get("task") == CONTRADICTORY:
            raise Inapplicable("its image contradicts its text, and so would a report of that image")
        if not isinstance(report, str) or not report.strip():
            raise Inapplicable("it has no radiology report")
        told = f"{item.in_its_language(HEADINGS)}\n{report.strip()}"
        return replace(item, images=(), context=f"{item.context}\n\n{told}" if item.context else told)
