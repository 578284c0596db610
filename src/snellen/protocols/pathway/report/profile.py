"""The profile: how much each model gets right in each of the eight tasks, from knowledge to treatment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from snellen.conditions import ORIGINAL
from snellen.items import PARTS, whole_of
from snellen.prompts import MISMATCH, TASKS, Task
from snellen.protocols.pathway.tests.mismatched_image import NAMED
from snellen.protocols.pathway.tests.tasks import REPORT, subset_of
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.layout import FigureRow, Key, axis_of
from snellen.report.figures.marks import Scale, at_point, grid_lines, scale, svg, titled_axis
from snellen.report.figures.palette import hue, model_dot, shape
from snellen.report.figures.standalone import About, Datum, Figure, datum
from snellen.report.lookup import Found, Lookup, Place, family
from snellen.report.sections.graders import graded_by
from snellen.report.words.numbers import figure, from_to, interval
from snellen.stats import Estimate

CHOICES, ANSWERS, CONTRADICTION = "pathway-choices", "pathway-answers", "mismatched-image"
FAMILIES = (CHOICES, ANSWERS, CONTRADICTION)
UNCLEAR = {
    "accuracy_unclear_half": "unclear counts half",
    "accuracy_unclear_wrong": "unclear counts as wrong",
    "accuracy_unclear_left_out": "unclear left out",
}
LINE, LEAST = 13.0, 26.0
"""Pixels of a model's line in a row of the figure, and of a row at least."""


def benchmarks(evidence: Evidence) -> list[str]:
    """The benchmarks whose tasks were asked, each once."""
    return list(dict.fromkeys(whole_of(each.benchmark) for each in evidence.results.findings
                              if family(each) in FAMILIES))  # fmt: skip


def text_only(evidence: Evidence) -> frozenset[str]:
    """The models that take no images: they were given the radiology report in its place."""
    return frozenset(evidence.results.study.get("text_only", ()))


class Tasks:
    """The number of every task for one benchmark, model by model."""

    def __init__(self, lookup: Lookup, benchmark: str) -> None:
        self.lookup, self.benchmark = lookup, benchmark
        self.by_report = text_only(lookup.evidence)
        self.models = lookup.models

    def find(self, model: str, task: Task, name: str = "accuracy", *, report: bool | None = None) -> Found | None:
        """A number of a task; `report` takes it with the radiology report in place of the image.

        By default that is so for models that take no images alone.
        """
        if task.name == MISMATCH:
            return self._named(model) if name == "accuracy" and not report else None
        by_report = model in self.by_report if report is None else report
        arm = REPORT.label if by_report and task.kind == "open" and task.image else ORIGINAL.name
        families = (CHOICES,) if task.kind == "choice" else (ANSWERS,)
        places = (Place(model, self.benchmark + part) for part in (PARTS["open"], ""))
        found = (self.lookup.within(families, place, arm, name, subset_of(task.name)) for place in places)
        return next((each for each in found if each is not None), None)

    def _named(self, model: str) -> Found | None:
        for finding in self.lookup.of_family(CONTRADICTION):
            if finding.model == model and whole_of(finding.benchmark) == self.benchmark:
                for arm in finding.test.compared:
                    if (measure := finding.measure(arm.name, NAMED)) is not None:
                        return self.lookup.printed(finding, measure)
        return None

    def chance(self, task: Task) -> float | None:
        """What blind guessing scores in a task with options, from its questions."""
        if task.kind != "choice":
            return None
        table = next((table for (_, name), table in self.lookup.evidence.results.tables.items()
                      if name == self.benchmark), None)  # fmt: skip
        if table is None:
            return None
        here = np.array([item.metadata.get("task") == task.name for item in table.items], dtype=bool)
        return float(table.chance[here].mean()) if here.any() else None

    def is_report(self, model: str, task: Task) -> bool:
        """Whether the number of a task was had from the report in place of the image."""
        return model in self.by_report and task.kind == "open" and task.image and task.name != MISMATCH


@dataclass(frozen=True)
class TaskRow:
    """One task over the models: the marks, and the numbers in the order of the models."""

    task: Task
    picture: Markup
    n: str
    chance: str
    cells: tuple[Found | None, ...]


class UnclearLine(NamedTuple):
    """One model in one task: its accuracy by each way to count unclear answers, and n."""

    model: str
    task: Task
    cells: tuple[Found | None, ...]
    n: str


@dataclass(frozen=True)
class Profile:
    """All models on one benchmark over the tasks that were asked."""

    benchmark: str
    models: tuple[str, ...]
    by_report: tuple[str, ...]
    """Those of them that take no images."""
    rows: tuple[TaskRow, ...]
    missing: tuple[Task, ...]
    axis: Markup
    figure: Figure
    graded: tuple[str, ...]
    ways: tuple[str, ...]
    unclear: tuple[UnclearLine, ...]


def profile(tasks: Tasks) -> Profile | None:
    """The profile of a benchmark; None where no task has a number."""
    evidence = tasks.lookup.evidence
    models = tuple(model for model in tasks.models if any(tasks.find(model, task) for task in TASKS))
    rows = [row for task in TASKS if (row := _row(tasks, models, task)) is not None]
    if not rows:
        return None
    asked = {row.task for row in rows}
    graded = next((said for part in (PARTS["open"], "") if (said := graded_by(evidence, tasks.benchmark + part))), [])
    return Profile(
        tasks.benchmark,
        models,
        tuple(model for model in models if any(tasks.is_report(model, row.task) for row in rows)),
        tuple(rows),
        tuple(task for task in TASKS if task not in asked),
        titled_axis(scale([], "share"), "Right answers (%); in VIII, contradictions named"),
        _figure(tasks, models, rows),
        tuple(graded),
        tuple(UNCLEAR.values()),
        tuple(_unclear(tasks, models, rows)),
    )


def _row(tasks: Tasks, models: Sequence[str], task: Task) -> TaskRow | None:
    cells = [tasks.find(model, task) for model in models]
    there = [(model, each) for model, each in zip(models, cells, strict=True) if each is not None]
    if not there:
        return None
    chance = tasks.chance(task)
    marks = [
        Mark(tasks.lookup.evidence.place(model), each.estimate, not tasks.is_report(model, task), model)
        for model, each in there
    ]
    return TaskRow(
        task,
        task_marks(marks, scale([], "share", reference=chance)),
        from_to([each.estimate.n for _, each in there]),
        "" if chance is None else figure(chance, "share"),
        tuple(cells),
    )


class Mark(NamedTuple):
    """One model in a row of the figure; hollow where it did not see the image."""

    place: int | None
    estimate: Estimate
    seen: bool
    model: str


def height_of(models: int) -> float:
    """Pixels of a row with so many models."""
    return max(LEAST, LINE * models + 6)


def task_marks(marks: Sequence[Mark], ruler: Scale) -> Markup:
    """The models of one task one below the other, each with its interval, in its hue and shape."""
    parts = [grid_lines(ruler, "100%")]
    line = Markup('<line class="whisker" x1="{}" x2="{}" y1="{}" y2="{}"/>')
    for number, each in enumerate(marks):
        down = f"{100 * (number + 0.5) / len(marks):.2f}%"
        drawn = line.format(ruler.at(each.estimate.low), ruler.at(each.estimate.high), down, down)
        point = at_point(
            ruler.at(each.estimate.value), down, shape(each.place), f"shape {'seen' if each.seen else 'blind'}"
        )
        parts.append(Markup('<g class="series{}">{}{}</g>').format(hue(each.place), drawn, point))
    words = "; ".join(
        f"{each.model} {figure(each.estimate.value, 'share')}, 95% CI {interval(each.estimate, 'share')}"
        for each in marks
    )
    drawn = svg("task-marks", words, parts)
    return Markup(str(drawn).replace("<svg", f'<svg height="{height_of(len(marks)):.0f}"', 1))  # noqa: S704 - drawn by us


def _figure(tasks: Tasks, models: Sequence[str], rows: Sequence[TaskRow]) -> Figure:
    """The profile as a figure of its own."""
    evidence = tasks.lookup.evidence
    drawn = [FigureRow(f"{row.task.number} {row.task.title}", row.picture, (), f"n {row.n}") for row in rows]
    data = [
        datum(each.finding, each.measure)._replace(group=f"task={row.task.name}")
        for row in rows
        for each in row.cells
        if each is not None
    ]
    guessing = [(row, chance) for row in rows if (chance := tasks.chance(row.task)) is not None]
    data += [
        Datum("guessing", chance, benchmark=tasks.benchmark, group=f"task={row.task.name}") for row, chance in guessing
    ]
    hollow = any(tasks.is_report(model, row.task) for model in models for row in rows)
    about = About(
        ("pathway", "profile", tasks.benchmark if len(benchmarks(evidence)) > 1 else ""),
        f"Right answers in each task of the clinical pathway; {tasks.benchmark}",
        "Marks are estimates, lines are 95% CIs"
        + ("; the dashed line is blind guessing" if guessing else "")
        + ("; hollow marks had the radiology report in place of the image" if hollow else "")
        + ("; in VIII the share of contradictions named" if any(row.task.name == MISMATCH for row in rows) else ""),
    )
    legend = [Key(model_dot(evidence.place(model)), model) for model in models]
    axis = axis_of(scale([], "share"), "Right answers (%)")
    return evidence.figures.rows(about, drawn, data, axis, legend=legend, row_height=height_of(len(models)))


def _unclear(tasks: Tasks, models: Sequence[str], rows: Sequence[TaskRow]) -> Iterator[UnclearLine]:
    for row in rows:
        if row.task.kind == "open" and row.task.name != MISMATCH:
            for model in models:
                cells = tuple(tasks.find(model, row.task, name) for name in UNCLEAR)
                if any(cells):
                    yield UnclearLine(model, row.task, cells, from_to([each.estimate.n for each in cells if each]))
