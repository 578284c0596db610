"""The numbers by category and by language: to look at, not to conclude from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.forests import Forest, forest
from snellen.scoring.findings import GROUPINGS, Finding
from snellen.stress.base import Measure

FEW = 20
"""Groups of fewer items than this are marked."""
MOST_GROUPS = 40
"""More groups than this are not drawn; the largest are."""
MOST_ARMS = 6
"""Of more arms than this, the first are drawn."""
OPEN = 8
"""With more groups or models than this, the images are folded."""
SHOWN = ("accuracy", "difference")


@dataclass(frozen=True)
class GroupsOfModel:
    """One model's forest plots over the groups."""

    model: str
    forests: tuple[Forest, ...]


@dataclass(frozen=True)
class Breakdown:
    """One benchmark apart by one property of its items."""

    benchmark: str
    grouping: str
    groups: int
    drawn: int
    models: tuple[GroupsOfModel, ...]
    folded: bool
    arms_left: int = 0
    """How many arms are not drawn."""


def breakdowns(evidence: Evidence) -> list[Breakdown]:
    """A breakdown for every benchmark and grouping with several groups."""
    made = []
    for benchmark in evidence.benchmarks:
        for grouping in GROUPINGS:
            found = [
                each
                for each in evidence.results.groups
                if each.benchmark == benchmark and each.group.startswith(f"{grouping}=")
            ]
            if found:
                made.append(_breakdown(evidence, found, grouping))
    return made


def _breakdown(evidence: Evidence, found: Sequence[Finding], grouping: str) -> Breakdown:
    models = list(dict.fromkeys(each.model for each in found))
    sizes: dict[str, int] = {}
    for each in found:
        sizes[each.group] = max(sizes.get(each.group, 0), *(m.estimate.n for m in each.measures), 0)
    largest = sorted(sizes, key=lambda group: (-sizes[group], group))[:MOST_GROUPS]
    return Breakdown(
        benchmark=found[0].benchmark,
        grouping=grouping,
        groups=len(sizes),
        drawn=len(largest),
        models=tuple(GroupsOfModel(model, _forests(evidence, _of(found, model), largest)) for model in models),
        folded=len(largest) > OPEN or len(models) > 2,
        arms_left=max(0, len(_arms(found, SHOWN[0])) - MOST_ARMS),
    )


def _of(found: Sequence[Finding], model: str) -> list[Finding]:
    return [each for each in found if each.model == model]


def _forests(evidence: Evidence, found: Sequence[Finding], groups: Sequence[str]) -> tuple[Forest, ...]:
    """Accuracy under every arm, then every change; an arm that several tests share is drawn once."""
    drawn = {}
    for name in SHOWN:
        for arm in _arms(found, name)[:MOST_ARMS]:
            rows = [row for group in groups if (row := _measured(found, group, arm, name)) is not None]
            plot = forest(rows, arm, name, evidence=evidence, label=_label)
            if plot is not None:
                drawn[name, arm] = plot
    return tuple(drawn.values())


def _arms(found: Sequence[Finding], name: str) -> list[str]:
    return list(dict.fromkeys(measure.arm for each in found for measure in each.measures if measure.name == name))


def _measured(found: Sequence[Finding], group: str, arm: str, name: str) -> Finding | None:
    """The first finding of a group that has this number."""
    return next((each for each in found if each.group == group and each.measure(arm, name) is not None), None)


def _label(finding: Finding) -> str:
    name = finding.group.partition("=")[2]
    return f"{name} (few items)" if _size(finding.measures) < FEW else name


def _size(measures: Sequence[Measure]) -> int:
    return max((measure.estimate.n for measure in measures), default=0)
