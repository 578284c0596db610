"""Grounding signal: how far answers move with the image beyond how far they move anyway, in all and by category."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from snellen.protocols.mirage.tests.grounding_signal import SHIFT, SIGNAL
from snellen.report.figures.forests import Against, Forest, forest
from snellen.report.lookup import Lookup
from snellen.report.sections.by_group import MOST_GROUPS
from snellen.report.sections.tests import by_test_and_benchmark
from snellen.scoring.findings import Finding

CAPTIONS = {
    SIGNAL: "Grounding signal, question by question: 0 never looks, 1 another answer every time",
    SHIFT: "Shift of all answers together, their words compared: 0 the same answers as often",
}
NEVER_LOOKS = Against(0.0, words="a model that never looks")


@dataclass(frozen=True)
class GroundingOfModel:
    """One model's forest plots over the categories."""

    model: str
    forests: tuple[Forest, ...]


@dataclass(frozen=True)
class Grounding:
    """One benchmark: the models side by side, then each by category; `once` if nothing was asked twice."""

    benchmark: str
    forests: tuple[Forest, ...]
    models: tuple[GroundingOfModel, ...]
    once: bool


def groundings(lookup: Lookup) -> list[Grounding]:
    """A part for every benchmark on which answers with and without the image can be compared."""
    made = []
    for benchmark, findings in by_test_and_benchmark(lookup.of_family("grounding-signal")):
        plots = _forests(lookup, findings)
        if plots:
            by_category = ((each.model, list(lookup.categories(each).values())[:MOST_GROUPS]) for each in findings)
            models = (GroundingOfModel(model, _forests(lookup, groups)) for model, groups in by_category)
            once = not any(each.measure(each.test.compared[0].name, SIGNAL) for each in findings)
            made.append(Grounding(benchmark, plots, tuple(each for each in models if each.forests), once))
    return made


def _forests(lookup: Lookup, findings: Sequence[Finding]) -> tuple[Forest, ...]:
    blind = findings[0].test.compared[0].name if findings else ""
    plots = (
        forest(findings, blind, name, evidence=lookup.evidence, label=_label, against=NEVER_LOOKS, caption=caption)
        for name, caption in CAPTIONS.items()
    )
    return tuple(plot for plot in plots if plot is not None)


def _label(finding: Finding) -> str:
    return finding.group.partition("=")[2] or finding.model
