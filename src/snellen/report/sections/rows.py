"""The rows behind the numbers: for every model, benchmark and arm a sample of responses of every kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.grading.columns import NOTHING, Integers
from snellen.grading.outcomes import Outcome
from snellen.report.evidence.album import Album
from snellen.report.evidence.evidence import ArmAddress, Evidence, Saying, degrades, row_anchor
from snellen.report.evidence.reply_kinds import ReplyKind, codes, counted, kinds_of
from snellen.report.evidence.sampling import Ranks, moved, ranks, sample
from snellen.report.evidence.tags import Tagged, tags_at
from snellen.stress.table import OUTCOMES, Grades
from snellen.stress.taxonomy import MODES

ROWS_OF_AN_ARM = 60
ROWS_OF_THE_PAGE = 1800
FEWEST_ROWS = 6
FEWEST_OF_MANY = 4
"""The same for arms that degrade the image, of which there are many."""

TEXT_OF_THE_PAGE = 3_000_000
"""Characters of prompts and responses together; long ones are cut so that all rows fit."""
LIMITS = (8000, 4000, 2000, 1000, 500)


class Tally(NamedTuple):
    """How many responses of one kind there are, and how many of them are shown."""

    words: str
    shown: int
    of: int


@dataclass(frozen=True)
class ReplyRow:
    """A response on the page; `moved` if it chose another option than under the baseline; `modes` of going wrong.

    `judged` if a judge's opinion on it could be read; `flagged` is that opinion where it has two sides only.
    """

    saying: Saying
    outcome: Outcome
    kind: ReplyKind
    moved: bool
    anchor: str
    modes: tuple[Tagged, ...] = ()
    judged: bool = False
    flagged: bool | None = None


@dataclass(frozen=True)
class Group:
    """The sampled responses of one model under one arm."""

    address: ArmAddress
    anchor: str
    baseline: str
    total: int
    tallies: tuple[Tally, ...]
    rows: tuple[ReplyRow, ...]


class DrawnRows(NamedTuple):
    """Which responses of one model under one arm are shown, and which responses of it moved."""

    places: Integers
    moved: NDArray[np.bool_]


def chosen(evidence: Evidence) -> dict[ArmAddress, DrawnRows]:
    """Few enough responses of every model, benchmark and arm that the page opens at once, and all that it links to."""
    also: dict[ArmAddress, list[int]] = {}
    for address, place in evidence.led_to:
        also.setdefault(address, []).append(place)
    count = max(1, len(evidence.anchors))
    size = max(FEWEST_ROWS, min(ROWS_OF_AN_ARM, ROWS_OF_THE_PAGE // count))
    # all tables of a benchmark hold the same items
    by_benchmark = {name: ranks(table.items) for (_, name), table in evidence.results.tables.items()}
    drawn = {
        address: _drawn(evidence, address, by_benchmark[address.benchmark], _room(address, size), also.get(address, []))
        for address in evidence.anchors
    }
    for address, each in drawn.items():
        evidence.expect(address, each.places.tolist())
    return drawn


def _room(address: ArmAddress, size: int) -> int:
    """How many rows an arm has: one of the many that degrade the image fewer, since each has images of its own."""
    return max(FEWEST_OF_MANY, size // 3) if degrades(address.arm) else size


def _drawn(evidence: Evidence, address: ArmAddress, rank: Ranks, size: int, also: Sequence[int]) -> DrawnRows:
    grades = evidence.grades(address)
    movement = moved(grades, evidence.table(address).arms.get(evidence.baselines.get(address.arm, "")))
    places = sample(grades, rank, codes(grades) * 2 + movement, size)
    return DrawnRows(np.union1d(places, np.array(also, dtype=np.int64)), movement)


def groups(evidence: Evidence, drawn: Mapping[ArmAddress, DrawnRows]) -> list[Group]:
    """A group of rows for every model, benchmark and arm."""
    return [_group(evidence, address, each) for address, each in drawn.items()]


def _group(evidence: Evidence, address: ArmAddress, drawn: DrawnRows) -> Group:
    grades = evidence.grades(address)
    baseline = "" if grades.admissions is not None else evidence.baselines.get(address.arm, "")
    kinds, found = kinds_of(grades), codes(grades)
    sayings = evidence.sayings(address, drawn.places.tolist())
    rows = tuple(
        ReplyRow(
            sayings[at],
            OUTCOMES[grades.outcome[at]],
            kinds[found[at]],
            bool(drawn.moved[at]),
            row_anchor(evidence, address, at),
            tags_at(evidence, address, at, MODES),
            bool(grades.rationales is not None and grades.rationales.heard[at]),
            _flagged(grades, at),
        )
        for at in drawn.places.tolist()
    )
    tallies = tuple(
        Tally(kind.words, sum(row.kind == kind for row in rows), number)
        for kind, number in counted(grades).items()
        if number
    )
    return Group(address, evidence.anchors[address], baseline, len(grades), tallies, rows)


def _flagged(grades: Grades, at: int) -> bool | None:
    """Whether a judge says that a response admits or doubts; None where no judge said."""
    if grades.admissions is None or grades.admissions.flagged[at] == NOTHING:
        return None
    return bool(grades.admissions.flagged[at])


def look_at(album: Album, groups: Sequence[Group]) -> None:
    """Put the rows' images into the album, a row of each group in turn, so that no group takes all the room."""
    turns = zip_longest(*(group.rows for group in groups))
    for row in chain.from_iterable(turns):
        for sha256 in row.saying.asked.images if row else ():
            album.picture(sha256)


def text_limit(groups: Sequence[Group]) -> int:
    """The longest text a row may show so that all rows together stay within the page's limit."""
    lengths = np.array([length for group in groups for row in group.rows for length in _lengths(row.saying)])
    fitting = (limit for limit in LIMITS if np.minimum(lengths, limit).sum() <= TEXT_OF_THE_PAGE)
    return next(fitting, LIMITS[-1])


def _lengths(saying: Saying) -> tuple[int, ...]:
    reply, asked = saying.reply, saying.asked
    return len(reply.text), len(reply.reasoning), len(asked.text), len(asked.system)
