"""Comparison: conditions by their names, ours or of others who asked; measured, not judged."""

from __future__ import annotations

from collections.abc import Mapping

from snellen.conditions import ORIGINAL, Given, condition_named
from snellen.items import Kind
from snellen.prompts import Arm
from snellen.stress.base import Expectation, Measuring, StressTest
from snellen.stress.open_answers import open_measures
from snellen.stress.reports import report_measures

_MEASURING: Mapping[Kind, Measuring | None] = {"choice": None, "open": open_measures, "report": report_measures}


def comparison(*arms: str, baseline: str = ORIGINAL.name, kind: Kind = "choice") -> StressTest:
    """The test over arms of these names; with `kind="open"`, of open questions, with `kind="report"`, of reports."""
    settings = [*arms, *([f"baseline={baseline}"] if baseline != ORIGINAL.name else [])]
    settings += [f"kind={kind}"] if kind != "choice" else []
    return StressTest(
        name=f"comparison:{','.join(settings)}" if settings else "comparison",
        asks="How do the responses compare under these conditions?",
        arms=tuple(condition_named(arm) or Given(arm) for arm in arms),
        expects=Expectation.UNKNOWN,
        item_kind=kind,
        measuring=_MEASURING[kind],
        baseline=Arm(ORIGINAL if baseline == ORIGINAL.name else Given(baseline)),
    )
