"""Comparison: conditions by their names, ours or of others who asked; measured, not judged."""

from __future__ import annotations

from collections.abc import Mapping

from snellen.conditions import ORIGINAL, Condition, Given, condition_named
from snellen.errors import StudyError
from snellen.items import Kind
from snellen.prompts import Arm
from snellen.stress.base import Analysis, Expectation, Measuring, StressTest
from snellen.stress.design import Design
from snellen.stress.open_answers import open_measures
from snellen.stress.reports import report_measures

_MEASURING: Mapping[Kind, Measuring | None] = {"choice": None, "open": open_measures, "report": report_measures}


def comparison(*arms: str, baseline: str = ORIGINAL.name, kind: Kind = "choice") -> StressTest:
    """The test over arms of these names; with `kind="open"`, of open questions, with `kind="report"`, of reports."""
    settings = [*arms, *([f"baseline={baseline}"] if baseline != ORIGINAL.name else [])]
    settings += [f"kind={kind}"] if kind != "choice" else []
    return StressTest(
        Design(
            f"comparison:{','.join(settings)}" if settings else "comparison",
            "How do the responses compare under these conditions?",
            arms=tuple(map(_condition, arms)),
            baseline=Arm(ORIGINAL if baseline == ORIGINAL.name else Given(baseline)),
            item_kind=kind,
        ),
        Analysis(Expectation.UNKNOWN, measure=_MEASURING[kind]),
    )


def _condition(label: str) -> Condition:
    """The condition that a label names; one that nobody here could ask is known by its name alone."""
    try:
        return condition_named(label) or Given(label)
    except StudyError:
        return Given(label)
