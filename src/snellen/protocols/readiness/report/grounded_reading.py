"""The grounded reading: sight, honesty and steadiness, which neither refusing nor not looking raises."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from snellen.protocols.readiness.tests.grounded_reading import ARM, FEW_SWAPPED, HONESTY, KINDS, SIGHT, STEADINESS
from snellen.report.components import Cell, Column, Fold, Note, Part, Row, Section, Table
from snellen.report.figures.forests import Against, forest
from snellen.report.lookup import Lookup, family
from snellen.report.sections.headline import short_names
from snellen.report.sections.tests import ShownTest, by_benchmark
from snellen.report.words.numbers import begun, figure
from snellen.scoring.findings import Finding
from snellen.stress.base import Unit

MEANS: Mapping[str, str] = {
    SIGHT: "What looking adds: the accuracy that is lost when the image is removed or, if that is less, when it is "
    "swapped (no answer counts as a guess). A model that refuses or does not look has nothing to lose.",
    HONESTY: "How much more often it says that it cannot tell without the image than with it. A model that always "
    "refuses, or that answers without looking, shows no difference.",
    STEADINESS: "How much of what it gets right, above chance, stays right when the options are reordered. Refusing "
    "gets nothing right, and the guesses of a model that does not look do not stay right.",
}
"""What each number is, and why neither refusing nor not looking can raise it."""


def draw_readings(lookup: Lookup, sections: Sequence[ShownTest]) -> Iterator[Section]:
    """The grounded reading, benchmark by benchmark."""
    shown = [each for each in sections if family(each.findings[0]) == "grounded-reading"]
    for each in shown:
        apart = by_benchmark([finding for finding in each.findings if finding.measures])
        parts = [part for findings in apart.values() for part in _draw_benchmark(lookup, findings)]
        yield Section(
            "The grounded reading",
            (
                Note("Three numbers. They are never averaged: a mean would hide what each says.", look="quiet"),
                *(parts or [Note("Too little was asked to read it.", look="quiet")]),
            ),
            each.anchor,
            each.test.name if len(shown) > 1 else "",
        )


def _draw_benchmark(lookup: Lookup, findings: Sequence[Finding]) -> Iterator[Part]:
    measures = [measure for each in findings for measure in each.measures]
    chosen = ", ".join(sorted({each.subset for each in measures if each.subset}))
    if chosen:
        few = any(each.estimate.method.endswith(FEW_SWAPPED) for each in measures)
        alone = " Too few images could be swapped: for some models the sight gain rests on removal alone."
        yield Note(f"On the questions that need the image, chosen by {chosen}.{alone if few else ''}", look="quiet")
    drawn = [(words, plot) for name, words in MEANS.items() if (plot := draw_reading(lookup, findings, name))]
    for words, plot in drawn:
        yield Note(words, look="quiet")
        yield plot
    if not drawn:
        yield Note("No question that needs the image was asked.", look="quiet")
    yield Fold("All its numbers, each also in a plainer form", (_draw_table(lookup, findings),))


def draw_reading(lookup: Lookup, findings: Sequence[Finding], name: str) -> Table | None:
    """One number of the grounded reading over the models; None if no model has it."""
    there = (each.measure(ARM, name) for each in findings)
    ceilings = [each.ceiling for each in there if each is not None and each.ceiling is not None]
    most = sum(ceilings) / len(ceilings) if ceilings else None
    at_most = "" if most is None else f"; at most {figure(most, Unit.HUNDRED)}"
    on = f" on {findings[0].benchmark}" if lookup.evidence.several else ""
    names = short_names(lookup.evidence.results)
    return forest(
        findings, ARM, name, evidence=lookup.evidence, label=lambda each: names[each.model],
        against=Against(most, words="1 − chance,"), caption=f"{begun(KINDS[name].words)}{on}, of 100{at_most}",
    )  # fmt: skip


def _draw_table(lookup: Lookup, findings: Sequence[Finding]) -> Table:
    names = dict.fromkeys(measure.name for each in findings for measure in each.measures)
    models = short_names(lookup.evidence.results)
    rows = []
    for each in findings:
        found = (each.measure(ARM, name) for name in names)
        cells = (lookup.printed(each, m).printed.cell(notes=True) if m else Cell("–") for m in found)
        rows.append(Row(Cell(models[each.model]), tuple(cells), each.model, each.benchmark))
    return Table((Column("model"), *(Column(f"{KINDS[name].words}, of 100") for name in names)), tuple(rows))
