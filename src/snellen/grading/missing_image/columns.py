"""Whether responses say that the image is missing, one place per response."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from snellen.grading.columns import Integers
from snellen.grading.diagnoses import Diagnosis
from snellen.grading.missing_image import Admission

LABELS = tuple(Admission)


@dataclass(frozen=True)
class Admissions:
    """What every reply to an open question without an image says of it; a column each.

    `label` is the place of what the reply does in LABELS. `diagnosis` is the place in `diagnoses` of what it puts in
    tags, NOTHING where it puts nothing there. `flagged` is a judge's opinion: 1 where the reply admits that something
    is missing or doubts, 0 where it does not, NOTHING where no judge said.
    """

    label: Integers
    diagnosis: Integers
    flagged: Integers
    diagnoses: tuple[Diagnosis, ...] = ()

    def only(self, kept: NDArray[np.bool_]) -> Admissions:
        """Those of some of the replies."""
        return replace(self, label=self.label[kept], diagnosis=self.diagnosis[kept], flagged=self.flagged[kept])

    def is_(self, *labels: Admission) -> NDArray[np.bool_]:
        """Which replies do one of these."""
        return np.isin(self.label, [LABELS.index(label) for label in labels])
