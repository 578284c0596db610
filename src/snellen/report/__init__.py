"""The report: one HTML file that opens anywhere, offline, with the rows behind every number."""

from __future__ import annotations

from pathlib import Path

from snellen.report.page import render
from snellen.runtime import write_whole
from snellen.scoring.results import Results
from snellen.store import Store

__all__ = ["write"]

FILE = "report.html"


def write(results: Results, store: Store) -> Path:
    """Draw the report of a scored study beside its responses; asks nothing."""
    path = results.folder / FILE
    write_whole(path, render(results, store).encode(errors="replace"))
    return path
