"""Selection of Inspect logs: only the latest complete attempt of each task is imported.

`inspect eval-set` and `inspect eval-retry` write a new log for each attempt and keep the task's id. The new log repeats
earlier responses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from snellen.errors import DataError, StudyError
from snellen.imports.document import as_object
from snellen.imports.fields import Note
from snellen.imports.inspect_file import open_log
from snellen.imports.inspect_sample import KEY

COMPANIONS = ("eval-set.json", "logs.json", "listing.json")
"""Files that Inspect writes next to its logs."""
SUCCESS = "success"


class Attempt(NamedTuple):
    """One attempt at a task: log, start, status, samples, and Snellen's metadata."""

    path: Path
    task_id: str
    created: str
    status: str
    samples: int
    told: Mapping[str, Any]

    @property
    def task(self) -> str:
        """Identifier that all attempts at a task share."""
        return self.task_id or str(self.path)

    @property
    def rank(self) -> tuple[bool, int, str, str]:
        """Sort key: the attempt to use comes last: a successful one, or that with most samples."""
        ended_well = self.status == SUCCESS
        return ended_well, 0 if ended_well else self.samples, self.created, self.path.name


def counting(paths: Iterable[Path], note: Note) -> list[Path]:
    """Select the logs to import, and note those that are not used."""
    attempts = [_attempt(path) for path in dict.fromkeys(paths)]
    latest: dict[str, Attempt] = {}
    for attempt in sorted(attempts, key=lambda each: each.rank):
        latest[attempt.task] = attempt
    for attempt in attempts:
        if attempt is not (chosen := latest[attempt.task]):
            how = f"{attempt.path.name} ({attempt.status or 'of unknown status'})"
            note(f"{how} is left out: {chosen.path.name} has the same task and is used instead.")
    kept = [attempt for attempt in attempts if attempt is latest[attempt.task]]
    _check_asked_alike(kept)
    return [attempt.path for attempt in kept if not _is_left_out(attempt, note, alone=len(kept) == 1)]


def _is_left_out(attempt: Attempt, note: Note, *, alone: bool) -> bool:
    """Return True if a log without samples should be skipped; note unfinished logs."""
    if attempt.status in (SUCCESS, ""):
        return False
    empty = not alone and not attempt.samples
    brought = "It has no samples and is left out" if empty else "Its samples are imported"
    note(f"{attempt.path.name} did not finish: its status is {attempt.status!r}. {brought}.")
    return empty


def _check_asked_alike(attempts: Sequence[Attempt]) -> None:
    """Raise StudyError if logs ask one benchmark with different prompts or seeds."""
    ways: dict[tuple[str, str], dict[object, str]] = {}
    for attempt in attempts:
        for setting in ("prompt", "seed") if attempt.told else ():
            asked = ways.setdefault((str(attempt.told.get("benchmark")), setting), {})
            asked.setdefault(str(attempt.told.get(setting)), attempt.path.name)
    for (benchmark, setting), values in ways.items():
        if len(values) > 1:
            listed = ", ".join(f"{value} in {name}" for value, name in values.items())
            raise StudyError(
                f"The logs ask {benchmark!r} with more than one {setting}: {listed}. A study has one for each "
                "condition. Import the logs one by one, each with its own name (--name)."
            )


def _attempt(path: Path) -> Attempt:
    """Read the header of a log; an unreadable log raises an error later."""
    with suppress(OSError, DataError), open_log(path) as log:
        spec = as_object(log.header.get("eval"))
        told = as_object(as_object(spec.get("metadata")).get(KEY))
        status = str(log.header.get("status") or "started")
        task_id, created = (str(spec.get(name) or "") for name in ("task_id", "created"))
        return Attempt(path, task_id, created, status, log.samples, told)
    return Attempt(path, "", "", "", 0, {})
