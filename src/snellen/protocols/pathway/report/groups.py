"""Groups of models: the means of each group over its models, where there are enough models to speak of a group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from snellen.prompts import TASKS, Task
from snellen.protocols.pathway.report.profile import Tasks
from snellen.report.words.numbers import figure, interval
from snellen.stats import Estimate, group_difference, mean, proportion

ENOUGH = 3
"""So many models a group needs before its mean says anything of such models."""


class Side(NamedTuple):
    """A group of models, and whether they are told with the report in place of the image."""

    name: str
    members: tuple[str, ...]
    report: bool | None = None


class GroupCell(NamedTuple):
    """One group in one task: how many models, their numbers, and their mean with its interval where they are enough."""

    models: int
    values: str
    mean: str


class GroupLine(NamedTuple):
    """One task over the sides of a contrast, and the difference of the first two means."""

    task: Task
    cells: tuple[GroupCell, ...]
    difference: str


@dataclass(frozen=True)
class Contrast:
    """Two or three groups of models, task by task; `few` names those too small to tell anything of groups."""

    title: str
    sides: tuple[str, ...]
    lines: tuple[GroupLine, ...]
    few: tuple[str, ...]
    note: str = ""


def contrasts(tasks: Tasks) -> list[Contrast]:
    """Each named group against all other models, and models with vision against those without."""
    study, models = tasks.lookup.evidence.results.study, tasks.models
    made = []
    blind = tuple(model for model in models if model in tasks.by_report)
    seeing = tuple(model for model in models if model not in blind)
    for name, members in study.get("groups", {}).items():
        for kind, those in (("with vision" if blind else "", seeing), ("without vision", blind)):
            sides = (
                Side(name, tuple(model for model in those if model in members)),
                Side("all others", tuple(model for model in those if model not in members)),
            )
            if sides[0].members and sides[1].members:
                title = f"{name.capitalize()} and other models"
                made.append(_contrast(tasks, f"{title}, {kind}" if kind else title, sides))
    if study.get("groups") and blind and seeing:
        three = (
            Side("with vision, given the report", seeing, True),
            Side("without vision, given the report", blind, True),
            Side("with vision, given the image", seeing, False),
        )
        note = (
            "The first two had the same words in front of them, so that they compare; the third had the image, and is "
            "here to be seen beside them."
        )
        made.append(_contrast(tasks, "With and without vision", three, note))
    return [each for each in made if each.lines]


def _contrast(tasks: Tasks, title: str, sides: Sequence[Side], note: str = "") -> Contrast:
    lines = []
    for task in TASKS:
        values = [
            [found.estimate.value for model in side.members if (found := tasks.find(model, task, report=side.report))]
            for side in sides
        ]
        if values[0] and values[1]:
            cells = tuple(_cell(each) for each in values)
            lines.append(GroupLine(task, cells, difference(values[0], values[1])))
    few = tuple(side.name for side in sides if len(side.members) < ENOUGH)
    return Contrast(title, tuple(side.name for side in sides), tuple(lines), tuple(dict.fromkeys(few)), note)


def _cell(values: Sequence[float]) -> GroupCell:
    each = ", ".join(figure(value, "share") for value in sorted(values, reverse=True))
    found = over_models(values)
    return GroupCell(len(values), each, "" if found is None else _printed(found, "share"))


def over_models(values: Sequence[float]) -> Estimate | None:
    """The mean over models with an interval that takes the models as the sample; None where they are too few.

    It is Student's, cut at 0 and 1. Where all models score alike it would have no width; Wilson's takes its place.

    >>> print(over_models([0.5, 0.6, 0.7]), over_models([0.0, 0.0, 0.0]), over_models([0.5, 0.6]))
    0.60 [0.35, 0.85] (n=3, student-t) 0.00 [0.00, 0.56] (n=3, wilson) None
    """
    if len(values) < ENOUGH:
        return None
    found = mean(values)
    if found.low == found.high:
        return proportion(values)
    return replace(found, low=max(0.0, found.low), high=min(1.0, found.high))


def difference(first: Sequence[float], second: Sequence[float]) -> str:
    """How much higher the first group's mean is, with its interval; nothing where a group is too small.

    >>> difference([0.5, 0.6, 0.7], [0.2, 0.3, 0.4]), difference([0.5, 0.6], [0.2, 0.3, 0.4])
    ('+30 points [−5 to +65]', '')
    """
    one, two = over_models(first), over_models(second)
    return "" if one is None or two is None else _printed(group_difference(one, two), "points")


def _printed(estimate: Estimate, unit: str) -> str:
    return f"{figure(estimate.value, unit)} [{interval(estimate, unit)}]"
