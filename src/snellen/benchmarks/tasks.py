"""Tasks of the clinical pathway in a user's files: what a row calls its task, and the prompts that word the tasks."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from snellen.errors import DataError
from snellen.prompts import TASKS, Task, places_in

PROMPTS_FILE = "prompts.toml"
_KINDS = ("choice", "open", "report")
_OFFERING = ("options", "choices_or", "choices_and")


def _plain(name: str) -> str:
    return " ".join(name.replace("_", " ").replace("-", " ").casefold().split())


_TASKS: Mapping[str, Task] = {
    _plain(name): task for task in TASKS for name in (task.name, task.number, f"task {task.number}", task.title)
}


def task_named(name: str) -> Task | None:
    """The task of the pathway by its name, or by its number or title in the paper, in any case; None for another.

    >>> task_named("iv").name, task_named("Treatment reasoning").name, task_named("perception")
    ('diagnosis', 'treatment-reasoning', None)
    """
    found = _TASKS.get(_plain(name))
    if found is None and (near := get_close_matches(_plain(name), [task.name for task in TASKS], n=1, cutoff=0.85)):
        raise DataError(
            f"its task is {name!r}. Did you mean {near[0]!r}? Correct it, or rename a column that means another thing"
        )
    return found


def prompts_in(folder: Path) -> dict[str, dict[str, str]]:
    """How a folder's `prompts.toml` words the tasks, by the task's name or the kind of question; {} without one."""
    file = folder / PROMPTS_FILE
    try:
        if not file.is_file():
            return {}
        tables = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{file} cannot be read: {error}.") from error
    prompts: dict[str, dict[str, str]] = {}
    for name, table in tables.items():
        task, kind = _worded(name, file)
        if task in prompts:
            raise DataError(f"{file}: [{name}] words the task {task!r} a second time. Keep one.")
        prompts[task] = _prompt(table, f"{file}: [{name}]", kind)
    return prompts


def _worded(name: str, file: Path) -> tuple[str, str]:
    """The task, or the kind of question, that a table words, and whether its questions are choices."""
    if name in _KINDS:
        return name, name
    task = _TASKS.get(_plain(name))
    if task is None:
        known = ", ".join((*(task.name for task in TASKS), *_KINDS))
        raise DataError(f"{file} words the task {name!r}, expected one of {known}.")
    return task.name, task.kind


def _prompt(table: Any, where: str, kind: str) -> dict[str, str]:
    if not isinstance(table, dict) or not {"user"} <= set(table) <= {"user", "system"}:
        found = ", ".join(map(repr, table)) if isinstance(table, dict) else repr(table)
        raise DataError(f"{where} holds {found or 'nothing'}, expected 'user' and perhaps 'system'.")
    if wrong := next((key for key, value in table.items() if not isinstance(value, str)), None):
        raise DataError(f"{where} has {wrong} = {table[wrong]!r}, expected a text.")
    places = _places(table["user"], where)
    allowed = {"question", *(_OFFERING if kind == "choice" else ()), *(("indication",) if kind == "report" else ())}
    if unknown := sorted(places - allowed):
        raise DataError(
            f"{where} has the place {{{unknown[0]}}}, expected {_listed(allowed)}. Write other braces twice."
        )
    needed = "indication" if kind == "report" else "question"
    if needed not in places:
        raise DataError(f"{where} has no place for the {{{needed}}} in 'user'.")
    if kind == "choice" and not places & set(_OFFERING):
        raise DataError(f"{where} asks for a choice and has no place for the {{options}} in 'user'.")
    return {"user": table["user"], "system": table.get("system", "")}


def _places(user: str, where: str) -> set[str]:
    """The names in braces; what would format them otherwise counts as part of the name."""
    try:
        return set(places_in(user))
    except ValueError as error:
        raise DataError(f"{where} has a brace on its own in 'user' ({error}). Write it twice: {{{{ or }}}}.") from error


def _listed(names: set[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names, key=lambda name: (name != "question", name)))
