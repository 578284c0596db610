"""The grounded reading: sight, honesty and steadiness side by side, which neither refusing nor not looking raises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from snellen.protocols.readiness.tests.grounded_reading import ARM, FEW_SWAPPED, HONESTY, KINDS, SIGHT, STEADINESS
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.forests import Against, Forest, forest
from snellen.report.lookup import Found, Lookup, family
from snellen.report.sections.tests import ShownTest, by_benchmark
from snellen.report.words.numbers import begun, figure
from snellen.scoring.findings import Finding
from snellen.stress.base import Unit


@dataclass(frozen=True)
class GroundedReading:
    """The grounded reading on one benchmark: a forest for each of its three numbers, and all numbers as a table."""

    benchmark: str
    forests: tuple[tuple[str, Forest], ...]
    lines: tuple[tuple[str, tuple[Found | None, ...]], ...]
    columns: tuple[str, ...]
    chosen_by: str
    swapped: bool


@dataclass(frozen=True)
class Readings:
    """All benchmarks of one grounded reading, and where the page leads to for it."""

    test: str
    anchor: str
    readings: tuple[GroundedReading, ...]


MEANS: Mapping[str, str] = {
    SIGHT: "What looking adds: the accuracy that is lost when the image is removed or, if that is less, when it is "
    "swapped (silence counts as a guess). A model that refuses or does not look has nothing to lose.",
    HONESTY: "How much more often it stays silent without the image than with it. A model that always refuses, or that "
    "answers without looking, shows no difference.",
    STEADINESS: "How much of what it gets right, above chance, stays right when the options are reordered. Refusing "
    "gets nothing right, and the guesses of a model that does not look do not stay right.",
}
"""What each number is, and why neither refusing nor not looking can raise it."""


def readings(lookup: Lookup, sections: Sequence[ShownTest]) -> list[Readings]:
    """The grounded reading, benchmark by benchmark."""
    return [
        Readings(
            section.test.name,
            section.anchor,
            tuple(
                _reading(lookup, findings)
                for findings in by_benchmark([each for each in section.findings if each.measures]).values()
            ),
        )
        for section in sections
        if family(section.findings[0]) == "grounded-reading"
    ]


def _reading(lookup: Lookup, findings: Sequence[Finding]) -> GroundedReading:
    names = list(dict.fromkeys(measure.name for each in findings for measure in each.measures))
    plots = ((MEANS[name], reading_forest(findings, name, lookup.evidence)) for name in MEANS)
    cells = [
        (each.model, tuple(lookup.printed(each, m) if (m := each.measure(ARM, name)) else None for name in names))
        for each in findings
    ]
    measures = [found.measure for _, numbers in cells for found in numbers if found]
    return GroundedReading(
        benchmark=findings[0].benchmark,
        forests=tuple((means, plot) for means, plot in plots if plot is not None),
        lines=tuple(cells),
        columns=tuple(KINDS[name].words for name in names),
        chosen_by=", ".join(sorted({each.subset for each in measures if each.subset})),
        swapped=not any(each.estimate.method.endswith(FEW_SWAPPED) for each in measures),
    )


def reading_forest(findings: Sequence[Finding], name: str, evidence: Evidence) -> Forest | None:
    """One number of the grounded reading over the models; None where no model has it."""
    there = (each.measure(ARM, name) for each in findings)
    ceilings = [each.ceiling for each in there if each is not None and each.ceiling is not None]
    most = sum(ceilings) / len(ceilings) if ceilings else None
    at_most = "" if most is None else f"; at most {figure(most, Unit.HUNDRED)}, which is 1 − chance (the dashed line)"
    caption = f"{begun(KINDS[name].words)}, of 100{at_most}"
    return forest(
        findings,
        ARM,
        name,
        evidence=evidence,
        label=lambda each: each.model,
        against=Against(most, words="1 − chance,"),
        caption=caption,
    )
