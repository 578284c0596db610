"""Acts: what each response does, such as declining or inventing findings.

Figure 1 and the links to responses count acts.
"""

from __future__ import annotations

from enum import IntFlag

import numpy as np

from snellen.conditions.labels import arm_effects
from snellen.reading.columns import NOTHING, Integers
from snellen.reading.outcomes import Outcome
from snellen.report.evidence.evidence import ArmAddress, Evidence
from snellen.stress.table import Table
from snellen.stress.verdicts.responses import DECLINED, UNREAD, read_acts


class Act(IntFlag):
    """What a response does. Each response has exactly one act; any may have ADMITS in addition."""

    RIGHT = 1
    WRONG = 2
    DECLINES = 4
    INVENTS = 8
    KEEPS = 16
    UNREAD = 32
    OTHER = 64
    ADMITS = 128
    WRITES = 256

    @property
    def look(self) -> str:
        """CSS class of the act's colour and pattern."""
        return _TABLE[self][0]

    @property
    def words(self) -> str:
        """Name of the act."""
        return _TABLE[self][1]

    @property
    def anchor(self) -> str:
        """Last part of the link to the responses with this act."""
        return (self.name or "").lower()


_TABLE = {
    Act.RIGHT: ("correct", "right"),
    Act.WRONG: ("wrong", "wrong"),
    Act.DECLINES: ("abstained", "declines"),
    Act.INVENTS: ("invents", "invents findings"),
    Act.KEEPS: ("keeps", "gives the first image’s answer"),
    Act.UNREAD: ("unparsed", "cannot be read, cut off or empty"),
    Act.OTHER: ("unclear", "another answer"),
    Act.ADMITS: ("missing", "admits that it cannot see"),
    Act.WRITES: ("scored", "writes a report"),
}
"""CSS class and name of each act."""
SHOWN = tuple(each for each in Act if each is not Act.ADMITS)
"""The acts of which each response has exactly one, in the order of the bars."""


def list_acts(table: Table, arm: str) -> Integers:
    """Return the act of each response under a condition, as bits."""
    grades, effects = table.arms[arm], arm_effects(arm)
    admits, invents = read_acts(grades)
    other = effects.image == "other"
    keeps = np.zeros(len(grades), np.bool_)
    if other and table.kind == "choice":
        first = np.array([each.answer if isinstance(each.answer, int) else NOTHING for each in table.items])
        keeps = (grades.chosen == first[grades.ordinal]) & (grades.chosen != NOTHING)
    known = effects.truth != "unknown"
    kinds = (
        (Act.UNREAD, grades.is_(*UNREAD)),
        (Act.INVENTS, invents & (not effects.sees)),
        (Act.DECLINES, grades.is_(*DECLINED)),
        (Act.KEEPS, keeps),
        (Act.WRITES, grades.is_(Outcome.SCORED)),
        (Act.RIGHT, grades.is_(Outcome.CORRECT) & known),
        (Act.WRONG, grades.is_(Outcome.WRONG) & known),
    )
    found = np.full(len(grades), int(Act.OTHER), dtype=np.int64)
    for act, those in reversed(kinds):
        found[those] = int(act)
    return np.where(admits, found | int(Act.ADMITS), found)


def link_to(evidence: Evidence, address: ArmAddress, act: Act | None = None) -> str:
    """Anchor of a model's responses under a condition, or only of those with one act."""
    anchor = evidence.anchors.get(address, "rows")
    return anchor if act is None or anchor == "rows" else f"{anchor}--{act.anchor}"
