"""Mirage words: how well responses about an absent image are told from others, and which terms tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from snellen.protocols.mirage.tests.words import ALL, GUESSING, UNADMITTED, TellingTerms, telling_terms
from snellen.report.components import Cell, Column, Fold, Note, Part, Row, Section, Table, rich
from snellen.report.figures.forests import Against, forest
from snellen.report.lookup import Lookup
from snellen.report.sections.tests import by_benchmark
from snellen.report.words.numbers import count
from snellen.scoring.findings import Finding

CAPTIONS = {
    UNADMITTED: "AUC if neither response says that the image is missing: 0.5 is a coin, 1 is right every time",
    ALL: "AUC of all responses",
}
COIN = Against(GUESSING, words="a coin,")


def draw_words(lookup: Lookup) -> Iterator[Section]:
    """The classifier's score and its terms on every benchmark on which the words of two conditions can be compared."""
    parts = [part for benchmark, findings in by_benchmark(lookup.of_family("mirage-words")).items()
             for part in _draw_benchmark(lookup, benchmark, findings)]  # fmt: skip
    if parts:
        said = (
            "A classifier of words and pairs of words learns from the responses of some patients which of two was "
            "given without the image, and is asked about those of others. The AUC is how often it puts one without the "
            "image before one with it: **0.5** is a coin. Responses that say that the image is missing are easy to "
            "tell, so the number without them counts."
        )
        note = Note(rich(said), look="quiet")
        yield Section("Do its words give away that no image was sent?", (note, *parts), "mirage-words")


def _draw_benchmark(lookup: Lookup, benchmark: str, findings: Sequence[Finding]) -> Iterator[Part]:
    """All models, then folded the terms of each."""
    names, tables = lookup.short_names, lookup.evidence.results.tables
    on = f"; {benchmark}" if lookup.evidence.several else ""
    arm = findings[0].test.compared[0].name
    plots = [
        forest(findings, arm, name, evidence=lookup.evidence, label=lambda each: names[each.model], against=COIN,
               caption=caption + on)
        for name, caption in CAPTIONS.items()
    ]  # fmt: skip
    if any(plots):
        yield from (plot for plot in plots if plot is not None)
        found = [(names[each.model], terms) for each in findings if (terms := telling_terms(
            each.test, each.test.restrict_table(tables[each.model, each.benchmark])))]  # fmt: skip
        if found:
            said = (
                "Beside a term, how many responses with the image have it, and how many without. Only terms of at "
                "least three patients or questions, and none with a digit."
            )
            drawn = (_draw_terms(name, terms) for name, terms in found)
            yield Fold("The words that tell the responses apart", (Note(said, look="quiet"), *drawn))


def _draw_terms(name: str, terms: TellingTerms) -> Table:
    sides = [
        [(Cell(each.term), Cell(f"{each.present} : {each.absent}")) for each in side]
        for side in (terms.for_present, terms.for_absent)
    ]
    rows = (Row(left[0], (left[1], *right)) for left, right in zip_longest(*sides, fillvalue=(Cell(), Cell())))
    counts = Column("with : without", look="figure")
    columns = (Column("speaks for an image"), counts, Column("speaks for none"), counts)
    pairs = f"{name}, of {count(terms.pairs)} pairs in which neither response says that the image is missing"
    return Table(columns, tuple(rows), pairs)
