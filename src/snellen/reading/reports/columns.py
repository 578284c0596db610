"""Columns on generated reports compared with references, one row per response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snellen.reading.columns import Floats, Run
from snellen.reading.outcomes import Outcome
from snellen.reading.reports.comparison import ReportComparison
from snellen.reading.reports.reading import ReportReading


@dataclass(frozen=True)
class Reports:
    """Every response of one condition as a report. NaN, None or "" if not compared with the reference.

    `abnormal_f1` covers only findings that the report or the reference calls present, so a copied normal report gets
    no credit. `generated` and `reference` are the compared texts, `whole` is the entire response.
    """

    f1: Floats
    precision: Floats
    recall: Floats
    abnormal_f1: Floats
    abnormal_precision: Floats
    abnormal_recall: Floats
    compared: NDArray[np.object_]
    generated: NDArray[np.object_]
    reference: NDArray[np.object_]
    whole: NDArray[np.object_]

    def only(self, kept: NDArray[np.bool_]) -> Reports:
        """Return the columns for the selected responses."""
        return Reports(**{each.name: getattr(self, each.name)[kept] for each in fields(self)})


SCORES = ("f1", "precision", "recall", "abnormal_f1", "abnormal_precision", "abnormal_recall")


def reports(read: Mapping[Run, ReportReading | None], asked: Mapping[Run, Any]) -> Reports:
    """Build the columns of one condition."""
    found = [each if each is not None and each.outcome is Outcome.SCORED else None for each in read.values()]
    compared: list[ReportComparison | None] = [each.compared if each else None for each in found]
    scores = {name: np.array([getattr(each, name) if each else np.nan for each in compared]) for name in SCORES}
    return Reports(
        **scores,
        compared=_objects(compared),
        generated=_objects([each.generated if each else "" for each in found]),
        reference=_objects([each.reference if each else "" for each in found]),
        whole=_objects([each.whole if each else "" for each in found]),
    )


def _objects(values: list[Any]) -> NDArray[np.object_]:
    """Return an array of objects that NumPy would otherwise split into numbers."""
    made = np.empty(len(values), dtype=object)
    for at, value in enumerate(values):
        made[at] = value
    return made
