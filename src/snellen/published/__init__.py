"""Published tables: what papers print, recomputed from their printed figures or held against their raw replies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from snellen.errors import StudyError
from snellen.published import artefacts, italian, mirage, readiness
from snellen.published.italian import Line as Line
from snellen.published.paper import Sheet as Sheet
from snellen.published.paper import figures
from snellen.results import Results

PAPERS: Mapping[str, Callable[[Results | None], Iterator[Sheet]]] = {
    "artefacts": artefacts.sheets,
    "italian": italian.sheets,
    "mirage": mirage.sheets,
    "readiness": readiness.sheets,
}
COMPARED: Mapping[str, Callable[[Results | None], Iterator[Line]]] = {"italian": italian.compared}
"""Those whose replies are public, so that every figure can be held against ours."""


def printed(paper: str) -> dict[str, Any]:
    """A paper's printed figures, and what is to be known of them.

    >>> printed("readiness")["tests"]["T2"]["figures"]["GPT-4o"]["text"]
    [3.43, 1.14, 6.29]
    """
    _check(paper)
    return figures(paper)


def sheets(paper: str, results: Results | None = None) -> Iterator[Sheet]:
    """A paper's tables for a terminal, with what a scored study has to set beside them."""
    _check(paper)
    return PAPERS[paper](results)


def compared(paper: str, results: Results | None = None) -> Iterator[Line]:
    """Every printed figure of a paper with public replies, and ours from a scored study that holds them."""
    _check(paper)
    if paper not in COMPARED:
        raise StudyError(f"The replies behind {paper!r} are not public. They are of: {', '.join(COMPARED)}.")
    return COMPARED[paper](results)


def _check(paper: str) -> None:
    if paper not in PAPERS:
        raise StudyError(f"There are no printed figures of {paper!r}. There are: {', '.join(PAPERS)}.")
