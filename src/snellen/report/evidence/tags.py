"""Tags: patterns and failure modes that rules or judges found in a response."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from snellen.reading.columns import Integers
from snellen.report.evidence.evidence import ArmAddress, Evidence
from snellen.stress.taxonomy import BIT, SOURCE_WORDS, Tag


class Tagged(NamedTuple):
    """A tag of a response, and whether a rule or a judge found it."""

    tag: Tag
    by: str

    @property
    def words(self) -> str:
        """Source of the tag in words."""
        return SOURCE_WORDS[self.by]


def tags_at(evidence: Evidence, address: ArmAddress, place: int, tags: Sequence[Tag]) -> tuple[Tagged, ...]:
    """Return the tags of one response that rules or judges found."""
    bits = {by: int(column[place]) for by, column in columns(evidence, address).items()}
    found = []
    for tag in tags:
        by = next((by for by, each in bits.items() if each & BIT[tag.name]), None)
        if by is not None:
            found.append(Tagged(tag, by))
    return tuple(found)


def columns(evidence: Evidence, address: ArmAddress) -> dict[str, Integers]:
    """Return the tags of all responses as bits, by source: rule or judge."""
    said = evidence.grades(address).rationales
    ruled = {"rule": evidence.find_tags(address)}
    return ruled if said is None else {**ruled, "judge": said.judged}
