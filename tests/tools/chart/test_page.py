"""The page of an eye chart: every letter marked by shape and sign, foreign words inert, readable by everybody."""

import base64
import math
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import axe_core_python
import numpy as np
import pytest

from charted import ACUITY, charted
from snellen.errors import StudyError
from snellen.images import decode
from snellen.stats import Estimate
from snellen.tools.chart.figures import as_sent, draw_axis, find_scale
from snellen.tools.chart.files import read_sight, write
from snellen.tools.chart.page import KnownSight, render
from snellen.tools.chart.sentences import describe_invention, first_sentence, pixels

HOSTILE = '<script>alert(1)</script><img src=x onerror="alert(2)">\u202e</q></table>'
AXE = Path(axe_core_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
# Only of violations every element is named: a name for each that passes took a third of the time.
WRONG = """axe.run(document, {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'], resultTypes: ['violations'],
}).then((found) => found.violations.flatMap((rule) => rule.nodes.map((node) =>
  `${rule.id}: ${node.html.slice(0, 200)}`)))"""


@cache
def plain_page():
    """The page of the made-up result."""
    return render(charted())


def chapter(page, name):
    return re.search(rf'<details class="chapter" id="{name}">.*?\n</details>', page, re.DOTALL)[0]


def shown_first(result):
    """The first chart of each size of the first series, the largest first."""
    first = {}
    for trial in result.trials:
        if trial.series is ACUITY and trial.outcome == "answered":
            first.setdefault(trial.size, trial)
    return [first[size] for size in sorted(first, reverse=True)]


def drawn(page):
    """The first chart of the page, and its letters as they stand at one scale and enlarged: width in units, pixels."""
    chart = re.search(r'<svg class="eye-chart".*?</svg>', page, re.DOTALL)[0]
    found = {}
    for look, width, data in re.findall(r'<image class="(\w+)" [^>]*width="([\d.]+)"[^>]*base64,([^"]+)', chart):
        found.setdefault(look, []).append((float(width), decode(base64.b64decode(data), name="on the page")))
    return chart, found["print"], found["pixels"]


def test_letters_have_one_scale_and_the_pixels_that_were_sent():
    """A row of 32 px is 6.4 times as high as one of 5 px; each letter is cut out of its image, not drawn anew."""
    result = charted()
    _, printed, enlarged = drawn(plain_page())
    letters = [(trial, letter) for trial in shown_first(result) for letter in trial.letters]
    scale = [width / len(cut) for width, cut in printed]
    assert max(scale) - min(scale) < 0.02
    assert printed[0][0] / len(printed[0][1]) * 32 / (printed[-1][0] / len(printed[-1][1]) * 5) == pytest.approx(
        6.4, 0.05
    )
    assert len({width for width, _ in enlarged}) == 1
    for (trial, letter), (_, cut), (_, same) in zip(letters, printed, enlarged, strict=True):
        around = (len(cut) - letter.size) // 2
        top, left = letter.y - around, letter.x - around
        assert np.array_equal(cut, as_sent(trial)[top : top + len(cut), left : left + len(cut)])
        assert np.array_equal(cut, same)


def test_the_chart_leads_and_every_letter_is_marked():
    """The headline says how small it reads; below each letter stands a sign, and what was said if it is wrong."""
    result, page = charted(), plain_page()
    headline = re.search(r"<h1>\S+ reads half of the letters at 8\.2 px \(7\.1 to 9\.4\), n = \d+ letters\.</h1>", page)
    assert headline
    assert headline.end() < page.index('class="eye-chart"') < page.index("<h2>")
    letters = [letter for trial in shown_first(result) for letter in trial.letters]
    expected = [
        f"✗{letter.said}" if letter.mark == "wrong" else {"right": "✓", "declined": "?", "missing": "–"}[letter.mark]
        for letter in letters
    ]
    assert re.findall(r'<text class="sign \w+"[^>]*>([^<]*)</text>', drawn(page)[0]) == expected
    assert {letter.mark for letter in letters} == {"right", "wrong", "declined", "missing"}


def test_thresholds_are_lines_at_their_place():
    """The own one and those of other models stand between the rows that they divide; one without a size has words."""
    others = [KnownSight("lab/far", Estimate(20.0, 18.0, 22.0, 90, "")), KnownSight(f"{HOSTILE}/blind", None)]
    page = render(charted(), others)
    words = re.findall(r'<text class="(?:label|heading|small)"[^>]*>([^<]*px[^<]*)</text>', drawn(page)[0])
    assert words == ["32 px", "24 px", "far: 20.0 px (18.0 to 22.0)", "16 px", "12 px", "10 px",
                     "reads half at 8.2 px (7.1 to 9.4)", "8 px", "6 px", "5 px"]  # fmt: skip
    assert "No size can be given for &lt;script&gt;" in page
    assert "<img" not in page


def test_names_of_sizes_never_overlap():
    """An axis over many sizes names at most eight of them, and says their unit; one over few names all."""
    [point] = charted().acuity.points[:1]
    wide = replace(charted().acuity, points=tuple(point._replace(size=size) for size in (4, 1024)))
    for acuity, names in ((wide, ["4", "12", "32", "96", "256", "768"]), (charted().acuity, None)):
        found = re.findall(r'text-anchor="middle">(\d+)</text>', draw_axis(find_scale([acuity])))
        assert found == (names or ["6", "8", "12", "16", "24", "32"])
    assert "(pixels, logarithmic)" in draw_axis(find_scale([wide]))


def test_outcomes_of_letters_are_short_words():
    """Below a bar stands what became of the letters; what a cross means is said by the chart's own legend alone."""
    assert "another letter named 10, reported as unreadable 3" in plain_page()
    assert plain_page().count("shown behind the cross") == 1


def test_a_wide_interval_has_its_reason():
    """The share of invented letters names its letters, its replies, and why so many letters tell so little."""
    result = charted()
    [said] = describe_invention(result)
    assert "70% (52 to 83) of the letters that it did not read below its threshold." in said
    assert (
        "These 30 letters come from 9 responses. The letters of one response count as one cluster, which makes the "
        in said
    )
    assert said.replace("’", "&#39;") in chapter(plain_page(), "invented")


def test_all_numbers_are_there():
    """Each series, size, corner and reply of the result stands in its chapter, one without a threshold with why."""
    result, page = charted(), plain_page()
    others = chapter(page, "others")
    for each in result.others:
        assert each.series.words in others
        assert (pixels(each.size) if each.size else each.why) in others
    assert [f"{point.size} px" in chapter(page, "invented") for point in result.invention.points] == [True] * 8
    corners = re.findall(r"(\d+ of 15)</span><small>([^<]*)</small>", chapter(page, "corners"))
    assert corners == [("15 of 15", "p = 1")] * 8 + [("2 of 15", "blind, p &lt; 0.001")]
    assert "2.0 times (1.7 to 2.4)" in chapter(page, "shrinking")
    assert chapter(page, "replies").count("<tr") == 1 + len(result.trials)
    assert "logMAR 0.21 (0.15 to 0.28)" in chapter(page, "curve")


def test_what_a_model_says_stays_text():
    """Markup in a reply or a name is shown as words, and characters that turn the line around are spelled out."""
    page, plain = render(charted(model=HOSTILE, reply=HOSTILE)), plain_page()
    assert "<img" not in page
    assert "⟨U+202E⟩" in page
    for tag in ("<script", "</table>"):
        assert page.count(tag) == plain.count(tag)


def test_no_number_is_said_plainly():
    """A model that refused everything has a page with the reason and its replies, and no curve."""
    whole = charted()
    refused = tuple(replace(trial, outcome="refused", reply="I cannot help.") for trial in whole.trials)
    empty = {"acuity": None, "others": (), "corners": (), "shrinking": None, "invention": None, "sentences": ()}
    page = render(replace(whole, why="It refused all charts.", sentence="No number.", trials=refused, **empty))
    assert "It refused all charts." in page
    assert "I cannot help." in chapter(page, "replies")
    assert not re.search(r'class="[^"]*(graph|eye-chart)', page)


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
    assert "8.2 px (up to 9.4)" in page
    assert "(open at both ends)" in page
    assert first_sentence(replace(whole, acuity=open_ended)).count("open at both ends") == 1


def test_another_chart_is_known_by_its_folder(tmp_path):
    """What a chart wrote, an end that nothing bounds included, is read from its folder; what is no chart is named."""
    whole = charted()
    open_ended = replace(whole.acuity, size=replace(whole.acuity.size, high=math.inf))
    write(replace(whole, acuity=open_ended), tmp_path / "one")
    write(replace(whole, acuity=None, others=()), tmp_path / "none")
    assert read_sight(tmp_path / "one") == KnownSight(whole.model, open_ended.size)
    assert read_sight(tmp_path / "none") == KnownSight(whole.model, None)
    for content in (None, "[]", '{"schema": 1, "model": "m", "acuity": {"size": {"value": 1}}}', '{"schema": 99}'):
        if content is not None:
            (tmp_path / "chart.json").write_text(content)
        with pytest.raises(StudyError, match=r"chart\.json"):
            read_sight(tmp_path)


def test_it_is_read_by_everybody(tmp_path, browser):
    """Light and dark, wide and narrow: no complaint of the browser, nothing beyond the edge, WCAG 2.1 AA by axe."""
    file = tmp_path / "chart.html"
    file.write_text(render(charted(reply=HOSTILE), [KnownSight("m" * 90, Estimate(9, 8, 10, 9, ""))]), encoding="utf-8")
    browser.open(file.as_uri(), dark=True)
    browser.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    for width in (1400, 1000, 390):
        browser.resize(width)
        assert browser.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.complaints == []
    browser.evaluate(AXE)
    assert browser.evaluate(WRONG) == []
