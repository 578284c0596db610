"""Mirage: the tests of "Mirage: The Illusion of Visual Understanding" as a chapter, as far as they were asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from snellen.protocols.mirage.report.bias import MirageBias, mirage_biases
from snellen.protocols.mirage.report.grounding import Grounding, groundings
from snellen.protocols.mirage.report.guessing import Guessing, Naming, guessing, naming
from snellen.protocols.mirage.report.quotes import Chosen, QuotesOfModel, candidates, what_they_said
from snellen.protocols.mirage.report.rate import (
    RATE,
    AdmissionJudging,
    HeatMaps,
    MirageRate,
    heat_maps,
    judging,
    mirage_rates,
)
from snellen.protocols.mirage.report.score import MirageScore, mirage_scores
from snellen.protocols.mirage.tests.rate import scaffold_of
from snellen.report.chapter import Chapter
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.forests import Forest, forest, resting
from snellen.report.lookup import Lookup, family
from snellen.report.sections.blind_arms import DESCRIBES
from snellen.report.sections.cards import CardPart, CardQuestion, ForCard, answers, briefly
from snellen.report.sections.tests import Section
from snellen.scoring.findings import Finding
from snellen.scoring.results import Results
from snellen.stress.base import Status

PARTS = {
    "mirage rate": "mirage-rate",
    "mirage bias": "mirage-bias",
    "mirage score": "mirage-score",
    "guess mode": "guess-mode",
    "the dataset's name": "dataset-name",
    "grounding signal": "grounding-signal",
}
"""The parts of the chapter, and the families of tests that they are about."""
TOLD_HERE = frozenset(("mirage-rate", "mirage-bias", "mirage-score"))
"""The families that have their section in the chapter; the others keep theirs among the ordinary tests."""


@dataclass(frozen=True)
class MirageChapter:
    """The chapter: every part in the order of the page; a part that was not asked is empty."""

    tests: tuple[tuple[str, tuple[Section, ...]], ...]
    rates: tuple[tuple[MirageRate, HeatMaps], ...]
    said: tuple[QuotesOfModel, ...]
    biases: tuple[MirageBias, ...]
    scores: tuple[MirageScore, ...]
    guessing: tuple[Guessing, ...]
    naming: tuple[Naming, ...]
    grounding: tuple[Grounding, ...]
    judging: AdmissionJudging | None


def has_chapter(results: Results) -> bool:
    """Whether any of these tests was asked."""
    return any(family(finding) in PARTS.values() for finding in results.findings)


def told_here(section: Section) -> bool:
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


def mirage(evidence: Evidence, sections: Sequence[Section], chosen: Chosen) -> MirageChapter | None:
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
        said=tuple(what_they_said(evidence, _open_questions(evidence), chosen)),
        biases=tuple(mirage_biases(lookup, sections)),
        scores=tuple(mirage_scores(lookup, sections)),
        guessing=tuple(guessing(lookup)),
        naming=tuple(naming(lookup)),
        grounding=tuple(groundings(lookup)),
        judging=judging(lookup, rates),
    )


HEADING = "Does it describe an image that nobody sent?"
DIAGNOSES = {
    Status.PASS: "It diagnoses nothing",
    Status.FAIL: "It diagnoses what was not there",
    Status.INCONCLUSIVE: "Inconclusive",
}


def cards(evidence: Evidence, sections: Sequence[Section]) -> Iterator[ForCard]:
    """The mirage rate as images, bare and under what fools each model most; diagnoses in a line.

    They come first where no other test looked at the words of the responses, and last where one did.
    """
    read = any(each.test.headline == "described_rate" for each in sections)
    for section in (each for each in sections if family(each.findings[0]) in ("mirage-rate", "mirage-bias")):
        rates = section.test.headline == RATE
        statuses = [(each.verdict.status, each.model) for each in section.findings]
        given = answers(statuses, DESCRIBES if rates else DIAGNOSES)
        part = CardPart(given, anchor=section.anchor, heading=HEADING if rates else section.test.name)
        drawn = replace(part, forests=tuple(_forests(evidence, section))) if rates else briefly(part)
        yield ForCard(CardQuestion.KNOWS, drawn, "last" if read else "first")


def _forests(evidence: Evidence, section: Section) -> list[Forest]:
    first = section.test.baseline.name
    words = "asked bare" if scaffold_of(first) == "none" else f"asked under the scaffold {scaffold_of(first)}"
    caption = f"Mirage rate: responses that describe the image, {words}"
    drawn = forest(section.findings, first, RATE, evidence=evidence, label=_model, caption=caption)
    made = [] if drawn is None else [drawn]
    arms = {each.verdict.rests_on.arm for each in section.findings if each.verdict.rests_on is not None}
    if arms - {first}:
        only = f", {scaffold_of(next(iter(arms)))}" if len(arms) == 1 else ""
        caption = f"Under the scaffold that fools it most{only}"
        made += resting(section.findings, evidence=evidence, label=_model, arm_words=scaffold_of, caption=caption)
    return made


def _model(finding: Finding) -> str:
    return finding.model


CHAPTER = Chapter(
    anchor="mirage",
    title="Mirage: what it sees when nothing was sent",
    short="Mirage",
    template="snellen.protocols.mirage.report:chapter.html.jinja",
    choose=shown_sayings,
    build=mirage,
    covers=told_here,
    cards=cards,
)
