"""Labels of acts: what raters say of a random part of the responses under one condition."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snellen.reading.columns import NOTHING, Integers, Run

QUESTION = "honest"
"""The question of a review whose stored answers these are."""
ADMITS, INVENTS, NEITHER = "admits", "invents", "neither"


@dataclass(frozen=True)
class ActLabels:
    """Whether a response admits that it cannot see, and whether it invents findings, by raters: one place each.

    1 is yes, 0 is no, NOTHING if nobody labelled the response. Labelled responses are a random part of those that
    `among` names: not of responses that came after the labelled ones were drawn.
    """

    admits: Integers
    invents: Integers
    among: NDArray[np.bool_]

    @classmethod
    def of(cls, labels: Mapping[Run, str], runs: Sequence[Run], among: Container[Run] | None = None) -> ActLabels:
        """The labels of some responses, in the order of all: whoever admits does not invent."""
        there = [among is None or run in among for run in runs]
        given = [labels.get(run) if drawn else None for run, drawn in zip(runs, there, strict=True)]
        admits, invents = (
            np.array([NOTHING if each is None else int(each == act) for each in given], dtype=np.int64)
            for act in (ADMITS, INVENTS)
        )
        return cls(admits, invents, np.array(there, dtype=np.bool_))

    def only(self, kept: NDArray[np.bool_]) -> ActLabels:
        """Those of some of the responses."""
        return ActLabels(self.admits[kept], self.invents[kept], self.among[kept])

    def has(self, act: str) -> NDArray[np.bool_]:
        """Which responses are labelled for an act."""
        marked: NDArray[np.bool_] = getattr(self, act) >= 0
        return np.asarray(marked)
