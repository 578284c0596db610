"""Protocols: the tests of one paper each, with a report chapter and the paper's printed figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from snellen.errors import StudyError
from snellen.papers.paper import ComparedFigure, PaperTable, figures
from snellen.papers.protocol import Protocol, Suite
from snellen.plugins import Members, create_member, find, names, read_settings
from snellen.scoring.results import Results
from snellen.stress import MEMBERS as TESTS

__all__ = [
    "MEMBERS", "Protocol", "Suite", "artefacts", "chosen_tests", "compared", "papers", "printed", "sheets",
    "suite_named", "suites",
]  # fmt: skip

MEMBERS: Members = {
    "standard": "snellen.papers.standard:PROTOCOL",
    "readiness": "snellen.papers.readiness:PROTOCOL",
    "pathway": "snellen.papers.pathway:PROTOCOL",
    "mirage": "snellen.papers.mirage:PROTOCOL",
    "artefacts": "snellen.papers.artefacts:PROTOCOL",
    "evidence": "snellen.papers.evidence:PROTOCOL",
    "italian": "snellen.papers.italian:PROTOCOL",
}


def protocol(name: str) -> Protocol:
    """Return the protocol of this name; raise PluginError if there is none."""
    found: Protocol = find("protocols", MEMBERS, name)
    return found


def suites() -> dict[str, Callable[..., Suite]]:
    """Return the functions that make a protocol's tests, by the protocol's name."""
    found = {name: protocol(name).suite for name in names("protocols", MEMBERS)}
    return {name: suite for name, suite in found.items() if suite is not None}


def suite_named(spec: str) -> Suite | None:
    """Build the suite that a text such as `readiness:items=needed.txt` names. None if it names no suite."""
    name, _, rest = spec.partition(":")
    known = suites()
    if name not in known:
        close = get_close_matches(name, known, n=1, cutoff=0.8)
        if close and name not in names("stress", TESTS):
            raise StudyError(f"There is no {name!r}. Did you mean the suite {close[0]!r}? Suites: {', '.join(known)}.")
        return None
    failure = f"The tests {spec!r} cannot be made"
    bare, named = read_settings(known[name], rest, failure=failure)
    suite: Suite = create_member(known[name], *bare, failure=failure, **named)
    return suite


def papers() -> list[str]:
    """Names of the protocols with figures printed in their paper, in alphabetical order."""
    return sorted(name for name in names("protocols", MEMBERS) if protocol(name).tables)


def printed(paper: str) -> dict[str, Any]:
    """Return a paper's printed figures with notes on each table.

    >>> printed("readiness")["tests"]["T2"]["figures"]["GPT-4o"]["text"]
    [3.43, 1.14, 6.29]
    """
    _tables(paper)
    return figures(paper)


def sheets(paper: str, results: Results | None = None) -> Iterator[PaperTable]:
    """Return a paper's tables; with `results`, compared with a scored study."""
    shown: Iterator[PaperTable] = _tables(paper).sheets(results)
    return shown


def compared(paper: str, results: Results | None = None) -> Iterator[ComparedFigure]:
    """Compare every printed figure of a paper with ours. Ours come from a study with the paper's responses."""
    tables = _tables(paper)
    if not hasattr(tables, "compared"):
        public = [name for name in papers() if hasattr(_tables(name), "compared")]
        raise StudyError(f"The responses behind {paper!r} are not public. They are of: {', '.join(public)}.")
    lines: Iterator[ComparedFigure] = tables.compared(results)
    return lines


def _tables(paper: str) -> Any:
    if paper not in papers():
        raise StudyError(f"There are no printed figures of {paper!r}. There are: {', '.join(papers())}.")
    return import_module(protocol(paper).tables)
