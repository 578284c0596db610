"""Sharing: the first screen as a card and as tables for papers, from the same parts as the page."""

from __future__ import annotations

from collections.abc import Mapping

from snellen.report.sharing.card import draw_card
from snellen.report.sharing.shared_table import SharedResult, write_latex, write_markdown

CARD = "card.svg"
CARD_IMAGE = "card.png"
TABLES = {"tables/verdicts.md": write_markdown, "tables/verdicts.tex": write_latex}
NAMES = (CARD, CARD_IMAGE, *TABLES)
"""All files for sharing, by their path below the folder of the report."""


def list_shared_files(result: SharedResult) -> Mapping[str, str]:
    """The files for sharing as text; none if no model was judged or scored."""
    if not result.tables:
        return {}
    return {CARD: draw_card(result)} | {name: write(result) for name, write in TABLES.items()}
