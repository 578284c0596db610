"""The page as it is read in a browser: where one is, what is shown, how wide, how many pages, and by everybody."""

import re
from pathlib import Path

import axe_core_python
import pytest

from snellen import report
from snellen.models.fake import FakeModel
from snellen.study import Study

AXE = Path(axe_core_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
RULES = "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']"
WRONG = f"""axe.run(document, {{runOnly: {RULES}}}).then((found) => found.violations.flatMap(
  (rule) => rule.nodes.map((node) => `${{rule.id}}: ${{node.html.slice(0, 200)}} ${{node.any[0]?.message ?? ''}}`)))"""
TOO_WIDE = """[...document.querySelectorAll('main *')].filter((each) => {
  if (!each.checkVisibility() || each.closest('.wide, .spoken, svg')) return false;
  return each.getBoundingClientRect().right > document.documentElement.clientWidth + 1;
}).map((each) => each.outerHTML.slice(0, 120))"""
EVERYTHING = "for (const each of document.querySelectorAll('main details')) each.open = true"


@pytest.fixture(scope="module")
def exam(tmp_path_factory):
    """The default exam of all organisms, on fewer phantoms."""
    out = tmp_path_factory.mktemp("exam")
    organisms = ("grounded", "blind", "mirage", "positional", "refuser", "random")
    models = [f"organism/{name}" for name in organisms]
    Study(models=models, benchmarks=["phantoms:items=40,leak=0.5"], out=out).run(lambda progress: None)
    return out / "report.html"


def seen(browser, selector):
    """How many elements of a kind are seen."""
    return browser.evaluate(f"[...document.querySelectorAll({selector!r})].filter((e) => e.checkVisibility()).length")


def test_chapters_stand_at_the_side_and_the_one_in_sight_is_marked(exam, browser):
    """All nine that the exam has, in order; the mark follows the reader."""
    browser.open(exam.as_uri())
    titles = browser.evaluate("[...document.querySelectorAll('nav > ol > li > a')].map((each) => each.textContent)")
    assert titles == [
        "Summary",
        "Does it use the image?",
        "Does it say when it cannot see?",
        "Is it stable?",
        "Benchmark",
        "Responses",
        "Methods and completeness",
    ]
    marked = "document.querySelector('nav a[aria-current]')?.hash"
    assert browser.evaluate(marked) == "#summary"
    browser.evaluate("document.documentElement.style.scrollBehavior = 'auto'; location.hash = '#stable'")
    browser.wait_for(f"{marked} === '#stable'")
    assert browser.evaluate("getComputedStyle(document.querySelector('nav')).position") == "sticky"
    assert browser.complaints == []


def test_what_is_shown_can_be_limited_and_sorted(exam, browser):
    """By model, by verdict and by condition; a column sorts down, then up."""
    browser.open(exam.as_uri())
    rows = "#summary .summary tbody tr"
    assert seen(browser, rows) == 6
    browser.evaluate("document.querySelectorAll('.show-only [name=model]')[0].click()")
    assert seen(browser, rows) == 5
    assert seen(browser, "main [data-model='organism/grounded']") == 0
    assert seen(browser, "#looks .decided .forest tr[data-model]") > seen(browser, "#looks .decided .forest") > 0
    browser.evaluate("document.querySelector('.show-only [type=reset]').click()")
    browser.wait_for(f"[...document.querySelectorAll('{rows}')].every((each) => each.checkVisibility())")
    choose = "(() => {{ const at = document.querySelector('.show-only [name={}]'); at.value = '{}';"
    browser.evaluate(choose.format("verdict", "fail") + "at.dispatchEvent(new Event('input', {bubbles: true})); })()")
    assert seen(browser, ".verdicts > li[data-verdict=fail]") == seen(browser, ".verdicts > li") > 0
    order = f"[...document.querySelectorAll('{rows}')].map((each) => Number(each.cells[1].dataset.order))"
    first = browser.evaluate(order)
    press = "document.querySelectorAll('.summary thead th')[1].querySelector('button').click()"
    browser.evaluate(press)
    assert browser.evaluate(order) == sorted(first, reverse=True)
    browser.evaluate(press)
    assert browser.evaluate(order) == sorted(first)


@pytest.mark.parametrize("width", [1400, 820, 390])
def test_nothing_scrolls_sideways(exam, browser, width):
    """Whatever is unfolded, the page is as wide as the screen; wide tables scroll by themselves."""
    browser.open(exam.as_uri(), width=width)
    assert browser.evaluate("document.documentElement.scrollWidth") == width
    assert browser.evaluate(f"(() => {{ {EVERYTHING}; return {TOO_WIDE}; }})()") == []


@pytest.mark.parametrize("dark", [False, True])
def test_everybody_can_read_it(study, browser, dark):
    """WCAG 2.1 AA as axe checks it, contrast included, everything unfolded, light and dark."""
    one = (FakeModel(lambda request: "The X-ray shows a fracture. Answer: A", name="fake/one"),)
    browser.open(report.write(*study(models=one, tests=("image-needed", "rationale"))).as_uri(), dark=dark)
    browser.evaluate(EVERYTHING)
    browser.wait_for("document.querySelector('.browser .line') !== null")
    browser.evaluate("document.querySelector('.browser .line').click()")
    browser.evaluate(f"{AXE}; 0")
    assert browser.evaluate(WRONG) == []


def test_default_exam_prints_on_ten_pages(exam, browser):
    """What is folded and the responses are left out."""
    browser.open(exam.as_uri())
    assert 1 < len(re.findall(rb"/Type\s*/Page\b", browser.pdf())) <= 10
