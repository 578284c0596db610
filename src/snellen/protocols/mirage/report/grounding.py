"""Grounding signal: how far answers move with the image beyond how far they move anyway, in all and by category."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snellen.protocols.mirage.tests.grounding_signal import SHIFT, SIGNAL
from snellen.report.components import Fold, Note, Part, Section, Table, rich
from snellen.report.figures.forests import Against, forest
from snellen.report.lookup import Lookup
from snellen.report.sections.tests import by_test_and_benchmark
from snellen.scoring.findings import Finding

CAPTIONS = {
    SIGNAL: "Grounding signal, question by question: 0 never looks, 1 another answer every time",
    SHIFT: "Shift of all answers together, their words compared: 0 the same answers as often",
}
MOST = 40
"""So many categories are shown."""
NEVER_LOOKS = Against(0.0, words="a model that never looks")


def draw_grounding(lookup: Lookup) -> Iterator[Section]:
    """Signal and shift on every benchmark on which answers with and without the image can be compared."""
    parts = [part for benchmark, findings in by_test_and_benchmark(lookup.of_family("grounding-signal"))
             for part in _draw_benchmark(lookup, benchmark, findings)]  # fmt: skip
    if parts:
        said = (
            "The grounding signal is how far the answers to one question with the image lie from those without it, "
            "less how far two runs of the same lie apart: ½ Σ (p − q)² over the options. **0** (the dashed line) is a "
            "model that never looks; **1** one that always gives one answer with the image and always another without "
            "it. A model that sees with the image and guesses without it lies between, and below 0 lies only chance. "
            "The shift compares all answers of these questions at once by their words: it sees that answers changed in "
            "kind, not on which question."
        )
        note = Note(rich(said), look="quiet")
        yield Section("Do the answers move with the image?", (note, *parts), "mirage-grounding")


def _draw_benchmark(lookup: Lookup, benchmark: str, findings: Sequence[Finding]) -> Iterator[Part]:
    """All models, then folded each by category."""
    on = f"; {benchmark}" if lookup.evidence.several else ""
    plots = _draw_forests(lookup, findings, on)
    if not any(each.measure(each.test.compared[0].name, SIGNAL) for each in findings) and plots:
        once = (
            "Every question has one response, so that there is no signal: to tell the image from chance each must be "
            "asked at least twice (`--epochs 2`)."
        )
        yield Note(rich(once), look="quiet")
    yield from plots
    apart = [(each, list(lookup.categories(each).values())[:MOST]) for each in findings if plots]
    drawn = [
        plot
        for each, groups in apart
        for plot in _draw_forests(lookup, groups, f"; {lookup.short_names[each.model]}{on}")
    ]
    if drawn:
        yield Fold("By category", tuple(drawn))


def _draw_forests(lookup: Lookup, findings: Sequence[Finding], on: str) -> tuple[Table, ...]:
    def name(finding: Finding) -> str:
        return finding.group.partition("=")[2] or lookup.short_names[finding.model]

    blind = findings[0].test.compared[0].name if findings else ""
    plots = (
        forest(
            findings, blind, measure, evidence=lookup.evidence, label=name, against=NEVER_LOOKS, caption=caption + on
        )
        for measure, caption in CAPTIONS.items()
    )
    return tuple(plot for plot in plots if plot is not None)
