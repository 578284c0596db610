"""What rationales claim, one place per response."""

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
    """What every response of one arm says it sees, as far as rules can tell; a column each.

    `claims` counts the statements about the image that the question had not told already. `notices` marks responses
    that say there is no image or nothing in it, `hedges` those that voice doubt, `contradicts` those of which a claim
    cannot be true together with one that the same run made of the image as asked, `explains` those that say more than
    their answer. `judged` holds what a judge tagged, a bit for each tag, and `heard` whether its answer could be read.
    """

    claims: Integers
    notices: NDArray[np.bool_]
    hedges: NDArray[np.bool_]
    contradicts: NDArray[np.bool_]
    explains: NDArray[np.bool_]
    judged: Integers
    heard: NDArray[np.bool_]
    unsure: NDArray[np.bool_]
    """Which readings of `claims` are by a rule that is not reliable enough."""

    def only(self, kept: NDArray[np.bool_]) -> Rationales:
        """Those of some of the responses."""
        return Rationales(**{each.name: getattr(self, each.name)[kept] for each in fields(self)})


def rationales(read: Mapping[Run, Rationale], asked: Mapping[Run, Rationale]) -> Rationales:
    """The columns of one condition, held against what the same run said of the image as asked; no judge was heard."""
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
