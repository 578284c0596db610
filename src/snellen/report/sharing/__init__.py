"""Files for sharing: the first screen as an image (card), and as tables for papers."""

from __future__ import annotations

from collections.abc import Mapping

from snellen.report.sharing.card import draw_card
from snellen.report.sharing.shared_table import SharedResult, write_latex, write_markdown

CARD = "card.svg"
CARD_IMAGE = "card.png"
TABLES = {"tables/verdicts.md": write_markdown, "tables/verdicts.tex": write_latex}
NAMES = (CARD, CARD_IMAGE, *TABLES)
"""Paths of all files for sharing, below the report's folder."""


def list_shared_files(result: SharedResult) -> Mapping[str, str]:
    """Return the files for sharing as text, by path. Empty without a table."""
    if not result.tables:
        return {}
    return {CARD: draw_card(result)} | {name: write(result) for name, write in TABLES.items()}
