"""The review tasks that clinicians can be given, one per file."""

from __future__ import annotations

from collections.abc import Mapping

from snellen.errors import StudyError
from snellen.plugins import did_you_mean
from snellen.tools.review.task import ReviewTask
from snellen.tools.review.tasks.honest import HONEST
from snellen.tools.review.tasks.mend import MEND
from snellen.tools.review.tasks.mismatch import MISMATCH
from snellen.tools.review.tasks.missing_image import MISSING_IMAGE
from snellen.tools.review.tasks.premise import PREMISE
from snellen.tools.review.tasks.profile import PROFILE
from snellen.tools.review.tasks.quality import QUALITY
from snellen.tools.review.tasks.rationale import RATIONALE
from snellen.tools.review.tasks.reference import REFERENCE
from snellen.tools.review.tasks.verdict import VERDICT

__all__ = ["task_named"]

TASKS: Mapping[str, ReviewTask] = {
    each.name: each
    for each in (VERDICT, RATIONALE, PROFILE, REFERENCE, MISSING_IMAGE, QUALITY, MISMATCH, PREMISE, HONEST, MEND)
}


def task_named(name: str) -> ReviewTask:
    """Return the task with this name; raise StudyError for an unknown name."""
    if name in TASKS:
        return TASKS[name]
    raise StudyError(
        f"{name!r} is not a review task.{did_you_mean(name, list(TASKS))} Choose one of: {', '.join(TASKS)}."
    )
