"""Columns about claims of responses, one row per response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from snellen.reading.claims.contradictions import contradictions
from snellen.reading.claims.parser import Rationale
from snellen.reading.columns import Integers, Run, distinct
from snellen.reading.parsers import parser_named


@dataclass(frozen=True)
class Rationales:
    """Findings that each response of one condition claims to see; one array per column.

    `claims` counts statements about the image that are not already in the question. `notices` marks responses that say
    that the image is missing or blank, `hedges` those that voice doubt, and `explains` those that say more than their
    answer. `contradicts` marks responses whose claims contradict those of the same item and repeat with the original
    image. `judged` holds the tags of a judge, one bit per tag, and `heard` is true if the judge's answer could be read.
    """

    claims: Integers
    notices: NDArray[np.bool_]
    hedges: NDArray[np.bool_]
    contradicts: NDArray[np.bool_]
    explains: NDArray[np.bool_]
    judged: Integers
    heard: NDArray[np.bool_]
    unsure: NDArray[np.bool_]
    """True if `claims` was read by an unreliable rule."""

    def only(self, kept: NDArray[np.bool_]) -> Rationales:
        """Return the columns for the selected responses."""
        return Rationales(**{each.name: getattr(self, each.name)[kept] for each in fields(self)})


def rationales(read: Mapping[Run, Rationale], asked: Mapping[Run, Rationale]) -> Rationales:
    """Build the columns of one condition, without a judge. `asked` holds the same runs with the original image."""
    said, places = distinct(read.values())
    unsure = parser_named("claims").unsure
    against = [
        bool(each.claims) and run in asked and bool(contradictions(asked[run].claims, each.claims))
        for run, each in read.items()
    ]
    return Rationales(
        claims=np.array([len(each.claims) for each in said], dtype=np.int64)[places],
        notices=np.array([each.notices for each in said], dtype=bool)[places],
        hedges=np.array([each.hedges for each in said], dtype=bool)[places],
        contradicts=np.array(against, dtype=bool),
        explains=np.array([each.explains for each in said], dtype=bool)[places],
        judged=np.zeros(len(read), dtype=np.int64),
        heard=np.zeros(len(read), dtype=bool),
        unsure=np.array([unsure(each.rule) for each in said], dtype=bool)[places],
    )
