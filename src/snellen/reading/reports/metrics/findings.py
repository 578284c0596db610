"""Findings F1: common findings of a report and its reference, by presence, side and severity."""

from __future__ import annotations

from snellen.reading.reports.comparison import compare_reports
from snellen.reading.reports.metrics.metric import Metric, Pair, score_each

_SOURCE = "Our own, by rules: no weights and no network. English only"


def findings_f1(pair: Pair) -> float:
    """Return F1 over all findings that either report states, present or absent. NaN if the reference states none."""
    return compare_reports(pair.generated, pair.reference).f1


def findings_f1_abnormal(pair: Pair) -> float:
    """Return F1 over the findings that are present in either report. NaN if both are normal."""
    return compare_reports(pair.generated, pair.reference).abnormal_f1


FINDINGS_F1 = Metric(
    name="findings-f1",
    title="Findings F1",
    about=(
        "The findings that both reports state, by finding, presence, side and severity: F1 between 0 and 1. It has no "
        "value where neither report states a finding that is known."
    ),
    source=_SOURCE,
    score=score_each(findings_f1),
)
FINDINGS_F1_ABNORMAL = Metric(
    name="findings-f1-abnormal",
    title="Findings F1, abnormal",
    about="The same over the findings that are present in either report. It has no value where both are normal.",
    source=_SOURCE,
    score=score_each(findings_f1_abnormal),
)
