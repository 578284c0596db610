"""Boards: the verdicts at the top of the page, a table a benchmark and one for questions that tests brought along."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from snellen.report.evidence import Evidence
from snellen.report.sections import Section

OWN = "Questions of the tests' own, sent without an image"


class Board(NamedTuple):
    """One table of verdicts: what it is about, the benchmarks whose findings it holds, and its tests."""

    caption: str
    benchmarks: tuple[str, ...]
    sections: tuple[Section, ...]


def boards(evidence: Evidence, sections: Sequence[Section]) -> list[Board]:
    """The tables that have anything to say."""
    wanted: list[tuple[str, tuple[str, ...]]] = [(name, (name,)) for name in evidence.benchmarks]
    wanted.append((OWN, tuple(sorted(evidence.own_questions))))
    made = (
        Board(caption, names, tuple(each for each in sections if any(f.benchmark in names for f in each.findings)))
        for caption, names in wanted
    )
    return [board for board in made if board.sections]
