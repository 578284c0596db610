"""The report: one HTML file that works offline, with its figures and tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from snellen.files import write_whole

if TYPE_CHECKING:
    from snellen.scoring.results import Results
    from snellen.store import Store

__all__ = [
    "FIGURE_FORMATS", "FILE", "chapter", "components", "contact_sheet", "drawing", "evidence", "figures", "live",
    "lookup", "publishing", "result_lines", "sections", "sheet", "text", "words", "write",
]  # fmt: skip

FILE = "report.html"
FIGURE_FORMATS = ("svg", "png", "pdf")


def write(results: Results, store: Store, *, figures: str = "svg") -> Path:
    """Write results, report and figures of a scored study, all or none.

    With `figures="png"` or `"pdf"` every figure is also written in that format.
    """
    # Imported here because most commands draw no report, and these modules load slowly.
    from snellen.report.figures.folder import check_format, write_figures, write_shared
    from snellen.report.page import render_page
    from snellen.scoring.result_files import replaced_files

    check_format(figures)
    drawn = render_page(results, store)
    with replaced_files(results, page=FILE) as new:
        write_whole(new.folder / FILE, drawn.page.encode(errors="replace"))
        write_figures(results.folder, new, drawn.figures, figures)
        write_shared(new, drawn.shared)
    return results.folder / FILE
