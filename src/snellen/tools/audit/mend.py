"""Items to fix, each once with all its problems, and problems of the whole set."""

from __future__ import annotations

import math
from typing import NamedTuple

from snellen.items import Item
from snellen.tools.audit.audit import Audit
from snellen.tools.audit.finding import Finding, Flagged, Severity

LEAST_SURE = 0.3
"""Lowest probability, over all its problems, that a listed item needs fixing."""
COMMON = 0.25
"""A problem of more than this share of the items is one of the whole set and lists no item by itself."""
_WEIGHT = {Severity.HIGH: 1.0, Severity.MEDIUM: 0.9, Severity.LOW: 0.8}


class Problem(NamedTuple):
    """A problem of one item: the finding, and the item in it."""

    finding: Finding
    flagged: Flagged

    @property
    def sure(self) -> float:
        """Probability that this problem means the item needs fixing."""
        return self.finding.sure if math.isnan(self.flagged.sure) else self.flagged.sure


class ItemToMend(NamedTuple):
    """An item with its problems, and how sure it is that it needs fixing."""

    item_id: str
    item: Item | None
    sure: float
    severity: Severity
    problems: tuple[Problem, ...]


def is_about_set(finding: Finding) -> bool:
    """Return whether a problem concerns the benchmark as a whole."""
    return math.isnan(finding.sure)


def list_about_set(audit: Audit) -> tuple[Finding, ...]:
    """List the problems of the whole set, including those shared by over a quarter of the items."""
    most = COMMON * max(20, len(audit.of.items))
    return tuple(each for each in audit.findings if is_about_set(each) or len(each.items) > most)


def list_to_mend(audit: Audit) -> list[ItemToMend]:
    """List every item to fix once, the surest and most severe first."""
    common = {id(each) for each in list_about_set(audit)}
    found: dict[str, list[Problem]] = {}
    for finding in audit.findings:
        if not is_about_set(finding):
            for flagged in finding.items:
                found.setdefault(flagged.item_id, []).append(Problem(finding, flagged))
    known = audit.named_items
    listed = []
    for item_id, problems in found.items():
        if all(id(each.finding) in common for each in problems):
            continue
        surest = {each.finding.check: each.sure for each in sorted(problems, key=lambda each: each.sure)}
        sure = 1 - math.prod(1 - each for each in surest.values())
        if sure >= LEAST_SURE:
            order = list(Severity)
            worst = min((each.finding.severity for each in problems), key=order.index)
            ordered = tuple(sorted(problems, key=lambda each: -each.sure))
            listed.append(ItemToMend(item_id, known.get(item_id), sure, worst, ordered))
    return sorted(listed, key=lambda each: -each.sure * _WEIGHT[each.severity])
