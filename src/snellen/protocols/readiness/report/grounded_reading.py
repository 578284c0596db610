"""The grounded reading: sight, honesty and steadiness side by side, which neither refusing nor not looking raises."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from snellen.protocols.readiness.tests.grounded_reading import ARM, FEW_SWAPPED, HONESTY, KINDS, SIGHT, STEADINESS
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.forests import Forest, forest
from snellen.report.lookup import Found, Lookup, family
from snellen.report.sections.cards import CardPart, CardQuestion, ForCard
from snellen.report.sections.tests import Section, by_benchmark, many
from snellen.report.words.numbers import begun
from snellen.scoring.findings import Finding


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


READ_AS: Mapping[str, tuple[CardQuestion, str]] = {
    SIGHT: (CardQuestion.LOOKS, "How much of its score comes from looking?"),
    HONESTY: (CardQuestion.KNOWS, "How much more often is it silent without the image?"),
    STEADINESS: (CardQuestion.STEADY, "How much stays right when the options move?"),
}
"""What the numbers answer on the first screen."""


def cards(evidence: Evidence, sections: Sequence[Section]) -> Iterator[ForCard]:
    """The three numbers on the first screen, where there are many tests; over all items where none needs the image."""
    those = [each for each in sections if family(each.findings[0]) == "grounded-reading"] if many(sections) else []
    for section in those:
        for benchmark, findings in by_benchmark(section.findings).items():
            several = f" ({benchmark})" if evidence.several else ""
            for name, (question, words) in READ_AS.items():
                plots = (reading_forest(findings, each, evidence) for each in (name, f"{name}_all_items"))
                drawn = next((plot for plot in plots if plot is not None), None)
                if drawn is not None:
                    part = CardPart((), (drawn,), anchor=section.anchor, heading=f"{words}{several}")
                    yield ForCard(question, part, "first")


def readings(lookup: Lookup, sections: Sequence[Section]) -> list[Readings]:
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
    caption = f"{begun(KINDS[name].words)}, of 100"
    return forest(findings, ARM, name, evidence=evidence, label=lambda each: each.model, caption=caption)
