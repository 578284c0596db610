"""The page of an eye chart: every letter marked by shape and sign, foreign words inert, readable by everybody."""

import base64
import math
import re
from dataclasses import replace
from pathlib import Path

import axe_core_python
import numpy as np

from charted import ACUITY, charted
from snellen.chart.figures import as_sent
from snellen.chart.page import render
from snellen.chart.sentences import first_sentence
from snellen.images import decode

HOSTILE = '<script>alert(1)</script><img src=x onerror="alert(2)">\u202e</q></table>'
AXE = Path(axe_core_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
WRONG = """axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']}).then((found) => found.violations
  .flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 200)}`)))"""


def section(page, name):
    return re.search(rf'<section id="{name}">.*?</section>', page, re.DOTALL)[0]


def test_the_sentence_comes_first_and_every_letter_is_marked():
    """Below each letter stands a sign; wrong ones are followed by what was said; sizes fall from row to row."""
    result = charted()
    page = render(result)
    assert page.index(result.sentence) < page.index("<h2>")
    chart = section(page, "chart")
    first = {}
    for trial in result.trials:
        if trial.series is ACUITY and trial.outcome == "answered":
            first.setdefault(trial.size, trial)
    letters = [letter for size in sorted(first, reverse=True) for letter in first[size].letters]
    expected = [
        f"✗{letter.said}" if letter.mark == "wrong" else {"right": "✓", "declined": "?", "missing": "–"}[letter.mark]
        for letter in letters
    ]
    assert re.findall(r'<text class="sign \w+"[^>]*>([^<]*)</text>', chart) == expected
    assert re.findall(r'<rect class="around (\w+)"', chart) == [letter.mark for letter in letters]
    assert {letter.mark for letter in letters} == {"right", "wrong", "declined", "missing"}


def test_the_picture_holds_the_pixels_that_were_sent():
    """The letters of a row are cut out of the image, not drawn anew at another size."""
    result = charted()
    trial = next(each for each in result.trials if each.series is ACUITY and each.size == 8)
    picture = next(each for each in re.findall(r"<svg class=.shown.*?</svg>", render(result)) if "8 px: " in each)
    cut = decode(base64.b64decode(re.search('base64,([^"]+)', picture)[1]), name="on the page")
    left, top = trial.letters[0].x - 2, trial.letters[0].y - 2
    assert np.array_equal(cut, as_sent(trial)[top : top + cut.shape[0], left : left + cut.shape[1]])


def test_what_a_model_says_stays_text():
    """Markup in a reply or a name is shown as words, and characters that turn the line around are spelled out."""
    page = render(charted(model=HOSTILE, reply=HOSTILE))
    assert "<script" not in page
    assert "<img" not in page
    assert "⟨U+202E⟩" in page
    assert page.count("</table>") == render(charted()).count("</table>")


def test_no_number_is_said_plainly():
    """A model that refused everything has a page with the reason and its replies, and no curve."""
    whole = charted()
    refused = tuple(replace(trial, outcome="refused", reply="I cannot help.") for trial in whole.trials)
    empty = {"acuity": None, "others": (), "corners": (), "shrinking": None, "invention": None, "sentences": ()}
    page = render(replace(whole, why="It refused all charts.", sentence="No number.", trials=refused, **empty))
    assert "It refused all charts." in page
    assert "I cannot help." in section(page, "replies")
    assert 'class="reading"' not in page


def test_an_interval_without_an_end_is_drawn():
    """A threshold below the smallest size asked has no lower end; the page says so and has no broken figure."""
    whole = charted()
    open_ended = replace(
        whole.acuity,
        size=replace(whole.acuity.size, low=0.0),
        logmar=replace(whole.acuity.logmar, low=-math.inf, high=math.inf),
    )
    page = render(replace(whole, acuity=open_ended))
    assert "nan" not in page.replace("finance", "")
    assert "(95% CI less than can be told to 9.4)" in page
    assert "(95% CI less than can be told to more than can be told)" in page
    assert first_sentence(replace(whole, acuity=open_ended)).count("less than can be told") == 2


def test_it_is_read_by_everybody(tmp_path, browser):
    """Light and dark, wide and narrow: no complaint of the browser, nothing beyond the edge, WCAG 2.1 AA by axe."""
    file = tmp_path / "chart.html"
    file.write_text(render(charted(reply=HOSTILE)), encoding="utf-8")
    for width, dark in ((1400, False), (390, True)):
        browser.open(file.as_uri(), width=width, dark=dark)
        browser.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        assert browser.evaluate("document.documentElement.scrollWidth") <= width
        assert browser.complaints == []
    browser.evaluate(AXE)
    assert browser.evaluate(WRONG) == []
