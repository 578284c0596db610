"""The profile: how much each model gets right in each of the eight tasks, from knowledge to treatment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from snellen.conditions import ORIGINAL
from snellen.items import PARTS, whole_of
from snellen.papers.pathway.tests.mismatched_image import NAMED
from snellen.papers.pathway.tests.tasks import REPORT, subset_of
from snellen.prompts import MISMATCH, TASKS, Task
from snellen.report.components import Cell, Fold, Key, Note, Part, Row, Table, name_columns, quiet
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.drawn import add_figure
from snellen.report.figures.layout import axis_of
from snellen.report.figures.marks import Scale, at_point, draw_line, grid_lines, scale, svg
from snellen.report.figures.palette import hue, model_dot, shape
from snellen.report.figures.standalone import About, Datum, datum
from snellen.report.lookup import Found, Lookup, Place, family, show_found
from snellen.report.sections.graders import graded_by
from snellen.report.words.numbers import figure, from_to, spoken
from snellen.stats import Estimate

CHOICES, ANSWERS, CONTRADICTION = "pathway-choices", "pathway-answers", "mismatched-image"
FAMILIES = (CHOICES, ANSWERS, CONTRADICTION)
UNCLEAR = {
    "accuracy_unclear_half": "unclear counts half",
    "accuracy_unclear_wrong": "unclear counts as wrong",
    "accuracy_unclear_left_out": "unclear left out",
}
LINE, AROUND = 13.0, 9.0
"""Pixels of a model's line in a row of the figure, and above and below all lines."""


def list_benchmarks(evidence: Evidence) -> list[str]:
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
        found = (self.lookup.find(families, place, arm, name, subset_of(task.name)) for place in places)
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


def show_number(found: Found | None) -> Cell:
    """A number of a task on one line; its row or column names the task, so that its method does not."""
    cell = show_found(found)
    how = cell.how if found is None else cell.how.replace(f"; items={found.measure.subset}", "")
    return replace(cell, how=how, n=cell.n.replace(" ", "\N{NO-BREAK SPACE}"))


def draw_profile(tasks: Tasks) -> list[Part]:
    """Every model in each task that was asked, as a plot and in numbers; nothing if no task has a number."""
    models = [model for model in tasks.models if any(tasks.find(model, task) for task in TASKS)]
    asked = [task for task in TASKS if any(tasks.find(model, task) for model in models)]
    if not asked:
        return []
    evidence, names = tasks.lookup.evidence, tasks.lookup.short_names
    by_report = [names[model] for model in models if any(tasks.is_report(model, task) for task in asked)]
    parts: list[Part] = []
    if by_report:
        takes, were = ("takes", "it was") if len(by_report) == 1 else ("take", "they were")
        told = (
            f"{', '.join(by_report)} {takes} no images. In tasks IV to VII {were} given the radiology report instead "
            "(hollow marks). These numbers say nothing about sight."
        )
        parts.append(Note(told, "Report in place of the image:", "warning"))
    parts += [_draw_plot(tasks, models, asked), _draw_numbers(tasks, models, asked, by_report)]
    if missing := ", ".join(f"{task.number} {task.title}" for task in TASKS if task not in asked):
        parts.append(quiet(f"Not asked: {missing}."))
    graded = next((said for part in (PARTS["open"], "") if (said := graded_by(evidence, tasks.benchmark + part))), [])
    if graded:
        parts.append(quiet(f"Tasks IV to VII: {' '.join(graded)}"))
    return [*parts, *_draw_unclear(tasks, models, asked)]


def _draw_plot(tasks: Tasks, models: Sequence[str], asked: Sequence[Task]) -> Table:
    evidence, names = tasks.lookup.evidence, tasks.lookup.short_names
    rows, data, guessing = [], [], []
    for task in asked:
        group, chance = f"task={task.name}", tasks.chance(task)
        found = [(model, each) for model in models if (each := tasks.find(model, task)) is not None]
        marks = [TaskMark(evidence.place(model), each.estimate, not tasks.is_report(model, task), names[model])
                 for model, each in found]  # fmt: skip
        words = "" if chance is None else f"guessing {figure(chance, 'share')}"
        counts = Cell(n=f"n {from_to([each.estimate.n for _, each in found])}", note=words)
        drawing = draw_marks(marks, scale([], "share", reference=chance))
        rows.append(Row(Cell(f"{task.number} {task.title}"), (Cell(drawing=drawing), counts)))
        data += [datum(each.finding, each.measure)._replace(group=group) for _, each in found]
        guessing += [] if chance is None else [Datum("guessing", chance, benchmark=tasks.benchmark, group=group)]
    about = About(
        ("pathway", "profile", tasks.benchmark if len(list_benchmarks(evidence)) > 1 else ""),
        f"Right answers in each task of the clinical pathway; {tasks.benchmark}",
        _describe_marks(tasks, models, asked),
    )
    caption = (
        "Right answers (%) in each task; in VIII, contradictions named. Lines are 95% intervals; the dashed line is "
        "blind guessing, if there are options."
    )
    key = tuple(Key("", names[model], model_dot(evidence.place(model))) for model in models)
    table = Table(name_columns("task", "drawn", "n"), tuple(rows), caption, "drawn", key=key)
    axis = axis_of(scale([], "share"), "Right answers (%); in VIII, contradictions named")
    return add_figure(evidence, table, about, [*data, *guessing], axis, row_height=height_of(len(models)))


def _describe_marks(tasks: Tasks, models: Sequence[str], asked: Sequence[Task]) -> str:
    """What the marks of the figure mean, and its lines."""
    hollow = any(tasks.is_report(model, task) for model in models for task in asked)
    there = {
        "; the dashed line is blind guessing": any(tasks.chance(task) is not None for task in asked),
        "; hollow marks had the radiology report in place of the image": hollow,
        "; in VIII the share of contradictions named": any(task.name == MISMATCH for task in asked),
    }
    return "Marks are estimates, lines are 95% CIs" + "".join(words for words, so in there.items() if so)


def _draw_numbers(tasks: Tasks, models: Sequence[str], asked: Sequence[Task], by_report: Sequence[str]) -> Table:
    names, rows = tasks.lookup.short_names, []
    for model in models:
        words = "report in place of the image in IV to VII" if names[model] in by_report else ""
        cells = tuple(show_number(tasks.find(model, task)) for task in asked)
        rows.append(Row(Cell(names[model], note=words), cells, model, tasks.benchmark))
    titles = (f"{each.number} {'Contradiction named' if each.name == MISMATCH else each.title}" for each in asked)
    return Table(name_columns("model", *titles), tuple(rows), "All numbers by model and task")


def _draw_unclear(tasks: Tasks, models: Sequence[str], asked: Sequence[Task]) -> Iterator[Fold]:
    """The accuracy of open answers by each way to count those that are unclear."""
    rows = []
    for task, model in product((each for each in asked if each.kind == "open" and each.name != MISMATCH), models):
        found = [tasks.find(model, task, name) for name in UNCLEAR]
        if any(found):
            name, heading = Cell(tasks.lookup.short_names[model]), f"{task.number} {task.title}"
            rows.append(Row(name, tuple(map(show_number, found)), model, tasks.benchmark, heading))
    if rows:
        told = (
            "A judge may call an answer unclear, and words alone may not tell. The paper does not say how it counts "
            "them. An accuracy that depends on it would differ between these columns."
        )
        table = Table(name_columns("model", *UNCLEAR.values()), tuple(rows))
        yield Fold("Three ways to count an unclear answer", (quiet(told), table))


class TaskMark(NamedTuple):
    """One model in a row of the figure; hollow where it did not see the image."""

    place: int | None
    estimate: Estimate
    seen: bool
    model: str


def height_of(models: int) -> float:
    """Pixels of a row with so many models."""
    return LINE * models + 2 * AROUND


def draw_marks(marks: Sequence[TaskMark], ruler: Scale) -> Markup:
    """The models of one task one below the other, each with its interval, in its hue and shape."""
    parts = [grid_lines(ruler, "100%")]
    for number, each in enumerate(marks):
        down = f"{AROUND + LINE * (number + 0.5):.1f}"
        drawn = draw_line("whisker", ruler.at(each.estimate.low), ruler.at(each.estimate.high), down)
        point = at_point(
            ruler.at(each.estimate.value), down, shape(each.place), f"shape {'seen' if each.seen else 'blind'}"
        )
        parts.append(Markup('<g class="series{}">{}{}</g>').format(hue(each.place), drawn, point))
    words = "; ".join(f"{each.model} {spoken(each.estimate, 'share')}" for each in marks)
    drawn = svg("task-marks", words, parts)
    return Markup(str(drawn).replace("<svg", f'<svg height="{height_of(len(marks)):.0f}"', 1))  # noqa: S704 - drawn by us
