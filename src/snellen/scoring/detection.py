"""Replies that were to tell disease from health: what they say beside their answer, as columns of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from snellen.grading.columns import NOTHING
from snellen.grading.detection import Seen, read_detection
from snellen.grading.detection.columns import Detections
from snellen.items import Item
from snellen.judging.quality import Judged
from snellen.judging.single import Run
from snellen.models.base import ZERO_SHOT
from snellen.store import Reply

UNSAID = 4
CODES = {label: label.value if isinstance(label.value, int) else UNSAID for label in Seen}
"""The paper's classes, 0 to 3; UNSAID where a reply says none of them."""


class Said(NamedTuple):
    """One reply: its class, whether it speaks of poor quality, whether its reasons conflict, whether it has words."""

    seen: int = NOTHING
    flags: bool = False
    conflict: int = NOTHING
    scored: bool = False


NOT_ASKED = Said()
"""A reply to a question that has no normal option."""


def said(reply: Reply, item: Item) -> Said:
    """What a reply says of the image; nothing where the question was another, or where it has no words."""
    if reply.finish == ZERO_SHOT:
        return Said(scored=True)
    if item.normal is None:
        return NOT_ASKED
    found = read_detection(reply.text, item)
    return Said(CODES[found.label], found.flags, _conflict(found.conflict))


def detections(replies: Mapping[Run, Said], judged: Mapping[Run, Judged]) -> Detections | None:
    """The columns of an arm, with a judge's opinions; None where no question has a normal option and all have words."""
    if all(each is NOT_ASKED for each in replies.values()):
        return None
    seen, flags, conflict, scored = zip(*replies.values(), strict=True)
    opinions = [judged.get(run) for run in replies]
    return Detections(
        seen=np.array(seen, dtype=np.int64),
        flags=np.array(flags, dtype=bool),
        conflict=np.array(conflict, dtype=np.int64),
        scored=np.array(scored, dtype=bool),
        judged=np.array([NOTHING if each is None else CODES[each.label] for each in opinions], dtype=np.int64),
        judged_conflict=np.array([_conflict(each.conflict if each else None) for each in opinions], dtype=np.int64),
    )


def _conflict(found: bool | None) -> int:
    return NOTHING if found is None else int(found)
