"""One question with the image and without: what one run of one model said each time, for a few of every pattern."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from snellen.grading.columns import Integers
from snellen.report.evidence.evidence import Address, Evidence, Saying
from snellen.report.evidence.highlights import Marked, marked
from snellen.report.evidence.sampling import first_by_hash
from snellen.report.evidence.tags import Tagged, columns, tags_at
from snellen.stress.taxonomy import BIT, PATTERNS, TAGS, Tag, unseen

CASES = 2
"""Questions shown for each pattern."""


@dataclass(frozen=True)
class View:
    """One arm of the question: the reply in pieces, and what is known of it."""

    arm: str
    saying: Saying
    marked: Marked
    notices: bool
    hedges: bool
    tags: tuple[Tagged, ...]


@dataclass(frozen=True)
class Case:
    """One question in one run of one model, under every arm it was asked."""

    model: str
    item_id: str
    run: int
    shows: tuple[Tag, ...]
    views: tuple[View, ...]


def cases(evidence: Evidence, benchmark: str) -> list[Case]:
    """A few questions for every pattern that was found where there was nothing to see, chosen by a hash."""
    chosen: dict[tuple[str, int, int], list[Tag]] = {}
    for tag in PATTERNS:
        for address, place in first_by_hash(evidence, _showing(evidence, benchmark, tag), CASES):
            grades = evidence.grades(address)
            run = address.model, int(grades.ordinal[place]), int(grades.replicate[place])
            chosen.setdefault(run, []).append(tag)
    places = {run: _places(evidence, benchmark, run) for run in chosen}
    for those in places.values():
        for address, place in those.items():
            evidence.expect(address, [place])
    return [_case(evidence, run, places[run], tuple(tags)) for run, tags in chosen.items()]


def _showing(evidence: Evidence, benchmark: str, tag: Tag) -> dict[Address, Integers]:
    """Where replies show a tag though there was nothing to see."""
    found = {}
    for address in evidence.anchors:
        if address.benchmark == benchmark and unseen(address.arm):
            bits = np.bitwise_or.reduce(list(columns(evidence, address).values()))
            found[address] = np.flatnonzero(bits & BIT[tag.name])
    return found


def _places(evidence: Evidence, benchmark: str, run: tuple[str, int, int]) -> dict[Address, int]:
    """Where the replies of one run to one item stand, the arms with an image first."""
    model, ordinal, replicate = run
    found = {}
    for arm in sorted(_arms(evidence, model, benchmark), key=unseen):
        address = Address(model, benchmark, arm)
        grades = evidence.grades(address)
        at = np.flatnonzero((grades.ordinal == ordinal) & (grades.replicate == replicate))
        if len(at):
            found[address] = int(at[0])
    return found


def _arms(evidence: Evidence, model: str, benchmark: str) -> list[str]:
    """The arms without an image, and those they are held against."""
    arms = evidence.results.tables[model, benchmark].arms
    blind = [arm for arm in arms if unseen(arm)]
    held = {evidence.baselines.get(arm, "") for arm in blind}
    return [arm for arm in arms if arm in held or arm in blind]


def _case(evidence: Evidence, run: tuple[str, int, int], places: dict[Address, int], tags: tuple[Tag, ...]) -> Case:
    views = tuple(_view(evidence, address, place) for address, place in places.items())
    return Case(run[0], views[0].saying.item.id, run[2] + (0 if evidence.imported else 1), tags, views)


def _view(evidence: Evidence, address: Address, place: int) -> View:
    saying = evidence.sayings(address, [place])[place]
    said = evidence.grades(address).rationales
    return View(
        arm=address.arm,
        saying=saying,
        marked=marked(saying),
        notices=bool(said.notices[place]) if said else False,
        hedges=bool(said.hedges[place]) if said else False,
        tags=tags_at(evidence, address, place, TAGS),
    )
