"""Comparison: conditions by name, ours or imported, measured without pass or fail."""

from __future__ import annotations

from collections.abc import Mapping

from snellen.conditions import ORIGINAL, Condition, ImportedCondition, condition_named
from snellen.errors import StudyError
from snellen.items import Kind
from snellen.prompts import Arm
from snellen.stress.base import Analysis, Expectation, Measuring, StressTest
from snellen.stress.design import Design
from snellen.stress.open_answers import open_measures
from snellen.stress.reports import report_measures

_MEASURING: Mapping[Kind, Measuring | None] = {"choice": None, "open": open_measures, "report": report_measures}


def comparison(*arms: str, baseline: str = ORIGINAL.name, kind: Kind = "choice") -> StressTest:
    """Build the test over the named arms, for questions with options, open ones or reports."""
    settings = [*arms, *([f"baseline={baseline}"] if baseline != ORIGINAL.name else [])]
    settings += [f"kind={kind}"] if kind != "choice" else []
    return StressTest(
        Design(
            f"comparison:{','.join(settings)}" if settings else "comparison",
            "How do the responses compare under these conditions?",
            arms=tuple(map(_condition, arms)),
            baseline=Arm(ORIGINAL if baseline == ORIGINAL.name else ImportedCondition(baseline)),
            item_kind=kind,
        ),
        Analysis(Expectation.UNKNOWN, measure=_MEASURING[kind]),
    )


def _condition(label: str) -> Condition:
    """Return the condition of a label; an unknown label becomes an imported condition."""
    try:
        return condition_named(label) or ImportedCondition(label)
    except StudyError:
        return ImportedCondition(label)
