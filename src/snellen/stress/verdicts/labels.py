"""Labels of acts: what raters say of a random part of the responses under one condition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snellen.grading.columns import Integers


@dataclass(frozen=True)
class ActLabels:
    """Whether a response admits that it cannot see, and whether it invents findings, by raters: one place each.

    1 is yes, 0 is no, NOTHING if nobody labelled the response. Labelled responses are a random part of the condition's.
    """

    admits: Integers
    invents: Integers

    def only(self, kept: NDArray[np.bool_]) -> ActLabels:
        """Those of some of the responses."""
        return ActLabels(self.admits[kept], self.invents[kept])

    def has(self, act: str) -> NDArray[np.bool_]:
        """Which responses are labelled for an act."""
        marked: NDArray[np.bool_] = getattr(self, act) >= 0
        return np.asarray(marked)
