"""The page as it is read in a browser: where one is, what is shown, how wide, how many pages, and by everybody."""

import re

import pytest

from browser import TOO_WIDE
from organisms import scored
from snellen import report

EVERYTHING = "for (const each of document.querySelectorAll('main details')) each.open = true"


@pytest.fixture(scope="module")
def exam(examined):
    """The page of six organisms."""
    with scored(examined, ("grounded", "blind", "mirage", "positional", "refuser", "random")) as study:
        return report.write(*study)


@pytest.fixture
def unfolded(exam, browser):
    """The same with everything unfolded; opened again only if it is not open already."""
    there = f"location.href === {exam.as_uri()!r} && document.documentElement.dataset.unfolded === 'yes'"
    if not browser.evaluate(there):
        browser.open(exam.as_uri())
        browser.evaluate(EVERYTHING)
        browser.evaluate("document.documentElement.dataset.unfolded = 'yes'")
    browser.resize(1400)
    return browser


def seen(browser, selector):
    """How many elements of a kind are seen."""
    return browser.evaluate(f"[...document.querySelectorAll({selector!r})].filter((e) => e.checkVisibility()).length")


def test_chapters_are_folded_and_each_says_its_result(exam, browser):
    """In the order of their questions; a link opens the chapter that it leads into."""
    browser.open(exam.as_uri())
    chapters = "[...document.querySelectorAll('details.chapter')]"
    assert browser.evaluate(f"{chapters}.map((each) => each.querySelector('h3').textContent)") == [
        "Does it follow the image?", "Is it honest without it?", "Is it steady?", "What does the benchmark give away?",
        "How sure is the order of the models?", "All responses", "Methods, completeness, citing",
    ]  # fmt: skip
    assert browser.evaluate(f"{chapters}.some((each) => each.open)") is False
    said = browser.evaluate(f"{chapters}.slice(0, 3).map((each) => each.querySelector('summary span').textContent)")
    assert all(re.fullmatch(r"(\d pass|\d fail \(.+\)|\d not decided|\d not applicable)(, .*)?", each) for each in said)
    browser.evaluate("location.hash = '#stable'")
    browser.wait_for("document.getElementById('stable').closest('details').open")
    assert browser.complaints == []


def test_a_number_takes_the_focus_along(exam, browser):
    """After a click on a number the keyboard is at its responses; after one on a chapter, at its summary."""
    browser.open(exam.as_uri())
    browser.evaluate("document.querySelector('table.first td a.v[href^=\"#rows-\"]').click()")
    browser.wait_for("document.activeElement.closest('.browser') !== null")
    assert browser.evaluate("document.getElementById('browse').open") is True
    browser.evaluate("location.hash = '#stable'")
    browser.wait_for("document.activeElement.localName === 'summary'")
    assert browser.evaluate("document.activeElement.parentElement.id") == "stable"
    browser.evaluate("location.hash = '#test-option-order'")
    browser.wait_for("document.activeElement.id === 'test-option-order'")
    assert browser.complaints == []


def test_only_tables_that_scroll_are_stops_of_the_keyboard(unfolded):
    """Everything unfolded, on a screen and on a phone."""
    for width in (1400, 390):
        unfolded.resize(width)
        unfolded.wait_for("document.querySelectorAll('.wide').length > 5")
        wrong = (
            "[...document.querySelectorAll('.wide')].filter((e) => e.checkVisibility() && "
            "(e.scrollWidth > e.clientWidth) !== e.hasAttribute('tabindex')).length"
        )
        unfolded.wait_for(f"{wrong} === 0")


def test_filters_stand_at_the_responses_alone(exam, browser):
    """No other control of the page shows or hides anything, so that no table can be missed."""
    browser.open(f"{exam.as_uri()}#rows")
    browser.wait_for("document.querySelectorAll('.browser .lines').length === 1")
    outside = "[...document.querySelectorAll('select, input')].filter((each) => !each.closest('#browse')).length"
    assert browser.evaluate(outside) == 0


def test_nothing_is_said_by_pointing_alone(exam, browser):
    """How numbers were made stands in folds below the tables; no words wait for a mouse."""
    browser.open(exam.as_uri())
    browser.evaluate(EVERYTHING)
    browser.wait_for("document.querySelector('.browser .line') !== null")
    browser.evaluate("document.querySelector('.browser .line').click()")
    browser.wait_for("document.querySelector('.same-item') !== null")
    assert browser.evaluate("document.querySelectorAll('[title]').length") == 0
    assert seen(browser, ".ways > summary") > 30
    assert browser.evaluate("document.querySelector('.first + .ways').innerText").startswith("How these numbers were")


def test_images_are_described_and_grid_lines_run_through(unfolded):
    """No image is named by its hash; at 1,400 pixels the lines of a drawn table do not break."""
    names = unfolded.evaluate("[...document.querySelectorAll('svg:has(use)')].map((e) => e.getAttribute('aria-label'))")
    assert names
    assert all(name.startswith("Image of this case: ") and not re.search(r"[0-9a-f]{12}", name) for name in names)
    gaps = unfolded.evaluate(GAPS)
    assert len(gaps) > 20
    assert max(gaps) < 1.5


GAPS = """[...document.querySelectorAll('table.drawn')].filter((each) => each.checkVisibility()).flatMap((table) => {
  const cells = [...table.querySelectorAll('tbody tr:not(.axis, .heading) td.drawn')];
  return cells.slice(1).map((cell, at) => {
    const lines = (one) => one.querySelector('line.grid').getBoundingClientRect();
    return cell.closest('tr').previousElementSibling.matches('.heading') || !cell.querySelector('line.grid')
      ? 0 : lines(cell).top - lines(cells[at]).bottom;
  });
})"""


def test_the_page_is_short(exam, browser):
    """Unfolded it has at most 6,000 pixels and 2,000 words; it prints on ten pages without the responses."""
    browser.open(exam.as_uri(), width=1400)
    assert browser.evaluate("document.documentElement.scrollHeight") <= 6000
    assert len(browser.evaluate("document.body.innerText").split()) <= 2000
    browser.open(exam.as_uri())
    assert 1 < len(re.findall(rb"/Type\s*/Page\b", browser.pdf())) <= 10


def test_nothing_scrolls_sideways(exam, browser):
    """Whatever is unfolded, the page is as wide as the screen; wide tables scroll by themselves."""
    browser.open(exam.as_uri())
    for unfold in ("0", EVERYTHING):
        browser.evaluate(unfold)
        for width in (1400, 820, 390):
            browser.resize(width)
            assert browser.evaluate("document.documentElement.scrollWidth") == width
            assert browser.evaluate(TOO_WIDE) == [], width


@pytest.mark.usefixtures("degraded_text")
def test_numbers_with_words_stay_on_a_phone(degraded, browser):
    """Those below the accuracy, too: a line breaks before it leaves the table."""
    browser.open((degraded[0].folder / "report.html").as_uri(), width=390)
    outside = (
        "[...document.querySelectorAll('.first td .v')].filter((e) => e.getBoundingClientRect().right > "
        "document.querySelector('.first').getBoundingClientRect().right + 1).map((e) => e.textContent)"
    )
    assert browser.evaluate("document.querySelectorAll('.first td .more .v').length") > 0
    assert browser.evaluate(outside) == []
