"""Tags: the patterns and modes that a response shows, and who says so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from snellen.reading.columns import Integers
from snellen.report.evidence.evidence import ArmAddress, Evidence
from snellen.stress.taxonomy import BIT, SOURCE_WORDS, Tag


class Tagged(NamedTuple):
    """A tag of a response, and whether a rule or a judge gave it."""

    tag: Tag
    by: str

    @property
    def words(self) -> str:
        """Who says so."""
        return SOURCE_WORDS[self.by]


def tags_at(evidence: Evidence, address: ArmAddress, place: int, tags: Sequence[Tag]) -> tuple[Tagged, ...]:
    """Those of the tags that one response has; one that a rule is sure of needs no judge."""
    bits = {by: int(column[place]) for by, column in columns(evidence, address).items()}
    found = []
    for tag in tags:
        by = next((by for by, each in bits.items() if each & BIT[tag.name]), None)
        if by is not None:
            found.append(Tagged(tag, by))
    return tuple(found)


def columns(evidence: Evidence, address: ArmAddress) -> dict[str, Integers]:
    """The tags of all responses, a bit each, by who gave them."""
    said = evidence.grades(address).rationales
    ruled = {"rule": evidence.ruled(address)}
    return ruled if said is None else {**ruled, "judge": said.judged}
