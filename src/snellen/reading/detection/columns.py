"""What responses say of image quality and findings, one place per response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from snellen.models.base import ZERO_SHOT
from snellen.reading.columns import NOTHING, Integers, Run, distinct
from snellen.reading.detection.parser import Detection, Seen
from snellen.reading.parsers import parser_named

UNSAID = 4
CODES = {label: label.value if isinstance(label.value, int) else UNSAID for label in Seen}
"""The classes of the artefacts paper, 0 to 3; UNSAID where a response says none of them."""


@dataclass(frozen=True)
class Detections:
    """What every response that was to tell disease from health says beside its answer; a column each.

    `seen` is the class of the artefacts paper: 0 normal, 1 abnormal, 2 flags quality, 3 refuses; 4 where it says none
    of them, NOTHING where it was not asked.
    `flags` marks responses that speak of poor image quality, whatever they conclude. `conflict` is 1 where a response's
    reasoning says one thing and its conclusion the other, 0 where they agree, NOTHING where it does not reason.
    `scored` marks those that a model gave by probabilities alone: they have no words to flag anything in. `judged` and
    `judged_conflict` are a judge's opinions on the same, NOTHING where no judge said.
    """

    seen: Integers
    flags: NDArray[np.bool_]
    conflict: Integers
    scored: NDArray[np.bool_]
    judged: Integers
    judged_conflict: Integers
    unsure: NDArray[np.bool_]
    """Which readings of `seen` are by a rule that is not reliable enough."""

    def only(self, kept: NDArray[np.bool_]) -> Detections:
        """Those of some of the responses."""
        return Detections(**{each.name: getattr(self, each.name)[kept] for each in fields(self)})


def detections(read: Mapping[Run, Detection | None], _: object) -> Detections | None:
    """The columns of one condition; None where no question has a normal option and all responses have words.

    A response by probabilities alone says nothing beside its answer. No judge was heard.
    """
    said, places = distinct(read.values())
    if all(each is None for each in said):
        return None
    nothing, quality = np.full(len(read), NOTHING), parser_named("quality")
    return Detections(
        seen=np.array([_code(each) for each in said], dtype=np.int64)[places],
        flags=np.array([each is not None and each.flags for each in said], dtype=bool)[places],
        conflict=np.array([conflict_code(each.conflict if each else None) for each in said], dtype=np.int64)[places],
        scored=np.array([_scored(each) for each in said], dtype=bool)[places],
        judged=nothing,
        judged_conflict=nothing,
        unsure=np.array([each is not None and quality.unsure(each.rule) for each in said], dtype=bool)[places],
    )


def conflict_code(found: bool | None) -> int:
    """Whether reasons and conclusion conflict, as a number of a column."""
    return NOTHING if found is None else int(found)


def _scored(found: Detection | None) -> bool:
    return found is not None and found.rule == ZERO_SHOT


def _code(found: Detection | None) -> int:
    return NOTHING if found is None or _scored(found) else CODES[found.label]
