import base64
import shutil
import subprocess

import pytest

from snellen import report

OVERLAPS = """[...document.querySelectorAll('.axis-title')].filter((title) => {
  const labels = [...title.parentElement.querySelectorAll('svg text')].map((each) => each.getBoundingClientRect());
  return Math.max(...labels.map((each) => each.bottom)) > title.getBoundingClientRect().top + 0.5;
}).map((title) => title.textContent)"""
CUT = """[...document.querySelectorAll('main svg text, main td, main th')].filter((each) => each.checkVisibility())
  .filter((each) => each.getBoundingClientRect().right > document.querySelector('main').getBoundingClientRect().right)
  .map((each) => each.textContent)"""
ALONE = """[...document.querySelectorAll('main h2, main h3, main h4')].filter((each) => each.getClientRects().length)
  .filter((each) => !each.closest('summary'))
  .filter((title) => ![...title.parentElement.children].some((each) => each !== title && each.getClientRects().length))
  .map((title) => title.textContent)"""
SHEET = {"width": 680, "height": 1000}
"""About the width of what is printed on A4, in pixels."""


@pytest.fixture(scope="module")
def page(study):
    """The page of a study with all three marks."""
    return report.write(*study(tests=("follows", "honest", "steady", "image-needed", "option-order")))


@pytest.fixture
def printed(page, browser):
    """The page as it is laid out for paper, with its chapters open."""
    browser.open(page.as_uri(), **SHEET)
    browser.evaluate("document.querySelectorAll('details.chapter').forEach((each) => { each.open = true; })")
    browser.send("Emulation.setEmulatedMedia", media="print")
    yield browser
    browser.send("Emulation.setEmulatedMedia", media="")


def test_what_is_printed_can_be_read(printed):
    """No axis title lies over labels, nothing is cut at the right, and the rule of a test is there."""
    assert printed.evaluate("document.querySelectorAll('.axis-title').length") > 1
    assert printed.evaluate(OVERLAPS) == []
    assert printed.evaluate(CUT) == []
    assert printed.evaluate("document.querySelector('#stable').innerText.includes('fewer than 10 points')")


def test_no_title_stands_over_nothing(printed):
    """A title whose only content is folded is left out with it; a folded chapter is its title and its result."""
    assert printed.evaluate(ALONE) == []
    printed.evaluate("document.querySelectorAll('details.chapter').forEach((each) => { each.open = false; })")
    assert printed.evaluate(ALONE) == []
    assert printed.evaluate("document.querySelector('#stable > summary').getClientRects().length")
    assert not printed.evaluate("document.querySelector('.top').getClientRects().length")


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="poppler's pdftotext reads the pages")
def test_case_is_on_one_page(printed, tmp_path):
    """The question of the case and all its panes are on the same page, with what is quoted in full."""
    data = base64.b64decode(printed.send("Page.printToPDF", preferCSSPageSize=True)["data"])
    (tmp_path / "page.pdf").write_bytes(data)
    done = subprocess.run(["pdftotext", "-layout", tmp_path / "page.pdf", "-"], capture_output=True, check=True)
    pages = [" ".join(each.split()) for each in done.stdout.decode().split("\f")]
    [page] = [each for each in pages if "One case, side by side" in each]
    assert "What does picture" in page
    assert all(words in page for words in ("With the image", "No image", "Answer: "))
