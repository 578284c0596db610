"""Groups of models: the means of each group over its models, where there are enough models to speak of a group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from snellen.papers.pathway.report.profile import Tasks
from snellen.prompts import TASKS
from snellen.report.components import Cell, Note, Row, Section, Table, name_columns, quiet
from snellen.report.words.numbers import figure, with_interval
from snellen.stats import Estimate, group_difference, mean, proportion

ENOUGH = 3
"""So many models a group needs before its mean says anything of such models."""


class Side(NamedTuple):
    """A group of models, and whether they are told with the report in place of the image."""

    name: str
    members: tuple[str, ...]
    report: bool | None = None


def draw_contrasts(tasks: Tasks) -> Iterator[Section]:
    """Each named group against all other models, and models with vision against those without."""
    study, models = tasks.lookup.evidence.results.study, tasks.models
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
                yield from _draw_contrast(tasks, f"{title}, {kind}" if kind else title, sides)
    if study.get("groups") and blind and seeing:
        three = (
            Side("with vision, given the report", seeing, True),
            Side("without vision, given the report", blind, True),
            Side("with vision, given the image", seeing, False),
        )
        note = (
            "The first two groups were asked in the same words, so they can be compared. The third had the image and "
            "is shown beside them."
        )
        yield from _draw_contrast(tasks, "With and without vision", three, note)


def _draw_contrast(tasks: Tasks, title: str, sides: Sequence[Side], note: str = "") -> Iterator[Section]:
    """Two or three groups, task by task, and the difference of the first two means."""
    rows = []
    for task in TASKS:
        values = [
            [found.estimate.value for model in side.members if (found := tasks.find(model, task, report=side.report))]
            for side in sides
        ]
        if values[0] and values[1]:
            cells = (*map(_draw_group, values), Cell(subtract_means(values[0], values[1]) or "–"))
            rows.append(Row(Cell(f"{task.number} {task.title}"), cells, "", tasks.benchmark))
    if not rows:
        return
    columns = name_columns("task", *(side.name for side in sides), "first less second")
    caption = (
        "Mean over the models; its 95% CI takes the models, not the questions, as the sample (Student's t, cut at 0 "
        "and 100%; Wilson's if all models score alike). The difference of two means has its interval from theirs "
        "(MOVER). Below each mean, each model."
    )
    few = dict.fromkeys(side.name for side in sides if len(side.members) < ENOUGH)
    told = (
        f"Fewer than {ENOUGH} models: {'; '.join(few)}. A group of one or two models says nothing about such models in "
        "general. Only the models' own numbers are given for it."
    )
    notes = (*([quiet(note)] if note else []), *([Note(told, look="warning")] if few else []))
    yield Section(title, (*notes, Table(columns, tuple(rows), caption)))


def _draw_group(values: Sequence[float]) -> Cell:
    """The mean of a group with its interval if it has enough models, and the models' own numbers."""
    if not values:
        return Cell("–")
    each = ", ".join(figure(value, "share") for value in sorted(values, reverse=True))
    found = average(values)
    return Cell(each) if found is None else Cell(with_interval(found, "share"), n=f"{len(values)} models", note=each)


def average(values: Sequence[float]) -> Estimate | None:
    """The mean over models with an interval that takes the models as the sample; None where they are too few.

    It is Student's, cut at 0 and 1. Where all models score alike it would have no width; Wilson's takes its place.

    >>> print(average([0.5, 0.6, 0.7]), average([0.0, 0.0, 0.0]), average([0.5, 0.6]))
    0.60 [0.35, 0.85] (n=3, student-t) 0.00 [0.00, 0.56] (n=3, wilson) None
    """
    if len(values) < ENOUGH:
        return None
    found = mean(values)
    if found.low == found.high:
        return proportion(values)
    return replace(found, low=max(0.0, found.low), high=min(1.0, found.high))


def subtract_means(first: Sequence[float], second: Sequence[float]) -> str:
    """How much higher the first group's mean is, with its interval; nothing where a group is too small.

    >>> subtract_means([0.5, 0.6, 0.7], [0.2, 0.3, 0.4]), subtract_means([0.5, 0.6], [0.2, 0.3, 0.4])
    ('+30 points (−5 to +65)', '')
    """
    one, two = average(first), average(second)
    return "" if one is None or two is None else with_interval(group_difference(one, two), "points")
