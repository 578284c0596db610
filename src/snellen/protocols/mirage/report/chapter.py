"""Mirage: the tests of "Mirage: The Illusion of Visual Understanding" as a chapter, as far as they were asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snellen.protocols.mirage.report.bias import draw_bias
from snellen.protocols.mirage.report.grounding import draw_grounding
from snellen.protocols.mirage.report.guessing import draw_guessing, draw_naming
from snellen.protocols.mirage.report.quotes import Chosen, choose_quotes, draw_quotes
from snellen.protocols.mirage.report.rate import draw_rate
from snellen.protocols.mirage.report.reading import draw_reading
from snellen.protocols.mirage.report.score import draw_score
from snellen.protocols.mirage.report.words import draw_words
from snellen.report.chapter import Chapter
from snellen.report.components import Link, Note, Part, rich
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup, family
from snellen.report.sections.headline import compare_shares
from snellen.report.sections.tests import ShownTest
from snellen.scoring.results import Results

PARTS = {
    "mirage-rate": "mirage rate",
    "mirage-bias": "mirage bias",
    "mirage-score": "mirage score",
    "guess-mode": "guess mode",
    "dataset-name": "the dataset’s name",
    "grounding-signal": "grounding signal",
    "mirage-words": "mirage words",
}
"""The families of tests that the chapter is about, and what the paper calls them."""
TOLD_HERE = frozenset(("mirage-rate", "mirage-bias", "mirage-score"))
"""The families that have their section in the chapter; the others keep theirs among the ordinary tests."""


def has_chapter(results: Results) -> bool:
    """Whether any of these tests was asked."""
    return any(family(finding) in PARTS for finding in results.findings)


def told_here(section: ShownTest) -> bool:
    """Whether the chapter tells all of a test, so that it needs no section of its own."""
    return family(section.findings[0]) in TOLD_HERE


def choose_sayings(evidence: Evidence) -> Chosen:
    """The responses to open questions that the chapter may show; none if none were asked."""
    benchmark = _find_open_questions(evidence)
    return choose_quotes(evidence, benchmark) if benchmark else {}


def _find_open_questions(evidence: Evidence) -> str:
    """The benchmark whose responses are shown: that of the mirage rate, or else of the bias."""
    asked = {family(each): each.benchmark for each in evidence.results.findings if each.benchmark}
    names = [asked[name] for name in ("mirage-rate", "mirage-bias") if name in asked]
    return next((name for name in names if name in evidence.own_questions), "")


def draw_mirage(evidence: Evidence, sections: Sequence[ShownTest], chosen: Chosen) -> list[Part] | None:
    """The chapter of a study that asked any of these tests; None for any other."""
    if not has_chapter(evidence.results):
        return None
    lookup = Lookup(evidence)
    by_family = {name: [each for each in sections if family(each.findings[0]) == name] for name in PARTS}
    rates = [finding.benchmark for each in by_family["mirage-rate"] for finding in each.findings]
    return [
        *_introduce(evidence, by_family),
        *(draw_rate(lookup, each) for each in by_family["mirage-rate"]),
        *draw_quotes(evidence, _find_open_questions(evidence), chosen),
        *(draw_bias(lookup, each) for each in by_family["mirage-bias"]),
        *(draw_score(lookup, each) for each in by_family["mirage-score"]),
        *draw_guessing(lookup),
        *draw_naming(lookup),
        *draw_grounding(lookup),
        *draw_words(lookup),
        *draw_reading(evidence, rates),
    ]


def _introduce(evidence: Evidence, by_family: dict[str, list[ShownTest]]) -> Iterator[Note]:
    """The answer, what the chapter is about, and which of the paper's tests were asked."""
    for name in ("mirage-rate", "mirage-bias"):
        for each in by_family[name][:1]:
            if said := compare_shares(evidence.results, each.findings):
                yield Note(f"{said}.", look="found")
    yield Note(rich(
        "The tests of “Mirage: The Illusion of Visual Understanding”, as far as they were asked here. A **mirage** is "
        "a response that describes an image nobody sent, without doubt and without saying so."
    ))  # fmt: skip
    links = tuple(Link(each.test.name, each.anchor) for those in by_family.values() for each in those)
    left_out = [words for name, words in PARTS.items() if not by_family[name]]
    missing = f"Not asked: {', '.join(left_out)}. " if left_out else ""
    yield Note(f"{missing}Asked:", look="quiet", links=links)


CHAPTER = Chapter(
    anchor="mirage",
    title="Mirage: what it sees when nothing was sent",
    short="Mirage",
    choose=choose_sayings,
    build=draw_mirage,
    covers=told_here,
    paper="Mirage: The Illusion of Visual Understanding",
)
