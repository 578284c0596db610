"""Snellen inside Inspect AI: benchmarks as tasks, conditions as solvers, parsers as scorers.

The extra `inspect` is needed. Inspect finds all three by the entry point group `inspect_ai`, under names such as
`snellen/vqa_rad`.
"""

from __future__ import annotations

from snellen.errors import MissingExtraError

try:
    from snellen.tools.inspect.metrics import accuracy_by_condition, outcomes, paired_difference
    from snellen.tools.inspect.scorers import choice, open_answer
    from snellen.tools.inspect.solvers import asked_under, blank, degraded, removed, shuffled
    from snellen.tools.inspect.tasks import TASKS, under
except ModuleNotFoundError as error:
    if str(error.name).partition(".")[0] != "inspect_ai":
        raise
    raise MissingExtraError("inspect_ai", "inspect") from error

__all__ = [
    "TASKS",
    "accuracy_by_condition",
    "asked_under",
    "blank",
    "choice",
    "degraded",
    "open_answer",
    "outcomes",
    "paired_difference",
    "removed",
    "shuffled",
    "under",
]
