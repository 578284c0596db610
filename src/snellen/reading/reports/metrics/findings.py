"""Findings F1: how many findings a generated report shares with its reference, by presence, side and severity."""

from __future__ import annotations

from snellen.reading.reports.comparison import compared
from snellen.reading.reports.metrics.metric import Metric, Pair, each

_SOURCE = "Our own, by rules: no weights and no network. English only"


def findings_f1(pair: Pair) -> float:
    """F1 over all findings that either report states, present or absent; NaN where neither states any."""
    return compared(pair.generated, pair.reference).f1


def findings_f1_abnormal(pair: Pair) -> float:
    """F1 over the findings that are present in either report; NaN where both are normal."""
    return compared(pair.generated, pair.reference).abnormal_f1


FINDINGS_F1 = Metric(
    name="findings-f1",
    title="Findings F1",
    about=(
        "The findings that both reports state, by finding, presence, side and severity: F1 between 0 and 1. It has no "
        "value where neither report states a finding that is known."
    ),
    source=_SOURCE,
    score=each(findings_f1),
)
FINDINGS_F1_ABNORMAL = Metric(
    name="findings-f1-abnormal",
    title="Findings F1, abnormal",
    about="The same over the findings that are present in either report. It has no value where both are normal.",
    source=_SOURCE,
    score=each(findings_f1_abnormal),
)
