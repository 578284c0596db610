"""Columns on image quality and findings, one row per response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from snellen.models.base import ZERO_SHOT
from snellen.reading.columns import NOTHING, Integers, Run, distinct
from snellen.reading.detection.parser import Detection, DetectionLabel
from snellen.reading.parsers import parser_named

UNSAID = 4
CODES = {label: label.value if isinstance(label.value, int) else UNSAID for label in DetectionLabel}
"""Codes of the artefacts paper's classes, 0 to 3; UNSAID if the response fits none of them."""


@dataclass(frozen=True)
class Detections:
    """Further readings of every detection response; one array per column.

    `seen` is the class of the artefacts paper: 0 normal, 1 abnormal, 2 flags quality, 3 refuses; 4 if none of these
    fits; NOTHING if the question is no detection question or the response has only probabilities. `flags` marks
    responses that mention poor image quality, whatever they conclude. `conflict` is 1 if the findings of a response
    contradict its conclusion, 0 if they agree, NOTHING if it names none. `scored` marks responses that have only
    probabilities. `judged` and `judged_conflict` are a judge's opinions on the same, NOTHING without a judge.
    """

    seen: Integers
    flags: NDArray[np.bool_]
    conflict: Integers
    scored: NDArray[np.bool_]
    judged: Integers
    judged_conflict: Integers
    unsure: NDArray[np.bool_]
    """True if `seen` was read by an unreliable rule."""

    def only(self, kept: NDArray[np.bool_]) -> Detections:
        """Return the columns for the selected responses."""
        return Detections(**{each.name: getattr(self, each.name)[kept] for each in fields(self)})


def detections(read: Mapping[Run, Detection | None], _: object) -> Detections | None:
    """Build the columns of one condition, without a judge; None without detection questions."""
    said, places = distinct(read.values())
    if all(each is None for each in said):
        return None
    nothing, quality = np.full(len(read), NOTHING), parser_named("quality")
    return Detections(
        seen=np.array([_code(each) for each in said], dtype=np.int64)[places],
        flags=np.array([each is not None and each.flags for each in said], dtype=bool)[places],
        conflict=np.array([conflict_code(each.conflict if each else None) for each in said], dtype=np.int64)[places],
        scored=np.array([_is_zero_shot(each) for each in said], dtype=bool)[places],
        judged=nothing,
        judged_conflict=nothing,
        unsure=np.array([each is not None and quality.unsure(each.rule) for each in said], dtype=bool)[places],
    )


def conflict_code(found: bool | None) -> int:
    """Return the code of a conflict: 1, 0, or NOTHING if it is None."""
    return NOTHING if found is None else int(found)


def _is_zero_shot(found: Detection | None) -> bool:
    return found is not None and found.rule == ZERO_SHOT


def _code(found: Detection | None) -> int:
    return NOTHING if found is None or _is_zero_shot(found) else CODES[found.label]
