"""Assembly of the whole report as one HTML file without external resources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import NamedTuple

from markupsafe import Markup

from snellen.items import describe_benchmark
from snellen.report.chapter import DrawnChapter, build_chapters, open_chapters
from snellen.report.components import Cell, Code, Fold, Link, Listing, Note, Part, Section, plain_text
from snellen.report.drawing import Page, draw_page
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.standalone import Figures
from snellen.report.result_lines import describe_doubt, list_by_model
from snellen.report.sections.account import draw_account, draw_limits, draw_numbers
from snellen.report.sections.benchmark import draw_groups, draw_order, draw_with_without
from snellen.report.sections.clinicians import draw_clinicians
from snellen.report.sections.first_screen import describe_trust, list_tables
from snellen.report.sections.headline import describe_asked, describe_demonstration, headline, short_names
from snellen.report.sections.outcome_bars import draw_outcomes
from snellen.report.sections.parsers import choose_differences, choose_examples, draw_parsers
from snellen.report.sections.provenance import draw_provenance
from snellen.report.sections.questions import draw_question, draw_reruns, questions
from snellen.report.sections.repeats import draw_repeats
from snellen.report.sections.responses import PackedResponses, draw_responses, pack
from snellen.report.sections.side_by_side import draw_case, most_typical, side_by_side
from snellen.report.sections.tests import ShownTest, draw_boards, draw_test, sections
from snellen.report.sections.what_it_sees import ChosenRun, choose_cases, draw_sights
from snellen.report.sharing import list_shared_files
from snellen.report.sharing.shared_table import SharedResult, read_tables
from snellen.report.sheet import zip_files
from snellen.report.words.arms import page_words
from snellen.report.words.numbers import unbroken
from snellen.scoring.result_files import COLUMNS
from snellen.scoring.results import Results
from snellen.scoring.writing import as_csv
from snellen.store import Store

STYLES = ("tokens", "page", "parts", "marks", "responses", "print")
SCRIPTS = ("archive", "downloads", "responses", "page")


def render(results: Results, store: Store, *, note: Markup | None = None) -> str:
    """Draw the report page, perhaps with a note at its top. Equal results give equal pages."""
    return render_page(results, store, note=note).page


class Gathered(NamedTuple):
    """Content for the parts of a page."""

    evidence: Evidence
    shown: Sequence[ShownTest]
    chapters: Sequence[DrawnChapter]
    typical: Mapping[str, int | None]
    seen: Sequence[ChosenRun]
    responses: PackedResponses
    methods: Sequence[Section]


class RenderedReport(NamedTuple):
    """The page, its figures, and the shared files by path."""

    page: str
    figures: Figures
    shared: Mapping[str, str]


def render_page(results: Results, store: Store, *, note: Markup | None = None) -> RenderedReport:
    """Draw the page, its figures and the shared files."""
    evidence = Evidence(results, store)
    told = headline(evidence)
    gathered = _gather(evidence, store)
    parts = list(_list_parts(gathered))
    tables = list(list_tables(evidence, gathered.shown))
    page = Page(
        title=page_words(told.found),
        headline=f"{page_words(told.found)}.",
        lede=f"{page_words(told.meaning)}." if told.meaning else "",
        meta=f"{told.title} · {unbroken(_describe_date(results))}",
        alarm=note or describe_demonstration(dict(results.study["models"]), evidence.benchmarks),
        summary=[*tables, *describe_trust(evidence), *_list_notes(results)],
        parts=parts,
        contents=_list_contents(parts),
        styles=STYLES,
        scripts=SCRIPTS,
        study=f"snellen-{results.study['name']}",
        images=evidence.album.embedded,
        archives={
            "responses": gathered.responses.archive(evidence.album),
            "files": zip_files({**evidence.figures.files(), "results.csv": as_csv(COLUMNS, results.rows())}),
        },
    )
    result = SharedResult(
        headline=plain_text(page.headline),
        lede=plain_text(page.lede),
        examined=plain_text(describe_asked(evidence)),
        date=_describe_date(results),
        tables=read_tables(tables),
    )
    return RenderedReport(draw_page(page), evidence.figures, list_shared_files(result))


def _gather(evidence: Evidence, store: Store) -> Gathered:
    # Everything to show is chosen first, so that every arm's responses are loaded from the store once.
    chapters = open_chapters(evidence)
    typical = {name: most_typical(evidence, name) for name in evidence.benchmarks}
    seen = choose_cases(evidence)
    rules, differences = choose_examples(evidence), choose_differences(evidence)
    responses = pack(evidence, typical)
    shown = sections(evidence)
    methods = [
        draw_limits(evidence),
        Section("All tests", tuple(draw_boards(evidence, shown)), "verdicts"),
        draw_account(evidence, shown),
        draw_numbers(evidence),
        draw_provenance(evidence, store),
        draw_parsers(evidence, rules, differences),
    ]
    return Gathered(evidence, shown, build_chapters(chapters, evidence, shown), typical, seen, responses, methods)


def _describe_date(results: Results) -> str:
    asked = "imported" if results.study.get("imported") else "asked"
    return f"{asked} {str(results.study.get('created', ''))[:10]}".rstrip()


def _list_notes(results: Results) -> Iterator[Note]:
    """Yield notes for the top: left-out tests, delivery doubts and imports."""
    for why in results.unscored.values():
        yield Note(f"{why} The p-values of the other tests are corrected without it.", "Left out.", "below")
    names = short_names(results)
    doubted: dict[str, list[str]] = {}
    for _, found in list_by_model(results):
        if said := describe_doubt(results, found):
            doubted.setdefault(said, []).append(f"{names[found[0].model]} on {describe_benchmark(found[0].benchmark)}")
    for doubt, whose in doubted.items():
        yield Note(doubt, f"{'; '.join(whose)}:", "below", links=(Link("The evidence", "delivery"),))
    for each in results.delivery:
        if each.other_name:
            yield Note(each.other_name, f"{names[each.model]} on {describe_benchmark(each.benchmark)}:", "below")
    if imported := results.study.get("imported"):
        files = ", ".join(dict.fromkeys(each["file"] for each in imported))
        unknown = results.study.get("unknown_ends")
        cut = (
            f" {unknown:,} responses have no finish reason: truncated ones among them cannot be detected."
            if unknown
            else ""
        )
        yield Note(
            f"Snellen asked no model: the responses come from {files}. Images, prompts or settings that are not in the "
            f"files are unknown. What a condition did is known only from its name.{cut}",
            "Imported responses.", "below",
        )  # fmt: skip


def _list_parts(gathered: Gathered) -> Iterator[Part]:
    """Yield the parts below the first screen: Figure 1, one case, and the chapters."""
    evidence = gathered.evidence
    if outcomes := tuple(draw_outcomes(evidence)):
        yield Section("What each model does when the image goes", outcomes, "figure-1")
    cases = [side_by_side(evidence, name, ordinal) for name, ordinal in gathered.typical.items()]
    if drawn := tuple(draw_case(evidence, each) for each in cases if each):
        yield Section("One case, side by side", drawn, "typical")
    yield Section("Chapters", tuple(_list_chapters(gathered)), "chapters")
    yield Markup(
        '<p class="save"><button type="button" data-print>Print or save as PDF</button> '
        '<button type="button" class="download" data-file="results.csv">Numbers (CSV)</button> '
        '<button type="button" class="download" data-whole>Figures (ZIP)</button></p>'
    )


def _list_chapters(gathered: Gathered) -> Iterator[Fold]:
    evidence, shown = gathered.evidence, gathered.shown
    told_in = {anchor: each.short for each in gathered.chapters for anchor in each.covered}
    more: Mapping[str, Sequence[Part]] = {
        "knows": [*draw_sights(evidence, gathered.seen)],
        "stable": [*draw_reruns(evidence, shown), *draw_repeats(evidence)],
        "benchmark": [*draw_with_without(evidence), *draw_groups(evidence)],
    }
    for name, question in questions(shown, told_in).items():
        if question.asked.missing or question.here or question.elsewhere:
            yield draw_question(evidence, question, more.get(name, ()))
    if order := draw_order(evidence):
        yield order
    for each in gathered.chapters:
        yield each.fold()
    if scores := [each for each in shown if each.test.scores and each.anchor not in told_in]:
        drawn = tuple(draw_test(evidence, each) for each in scores)
        yield Fold("Scores of the papers", drawn, "reported without a verdict", "scores", "chapter")
    yield from draw_clinicians(evidence)
    yield draw_responses(evidence, gathered.responses)
    yield Fold(
        "Methods, completeness, citing",
        (*gathered.methods, _draw_citing(gathered.chapters)),
        "all tests with their ids, limits, prompts, parsers, settings",
        "methods",
        "chapter",
    )


def _draw_citing(chapters: Sequence[DrawnChapter]) -> Section:
    papers = tuple(Cell(each) for each in dict.fromkeys(each.paper for each in chapters if each.paper))
    cited = (Note("Cite also the papers whose protocols were run:"), Listing(papers, "dots")) if papers else ()
    return Section("How to cite", (Code(CITATION.format(version=version("snellen"))), *cited), "cite")


def _list_contents(parts: Sequence[Part]) -> list[Link]:
    there = {each.anchor for each in parts if isinstance(each, Section)}
    found = [Link("Results", "summary"), Link("What each model does", "figure-1"), Link("One case", "typical"),
             Link("Chapters", "chapters")]  # fmt: skip
    found = [each for each in found if each.to in there | {"summary"}]
    return [*found, Link("Responses", "rows"), Link("Methods", "methods"), Link("Cite", "cite")]


CITATION = """@software{{snellen,
  title = {{Snellen: an eye exam for medical vision-language models}},
  author = {{{{The Snellen authors}}}},
  year = {{2026}},
  version = {{{version}}}
}}"""
