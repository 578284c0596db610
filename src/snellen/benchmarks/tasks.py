"""Tasks of the clinical pathway in a user's files, and the user's prompts for them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from snellen.errors import DataError
from snellen.prompts import TASKS, PathwayStep, places_in

PROMPTS_FILE = "prompts.toml"
_KINDS = ("choice", "open", "report")
_OFFERING = ("options", "choices_or", "choices_and")


def _plain(name: str) -> str:
    return " ".join(name.replace("_", " ").replace("-", " ").casefold().split())


_TASKS: Mapping[str, PathwayStep] = {
    _plain(name): task for task in TASKS for name in (task.name, task.number, f"task {task.number}", task.title)
}


def task_named(name: str) -> PathwayStep | None:
    """Return the pathway task with this name, number or title; else None.

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
    """Return the task prompts in a folder's `prompts.toml`; {} without the file."""
    file = folder / PROMPTS_FILE
    try:
        if not file.is_file():
            return {}
        tables = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{file} cannot be read: {error}.") from error
    prompts: dict[str, dict[str, str]] = {}
    for name, table in tables.items():
        task, kind = _read_task(name, file)
        if task in prompts:
            raise DataError(f"{file}: [{name}] is a second prompt for the task {task!r}. Keep one.")
        prompts[task] = _prompt(table, f"{file}: [{name}]", kind)
    return prompts


def _read_task(name: str, file: Path) -> tuple[str, str]:
    """Return a prompt's task and its kind of question; the kind twice without a task."""
    if name in _KINDS:
        return name, name
    task = _TASKS.get(_plain(name))
    if task is None:
        known = ", ".join((*(task.name for task in TASKS), *_KINDS))
        raise DataError(f"{file} has a prompt for {name!r}, expected one of {known}.")
    return task.name, task.kind


def _prompt(table: Any, where: str, kind: str) -> dict[str, str]:
    if not isinstance(table, dict) or not {"user"} <= set(table) <= {"user", "system"}:
        found = ", ".join(map(repr, table)) if isinstance(table, dict) else repr(table)
        raise DataError(f"{where} holds {found or 'nothing'}, expected 'user' and optionally 'system'.")
    if wrong := next((key for key, value in table.items() if not isinstance(value, str)), None):
        raise DataError(f"{where} has {wrong} = {table[wrong]!r}, expected a text.")
    places = _places(table["user"], where)
    allowed = {"question", *(_OFFERING if kind == "choice" else ()), *(("indication",) if kind == "report" else ())}
    if unknown := sorted(places - allowed):
        listed = ", ".join(f"{{{name}}}" for name in sorted(allowed, key=lambda name: (name != "question", name)))
        raise DataError(f"{where} has the placeholder {{{unknown[0]}}}, expected {listed}. Double other braces.")
    needed = "indication" if kind == "report" else "question"
    if needed not in places:
        raise DataError(f"{where} lacks the placeholder {{{needed}}} in 'user'.")
    if kind == "choice" and not places & set(_OFFERING):
        raise DataError(f"{where} asks for a choice but lacks the placeholder {{options}} in 'user'.")
    return {"user": table["user"], "system": table.get("system", "")}


def _places(user: str, where: str) -> set[str]:
    """Return the names in braces, including their formatting, such as `!r`."""
    try:
        return set(places_in(user))
    except ValueError as error:
        raise DataError(f"{where} has a single brace in 'user' ({error}). Double it: {{{{ or }}}}.") from error
