"""Mirage: the tests of "Mirage: The Illusion of Visual Understanding" as a chapter, as far as they were asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from snellen.protocols.mirage.report.bias import MirageBias, mirage_biases
from snellen.protocols.mirage.report.grounding import Grounding, groundings
from snellen.protocols.mirage.report.guessing import Guessing, Naming, guessing, naming
from snellen.protocols.mirage.report.invented import InventedTable, invented_table
from snellen.protocols.mirage.report.quotes import Chosen, QuotesOfModel, candidates, what_they_said
from snellen.protocols.mirage.report.rate import (
    AdmissionJudging,
    HeatMaps,
    MirageRate,
    heat_maps,
    judging,
    mirage_rates,
)
from snellen.protocols.mirage.report.score import MirageScore, mirage_scores
from snellen.protocols.mirage.report.words import MirageWords, mirage_words_parts
from snellen.report.chapter import Chapter
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup, family
from snellen.report.sections.tests import ShownTest
from snellen.scoring.results import Results

PARTS = {
    "mirage rate": "mirage-rate",
    "mirage bias": "mirage-bias",
    "mirage score": "mirage-score",
    "guess mode": "guess-mode",
    "the dataset's name": "dataset-name",
    "grounding signal": "grounding-signal",
    "mirage words": "mirage-words",
}
"""The parts of the chapter, and the families of tests that they are about."""
TOLD_HERE = frozenset(("mirage-rate", "mirage-bias", "mirage-score"))
"""The families that have their section in the chapter; the others keep theirs among the ordinary tests."""


@dataclass(frozen=True)
class MirageChapter:
    """The chapter: every part in the order of the page; a part that was not asked is empty."""

    tests: tuple[tuple[str, tuple[ShownTest, ...]], ...]
    rates: tuple[tuple[MirageRate, HeatMaps], ...]
    invented: tuple[InventedTable | None, ...]
    """What each of the rates' mirages invent."""
    said: tuple[QuotesOfModel, ...]
    biases: tuple[MirageBias, ...]
    scores: tuple[MirageScore, ...]
    guessing: tuple[Guessing, ...]
    naming: tuple[Naming, ...]
    grounding: tuple[Grounding, ...]
    words: tuple[MirageWords, ...]
    judging: AdmissionJudging | None


def has_chapter(results: Results) -> bool:
    """Whether any of these tests was asked."""
    return any(family(finding) in PARTS.values() for finding in results.findings)


def told_here(section: ShownTest) -> bool:
    """Whether the chapter tells all of a test, so that it needs no section of its own."""
    return family(section.findings[0]) in TOLD_HERE


def shown_sayings(evidence: Evidence) -> Chosen:
    """The responses to open questions that the chapter may show; none where there are none."""
    benchmark = _open_questions(evidence)
    return candidates(evidence, benchmark) if benchmark else {}


def _open_questions(evidence: Evidence) -> str:
    """The benchmark whose responses are shown: that of the mirage rate, or else the one that there is."""
    asked = {family(each): each.benchmark for each in evidence.results.findings if each.benchmark}
    names = [asked[name] for name in ("mirage-rate", "mirage-bias") if name in asked]
    return next((name for name in names if name in evidence.own_questions), "")


def mirage(evidence: Evidence, sections: Sequence[ShownTest], chosen: Chosen) -> MirageChapter | None:
    """The chapter of a study that asked any of these tests; None for any other."""
    if not has_chapter(evidence.results):
        return None
    lookup = Lookup(evidence)
    rates = mirage_rates(lookup, sections)
    by_part = {
        words: tuple(section for section in sections if family(section.findings[0]) == name)
        for words, name in PARTS.items()
    }
    return MirageChapter(
        tests=tuple(by_part.items()),
        rates=tuple((rate, heat_maps(lookup, rate.section)) for rate in rates),
        invented=tuple(invented_table(lookup, rate.section) for rate in rates),
        said=tuple(what_they_said(evidence, _open_questions(evidence), chosen)),
        biases=tuple(mirage_biases(lookup, sections)),
        scores=tuple(mirage_scores(lookup, sections)),
        guessing=tuple(guessing(lookup)),
        naming=tuple(naming(lookup)),
        grounding=tuple(groundings(lookup)),
        words=tuple(mirage_words_parts(lookup)),
        judging=judging(lookup, rates),
    )


CHAPTER = Chapter(
    anchor="mirage",
    title="Mirage: what it sees when nothing was sent",
    short="Mirage",
    template="snellen.protocols.mirage.report:chapter.html.jinja",
    choose=shown_sayings,
    build=mirage,
    covers=told_here,
    paper="Mirage: The Illusion of Visual Understanding",
)
