"""Mirage: the tests of "Mirage: The Illusion of Visual Understanding" as a chapter, as far as they were asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from snellen.papers.mirage.report.answers import draw_grounding, draw_guessing, draw_naming, draw_words
from snellen.papers.mirage.report.bias import draw_bias
from snellen.papers.mirage.report.quotes import Chosen, choose_quotes, draw_quotes
from snellen.papers.mirage.report.rate import draw_rate
from snellen.papers.mirage.report.score import draw_score
from snellen.reading.columns import NOTHING
from snellen.reading.missing_image.columns import FLAGGED
from snellen.report.chapter import Chapter
from snellen.report.components import Link, Note, Part, Section, rich
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup, family
from snellen.report.sections.headline import compare_shares
from snellen.report.sections.tests import ShownTest
from snellen.report.words.numbers import count, describe_agreement, missing_image_agreement
from snellen.runtime import visible
from snellen.scoring.results import Results
from snellen.stress.table import Table

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


def draw_reading(evidence: Evidence, benchmarks: Iterable[str]) -> Iterator[Section]:
    """The parser and the judge, with how far they agree on the responses of some benchmarks."""
    if not evidence.own_questions:
        return
    read = (
        "Whether a response to an open question says that there is no image is read offline and by rules, by the "
        "parser `{}`: one label for each response, and every row names the rule. {}"
    )
    judged = describe_judge(evidence, frozenset(benchmarks)) or rich(
        "No judge was asked here: `snellen judge OUT` asks one the question of the paper."
    )
    parts = Note(rich(read, evidence.results.study["admissions_by"], missing_image_agreement())), Note(judged)
    yield Section("How these responses were read", parts, "mirage-reading")


def describe_judge(evidence: Evidence, benchmarks: frozenset[str]) -> str:
    """Which judge was asked, what of it could not be read, and its agreement with the parser; "" if none was asked."""
    tables = [each for (_, name), each in evidence.results.tables.items() if name in evidence.own_questions]
    names = list(dict.fromkeys(each.judge for each in tables if each.judge))
    if not names:
        return ""
    unread = sum(each.judge_unread for each in tables)
    pairs = list(_list_flagged(each for each in tables if each.benchmark in benchmarks))
    agreement = "How far it agrees with the parser cannot be said: none of its answers could be read."
    if pairs:
        agreement = describe_agreement("what is flagged", pairs, "responses", ", all models and scaffolds together")
    return visible(
        f"A judge, {', '.join(names)}, was asked the question of the paper about each response: does it mention that "
        "no image was seen, or show any doubt? Its opinion stands beside ours and replaces nothing"
        f"{f'; {count(unread)} of its answers could not be read' if unread else ''}. {agreement}"
    )


def _list_flagged(tables: Iterable[Table]) -> Iterator[tuple[bool, bool]]:
    """Of every response that the judge was heard on, whether the parser flags it and whether the judge does."""
    for said in (grades.admissions for table in tables for grades in table.arms.values()):
        if said is not None:
            heard = said.flagged != NOTHING
            yield from zip(said.is_(*FLAGGED)[heard].tolist(), (said.flagged[heard] == 1).tolist(), strict=True)


CHAPTER = Chapter(
    anchor="mirage",
    title="Mirage: what it sees when nothing was sent",
    short="Mirage",
    choose=choose_sayings,
    build=draw_mirage,
    covers=lambda section: family(section.findings[0]) in TOLD_HERE,
    paper="Mirage: The Illusion of Visual Understanding",
)
