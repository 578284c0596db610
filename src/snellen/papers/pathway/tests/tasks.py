"""Tasks of the clinical pathway, from knowledge to treatment.

Questions with options and open ones have separate tests, since they are read in different ways. The chapter shows them
together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from snellen.conditions import ORIGINAL, ReportForImage
from snellen.conditions.mismatch import is_contradictory
from snellen.prompts import MISMATCH, TASKS, PathwayStep
from snellen.runtime import counted
from snellen.stress.base import Analysis, Expectation, Measure, Status, StressTest, Verdict
from snellen.stress.conclusions import Measures, percent, rate_of
from snellen.stress.design import Design, Presentation
from snellen.stress.measures import accuracies, differences, of_arm
from snellen.stress.open_answers import of_answers
from snellen.stress.table import Table

CHAPTER = "snellen.papers.pathway.report.chapter:CHAPTER"
REPORT = ReportForImage()
IN_PLACE = "with the radiology report in place of the image"
SILENT = ("abstention_rate", "refusal_rate", "truncated_rate")
PROFILE = ("accuracy", "accuracy_answered", "difference", "baseline_accuracy", *SILENT)
"""Measures that are kept for each task."""


def subset_of(task: str) -> str:
    """Name the items of a task as in results.csv."""
    return f"task={task}"


def by_task(table: Table) -> Iterator[tuple[PathwayStep, Table]]:
    """Split the table by task, in the order of the pathway, without task VIII."""
    named = np.array([str(item.metadata.get("task", "")) for item in table.items])
    for task in TASKS:
        if task.name != MISMATCH and (kept := named == task.name).any():
            yield task, table.select_items(kept)


def measure_choices(test: StressTest, table: Table) -> Sequence[Measure]:
    """Measure accuracies over all questions and per task."""
    return [*accuracies(test, table), *_of_tasks(test, table)]


def measure_answers(test: StressTest, table: Table) -> Sequence[Measure]:
    """Measure open answers over all questions and per task, without contradictory ones."""
    table = table.select_items(np.array([not is_contradictory(item) for item in table.items], dtype=bool))
    unclear = [each for arm in test.all_arms for each in of_answers(arm.name, table)]
    return [*accuracies(test, table), *unclear, *_of_tasks(test, table)]


def _of_tasks(test: StressTest, table: Table) -> Iterator[Measure]:
    for task, part in by_task(table):
        subset = subset_of(task.name)
        found: list[Measure] = []
        for arm in test.all_arms:
            found += of_arm(arm.name, part)
            if task.kind == "open":
                found += of_answers(arm.name, part)
        for arm in test.compared:
            found += differences(test.baseline.name, arm.name, part)
        kept = (each for each in found if each.name in PROFILE or each.name.startswith("accuracy_unclear"))
        yield from (each.with_subset(subset) for each in kept)


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Report the accuracies without pass or fail."""
    asked, reported = measures.get((ORIGINAL.name, "accuracy")), measures.get((REPORT.label, "accuracy"))
    overall = asked or reported
    if overall is None:
        return Verdict(Status.REPORTED, meaning="nothing was answered", reason="nothing-asked")
    of = f"of {counted(overall.estimate.n, 'question')} right"
    if asked is None:
        return Verdict(Status.REPORTED, f"{rate_of(overall.estimate)} {of}, {IN_PLACE}", rests_on=overall)
    said = f"{rate_of(overall.estimate)} {of}"
    change = measures.get((REPORT.label, "difference"))
    if change is not None:
        before = measures[REPORT.label, "baseline_accuracy"].estimate.value
        after = percent(min(1.0, max(0.0, change.estimate.value + before)))
        said = f"{said}; {after} {IN_PLACE}"
        if change.estimate.n < overall.estimate.n:
            said = (
                f"{said}, on {counted(change.estimate.n, 'question')} with a report ({percent(before)} with the image)"
            )
    return Verdict(Status.REPORTED, said, rests_on=overall)


CHOICES = StressTest(
    Design(
        "pathway-choices",
        "Which of the steps that an exam asks for does it master: knowledge, a clinical note, an image alone?",
    ),
    Analysis(Expectation.UNKNOWN, measure=measure_choices, conclude=conclude),
    Presentation("knowledge, notes, images", chapter=CHAPTER),
)
ANSWERS = StressTest(
    Design(
        "pathway-answers",
        "Does it find diagnosis and treatment in its own words, and would a radiologist's report have helped it?",
        arms=(REPORT,),
        item_kind="open",
        every_item=True,
    ),
    Analysis(Expectation.UNKNOWN, measure=measure_answers, conclude=conclude),
    Presentation("diagnosis and treatment", chapter=CHAPTER),
)
