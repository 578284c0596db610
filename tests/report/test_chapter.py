"""Chapters: what a test of another package brings to the page, and what the page does with one that fails."""

import re
from contextlib import ExitStack
from dataclasses import replace
from html import unescape
from importlib import import_module

import pytest

from snellen.asking.plan import Plan
from snellen.asking.run import run
from snellen.items import Benchmark
from snellen.models import open_model
from snellen.models.fake import FakeModel
from snellen.papers.paper import describe_method
from snellen.prompts import PROMPTS, Settings
from snellen.report.chapter import PAGE, build_chapters, open_chapters
from snellen.report.components import Cell, Row, Table
from snellen.report.drawing import draw
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.marks import PATTERNS
from snellen.report.page import render
from snellen.report.sections.questions import QUESTIONS
from snellen.report.sections.tests import sections
from snellen.report.words.arms import page_words
from snellen.scoring.resolving import study_record
from snellen.scoring.result_files import record_results
from snellen.scoring.results import score
from snellen.store import Store
from snellen.stress import stress_test
from snellen.study import Study


@pytest.fixture
def second_look(ward):
    """The test of the example of a plug-in."""
    return stress_test("second-look")


@pytest.fixture
def home(second_look):
    """The file that has its chapter."""
    return import_module("ward.second_look_chapter")


@pytest.fixture
def asked(tmp_path, question):
    """Ask and score a small study of some tests; the store stays open."""

    def make(*tests):
        benchmark = Benchmark("bench", tuple(question(number) for number in range(12)))
        models = (FakeModel(lambda request: "Answer: <b>B</b>", name="fake/b"), open_model("organism/random"))
        designs = tuple(test.design for test in tests)
        plan = Plan((benchmark,), models, designs, PROMPTS["letter"], Settings(temperature=0))
        store = stack.enter_context(Store.open(tmp_path / "out", write=True))
        run(plan, store)
        store.studies.add(study_record(plan, store, {"created": "2026-07-01T09:30:00+00:00", "version": "0.1.0"}))
        return score(store, tests=tests), store

    with ExitStack() as stack:
        yield make


def draw_chapters(results, store):
    """The chapters of tests and plug-ins by their anchors, and their HTML."""
    evidence = Evidence(results, store)
    drawn = build_chapters(open_chapters(evidence), evidence, sections(evidence))
    return {each.anchor: each for each in drawn}, draw([each.fold() for each in drawn])


def part(text, anchor):
    """One chapter of the page, from its id to the next one."""
    part = text[text.index(f'<details class="chapter" id="{anchor}"') :]
    return part[: part.index('<details class="chapter"', 10)]


def test_a_plug_in_brings_a_test_a_measure_a_figure_and_a_chapter(second_look, asked, parsed):
    """All four are on the page: the chapter folded among the others, the figure in it, the measure in its words."""
    results, store = asked(stress_test("image-needed"), second_look)
    text = render(results, store)
    page = parsed(text)
    assert page.problems == []
    assert len(page.ids()) == len(set(page.ids()))

    chapter = part(text, "second-look")
    assert "<summary><h3>A second look: does the answer stay?</h3> " in chapter
    assert chapter.count('<svg class="thin-bar"') == 2
    assert "Answer: &lt;b&gt;B&lt;/b&gt;" in chapter
    kept = next(row for row in results.rows() if row["measure"] == "kept_rate" and row["model"] == "fake/b")
    assert (kept["value"], kept["kind"]) == (1.0, "share")
    assert re.search(r'<a class="v" href="#[^"]+">100% \(', chapter)
    assert f"<code>{describe_method(kept)}</code>" in chapter

    stable = part(text, "stable")
    assert "Keeps its answer when asked to look again, look-again (percent)" in stable
    assert "kept_rate" in str(record_results(results)["verdicts"])
    assert "100% (95% CI " in str(results)


def test_a_test_that_the_chapter_covers_has_no_other_section(second_look, home, asked, monkeypatch):
    """It stands in the chapter alone; another test keeps its own."""
    chapter = replace(home.CHAPTER, covers=lambda section: section.test.name == "second-look")
    monkeypatch.setattr(home, "CHAPTER", chapter)
    text = render(*asked(stress_test("image-needed"), second_look))
    assert 'id="test-second-look"' not in text
    assert 'id="test-image-needed"' in text


def raises(*_):
    """A fault of the plug-in's author."""
    return 1 / 0


FAULTS = (
    ({"choose": raises}, "ZeroDivisionError: division by zero"),
    ({"build": raises}, "ZeroDivisionError: division by zero"),
    ({"covers": raises}, "ZeroDivisionError: division by zero"),
    ({"choose": lambda evidence: evidence.lead_to([(next(iter(evidence.anchors)), 999)])}, "IndexError: "),
    ({"build": lambda *_: [Table((), (Row(Cell("m"), (Cell("more"),)),))]}, "UndefinedError: "),
    (
        {"template": "ward:chapter.html.jinja"},
        "PluginError: a chapter may no longer have a template: its build must return parts (snellen.report.components)",
    ),
    (None, "PluginError: expected &#39;ward.second_look_chapter:CHAPTER&#39; to be a Chapter, got None"),
)


def test_a_chapter_that_fails_says_so_and_the_rest_stands(second_look, home, asked, monkeypatch, parsed):
    """One line in its place says why; its test has its section all the same."""
    results, store = asked(second_look)
    own = home.CHAPTER
    for fault, reason in FAULTS:
        monkeypatch.setattr(home, "CHAPTER", None if fault is None else replace(own, **fault))
        chapters, html = draw_chapters(results, store)
        assert f"This chapter could not be drawn. {reason}" in html
        assert {each.covered for each in chapters.values()} == {()}
    text = render(results, store)
    assert parsed(text).problems == []
    assert text.count("could not be drawn") == 1
    assert 'id="test-second-look"' in text
    assert all(page_words(finding.verdict.sentence) in unescape(text) for finding in results.findings)


def test_a_chapter_that_is_not_there_is_named_after_its_test(second_look, asked):
    """Whose module cannot be imported has no title of its own."""
    chapters, html = draw_chapters(*asked(replace(second_look, chapter="nowhere_at_all:CHAPTER")))
    assert chapters["chapter-second-look"].title == "second-look"
    assert "ModuleNotFoundError: No module named &#39;nowhere_at_all&#39;" in html


def test_ids_of_the_page_are_not_taken(second_look, home, asked, monkeypatch, parsed):
    """A chapter whose anchor the page has already gets another; the list of the page's ids is whole.

    A chapter without anything to say is neither on the page nor in the navigation.
    """
    results, store = asked(second_look)
    own = home.CHAPTER
    monkeypatch.setattr(home, "CHAPTER", replace(own, build=lambda *_: None))
    assert "second-look" not in draw_chapters(results, store)[0]
    monkeypatch.setattr(home, "CHAPTER", replace(own, anchor="rows"))
    ids = parsed(render(results, store)).ids()
    assert len(ids) == len(set(ids))
    assert "rows-2" in ids
    own = {each for each in ids if not each.startswith(("rows-", "test-", "image-", "ward-round"))}
    assert own | {asked.anchor for asked in QUESTIONS[:-1]} | set(PATTERNS) <= set(PAGE)


def test_our_own_chapters_can_be_drawn(ready_text, mirage_text, degraded_text):
    """A fault of ours would not stop the report; this test is there to see it."""
    assert ['id="readiness"' in ready_text, 'id="mirage"' in mirage_text, 'id="artefacts"' in degraded_text] == [
        True
    ] * 3


def test_no_test_stands_twice_or_nowhere_when_asked_at_an_effort(tmp_path):
    """Beside the plain test in its chapter, the same test at an effort has its ordinary section, and ids are unique."""
    tests = ["pathway-answers", "pathway-answers:effort=high", "mismatched-image:effort=high"]
    study = Study(
        models=["organism/grounded"], benchmarks=["phantoms:task=pathway,items=24"], tests=tests, prompt="letter",
        out=tmp_path,
    )  # fmt: skip
    study.run(lambda progress: None)
    page = (tmp_path / "report.html").read_text()
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    for name in ("pathway-answers-effort-high", "mismatched-image-effort-high"):
        assert f"test-{name}" in ids
