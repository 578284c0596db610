"""What responses say of image quality and findings, one place per response."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from snellen.grading.columns import Integers


@dataclass(frozen=True)
class Detections:
    """What every reply that was to tell disease from health says beside its answer; a column each.

    `seen` is the class of paper 004: 0 normal, 1 abnormal, 2 flags quality, 3 refuses; 4 where it says none of them,
    NOTHING where it was not asked.
    `flags` marks replies that speak of poor image quality, whatever they conclude. `conflict` is 1 where a reply's
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

    def only(self, kept: NDArray[np.bool_]) -> Detections:
        """Those of some of the replies."""
        return Detections(**{each.name: getattr(self, each.name)[kept] for each in fields(self)})
