"""What the paper prints, with the number of a study beside it where it examined the same model."""

from __future__ import annotations

import re
from typing import NamedTuple

from snellen.prompts import TASKS
from snellen.protocols.paper import percent
from snellen.protocols.pathway.published import Printed, accuracies
from snellen.protocols.pathway.report.profile import Tasks
from snellen.report.lookup import Found

BY_NUMBER = {task.number: task for task in TASKS}


class PrintedLine(NamedTuple):
    """A printed accuracy, what it stands for with its interval, and the same model's number here, if there is one."""

    model: str
    task: str
    printed: str
    stands_for: str
    interval: str
    ours: Found | None


def printed_lines(tasks: Tasks) -> list[PrintedLine]:
    """Every accuracy that the paper prints for a model."""
    return [
        PrintedLine(
            f"{each.model}, with the report" if each.report else each.model,
            f"{each.task} {BY_NUMBER[each.task].title}",
            f"{each.value:.1f}%",
            f"{each.counts[0]} of {each.n}" if each.interval else f"no count of {each.n}",
            percent(each.interval.value, each.interval.low, each.interval.high) if each.interval else "–",
            _same(tasks, each),
        )
        for each in accuracies()
    ]


def _same(tasks: Tasks, each: Printed) -> Found | None:
    model = next((name for name in tasks.models if is_called(name, each.model)), None)
    return None if model is None else tasks.find(model, BY_NUMBER[each.task], report=each.report or None)


def is_called(ours: str, printed: str) -> bool:
    """Whether a model of a study is the one that the paper names, by its name without provider, date and signs.

    >>> is_called("openai/gpt-4o-2024-08-06", "GPT-4o"), is_called("openai/gpt-4o-mini", "GPT-4o")
    (True, False)
    """
    plain = re.sub(r"[-_]?\d{4}-?\d{2}-?\d{2}$", "", ours.rpartition("/")[2])
    return re.sub(r"[^a-z0-9]", "", plain.lower()) == re.sub(r"[^a-z0-9]", "", printed.lower())
