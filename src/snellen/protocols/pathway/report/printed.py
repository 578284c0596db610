"""What the paper prints, with the number of a study beside it where it examined the same model."""

from __future__ import annotations

import re

from snellen.prompts import TASKS
from snellen.protocols.pathway.published import Printed, accuracies
from snellen.protocols.pathway.report.profile import Tasks
from snellen.report.components import Cell, Column, Fold, Note, Row, Section, Table, rich
from snellen.report.lookup import Found, show_found

BY_NUMBER = {task.number: task for task in TASKS}


def draw_printed(tasks: Tasks) -> Section:
    """Every accuracy that the paper prints, with what it stands for and the same model's number here."""
    printed = [(each, _find_same(tasks, each)) for each in accuracies()]
    ours = any(found for _, found in printed)
    rows = []
    for each, found in printed:
        ends = f" ({100 * each.interval.low:.1f} to {100 * each.interval.high:.1f})" if each.interval else ""
        stands_for = f"{each.counts[0]} of {each.n}" if each.interval else f"no count of {each.n}"
        words = (f"{each.task} {BY_NUMBER[each.task].title}", f"{each.value:.1f}%{ends}", stands_for)
        cells = (*map(Cell, words), *([show_found(found)] if ours else []))
        rows.append(Row(Cell(f"{each.model}, with the report" if each.report else each.model), cells))
    columns = ("model", "task", "printed", "stands for", *(["the same model here"] if ours else []))
    told = rich(
        "Of the paper's own 1,245 questions and 203 cases: they do not compare with numbers on other questions. "
        "“Stands for” is the only count that prints so. The interval is Wilson's, from that count: the text prints "
        "none. Tasks IV to VII are means of three opinions of a judge. All of it: `snellen published pathway`."
    )
    table = Table(tuple(map(Column, columns)), tuple(rows))
    fold = Fold(f"{len(rows)} accuracies, with the counts they can stand for", (Note(told, look="quiet"), table))
    return Section("What the paper prints", (fold,), "pathway-printed")


def _find_same(tasks: Tasks, each: Printed) -> Found | None:
    model = next((name for name in tasks.models if is_called(name, each.model)), None)
    return None if model is None else tasks.find(model, BY_NUMBER[each.task], report=each.report or None)


def is_called(ours: str, printed: str) -> bool:
    """Whether a model of a study is the one that the paper names, by its name without provider, date and signs.

    >>> is_called("openai/gpt-4o-2024-08-06", "GPT-4o"), is_called("openai/gpt-4o-mini", "GPT-4o")
    (True, False)
    """
    plain = re.sub(r"[-_]?\d{4}-?\d{2}-?\d{2}$", "", ours.rpartition("/")[2])
    return re.sub(r"[^a-z0-9]", "", plain.lower()) == re.sub(r"[^a-z0-9]", "", printed.lower())
