"""Which of many Inspect logs count: of a task that was asked again, the latest that ended well.

`inspect eval-set` and `inspect eval-retry` write a new log for each attempt and keep the task's id; what was answered
before stands in the new log too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from snellen.errors import DataError, StudyError
from snellen.imports.document import as_object
from snellen.imports.fields import Note
from snellen.imports.inspect_file import opened
from snellen.imports.inspect_sample import KEY

COMPANIONS = ("eval-set.json", "logs.json", "listing.json")
"""Files that Inspect writes beside its logs."""
SUCCESS = "success"


class Attempt(NamedTuple):
    """A log, as one attempt at a task: when it began, how it ended, its samples, what a task of ours says of itself."""

    path: Path
    task_id: str
    created: str
    status: str
    samples: int
    told: Mapping[str, Any]

    @property
    def task(self) -> str:
        """What the attempts at one task share."""
        return self.task_id or str(self.path)

    @property
    def rank(self) -> tuple[bool, int, str, str]:
        """The higher, the rather it counts: of those that did not end well, the one that came furthest."""
        ended_well = self.status == SUCCESS
        return ended_well, 0 if ended_well else self.samples, self.created, self.path.name


def counting(paths: Iterable[Path], note: Note) -> list[Path]:
    """The logs that count, in the order given; who hears the notes learns which do not, and which did not end well."""
    attempts = [_attempt(path) for path in dict.fromkeys(paths)]
    latest: dict[str, Attempt] = {}
    for attempt in sorted(attempts, key=lambda each: each.rank):
        latest[attempt.task] = attempt
    for attempt in attempts:
        if attempt is not (chosen := latest[attempt.task]):
            how = f"{attempt.path.name} ({attempt.status or 'of unknown status'})"
            note(f"{how} is left out: {chosen.path.name} is of the same task and counts in its place.")
    kept = [attempt for attempt in attempts if attempt is latest[attempt.task]]
    _check_asked_alike(kept)
    return [attempt.path for attempt in kept if not _is_left_out(attempt, note, alone=len(kept) == 1)]


def _is_left_out(attempt: Attempt, note: Note, *, alone: bool) -> bool:
    """Whether a log is left out because it never came to a sample; one that did not end well is said."""
    if attempt.status in (SUCCESS, ""):
        return False
    empty = not alone and not attempt.samples
    brought = "It holds no samples and is left out" if empty else "What it holds is imported"
    note(f"{attempt.path.name} did not end well: its status is {attempt.status!r}. {brought}.")
    return empty


def _check_asked_alike(attempts: Sequence[Attempt]) -> None:
    """Raise where logs of Snellen's own tasks ask one benchmark in other words or by another seed: two studies."""
    ways: dict[tuple[str, str], dict[object, str]] = {}
    for attempt in attempts:
        for setting in ("prompt", "seed") if attempt.told else ():
            asked = ways.setdefault((str(attempt.told.get("benchmark")), setting), {})
            asked.setdefault(str(attempt.told.get(setting)), attempt.path.name)
    for (benchmark, setting), values in ways.items():
        if len(values) > 1:
            listed = ", ".join(f"{value} in {name}" for value, name in values.items())
            raise StudyError(
                f"The logs ask {benchmark!r} with more than one {setting}: {listed}. A study asks a question in one "
                "way under each condition. Import them one after the other, each by a name of its own (--name)."
            )


def _attempt(path: Path) -> Attempt:
    """What the head of a log says of it; one that cannot be read is refused later, when all of it is."""
    with suppress(OSError, DataError), opened(path) as log:
        spec = as_object(log.header.get("eval"))
        told = as_object(as_object(spec.get("metadata")).get(KEY))
        status = str(log.header.get("status") or "started")
        task_id, created = (str(spec.get(name) or "") for name in ("task_id", "created"))
        return Attempt(path, task_id, created, status, log.samples, told)
    return Attempt(path, "", "", "", 0, {})
