"""Figures in a browser: no word stands on another, however many models there are and whatever they scored."""

import json
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from snellen import report
from snellen.models.fake import FakeModel
from snellen.reading.outcomes import Outcome
from snellen.report.components import Cell, Key, Panel, Panels, Row, Table
from snellen.report.evidence.evidence import People
from snellen.report.evidence.reply_kinds import BY_OUTCOME
from snellen.report.figures.bars import NamedEstimate, accuracy_bars, topped_bar
from snellen.report.figures.curves import Axis, FittedLine, curve_panel, line_mark
from snellen.report.figures.dumbbells import dot_key, dumbbell, with_without
from snellen.report.figures.forests import Against, plot_measures
from snellen.report.figures.layout import FigureAxis, axis_of, in_panels, in_rows
from snellen.report.figures.marks import kind_bar, scale, share_axis
from snellen.report.figures.palette import SHAPES
from snellen.report.figures.panels import ModelSeries, Tick, panel
from snellen.report.figures.standalone import About, Figures
from snellen.scoring.findings import Finding
from snellen.stats import Estimate, dose_response
from snellen.stress import stress_test
from snellen.stress.base import Kind, Measure, Status, Unit, Verdict

CHECKS = """
const shown = (text) => {
  if (!text.checkVisibility({ visibilityProperty: true }) || !text.textContent.trim()) return false;
  const unseen = ".spoken, .drawn thead";
  if (text.closest(unseen)) return false;
  const box = text.getBoundingClientRect();
  return box.width > 1 && box.height > 1;
};
const overlapping = (texts) => {
  const boxes = texts.filter(shown).flatMap((text) => [...text.getClientRects()].map((box) => [text, box]));
  boxes.sort((one, two) => one[1].top - two[1].top);
  const found = [];
  for (let at = 0; at < boxes.length; at += 1) {
    const [text, box] = boxes[at];
    for (let next = at + 1; next < boxes.length && boxes[next][1].top < box.bottom - 1; next += 1) {
      const [other, its] = boxes[next];
      if (text.contains(other) || other.contains(text)) continue;
      const across = Math.min(box.right, its.right) - Math.max(box.left, its.left);
      const down = Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top);
      if (across > 1 && down > 2) found.push(`${text.textContent.trim()} | ${other.textContent.trim()}`);
    }
  }
  return found;
};
const outside = (texts, paper) => texts.filter((text) => {
  const box = text.getBoundingClientRect();
  return box.left < paper.left - 0.5 || box.right > paper.right + 0.5 || box.top < paper.top - 0.5
    || box.bottom > paper.bottom + 0.5;
}).map((text) => `outside: ${text.textContent}`);
"""
IN_THEIR_OWN = (
    "((drawn) => {"
    + CHECKS
    + """
  const wrong = {};
  for (const [name, svg] of Object.entries(drawn)) {
    const place = document.body.appendChild(document.createElement("div"));
    const shadow = place.attachShadow({ mode: "open" });
    shadow.innerHTML = svg;
    const texts = [...shadow.querySelectorAll("text")];
    const found = [...overlapping(texts), ...outside(texts, shadow.querySelector("svg").getBoundingClientRect())];
    if (found.length || !texts.length) wrong[name] = found;
    place.remove();
  }
  return wrong;
})(FIGURES)"""
)
ON_THE_PAGE = f"(() => {{ {CHECKS} return overlapping([...document.querySelectorAll(SELECTOR)]); }})()"
NAMES = (
    "organism/grounded", "a", "some-laboratory/medical-vision-language-model-70b-instruct-v2.5-2026-07-01",
    "Überlangername" * 6, "模型/医学影像大模型", "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW",
)  # fmt: skip
VALUES = (
    Estimate(0.0, 0.0, 0.03, 1200, "wilson"), Estimate(1.0, 0.97, 1.0, 1200, "wilson"),
    Estimate(0.5, 0.49, 0.51, 1200, "wilson"), Estimate(0.5, 0.0, 1.0, 3, "wilson"),
)  # fmt: skip
SETTINGS = ("ties", "none", "all", "mixed")


def named(number):
    return f"{NAMES[number % len(NAMES)]}{number if number >= len(NAMES) else ''}"


def value(number, setting):
    return VALUES[{"ties": 2, "none": 0, "all": 1}.get(setting, number % len(VALUES))]


def evidence_of(models):
    names = [named(number) for number in range(models)]
    return SimpleNamespace(
        figures=Figures(), several=False, anchors={}, place=dict(zip(names, range(models), strict=True)).get
    )


def forest_of(models, setting):
    evidence, test = evidence_of(models), stress_test("image-needed")
    kind = Kind(
        "accuracy", "accuracy on the questions that were answered both with the image and without it", Unit.SHARE
    )
    found = [
        (Finding(named(n), "bench", test, (), Verdict(Status.PASS)), Measure("original", kind, value(n, setting)))
        for n in range(models)
    ]
    against = Against(0.49, People(0.5, "People: 50%."))
    return plot_measures(found, evidence, lambda each: each.model, where="original", against=against).figure.svg


def rows_of(models, setting, picture, *, lines=2, key=(), axis=None, row_height=38.0):
    said = tuple("100% (97 to 100)" for _ in range(lines))
    number = Cell(n="n 1,200", lines=tuple(Cell(each, n="n 1,200") for each in said))
    rows = (Row(Cell(named(n), place=n), (Cell(drawing=picture(n, value(n, setting))), number)) for n in range(models))
    axis = axis or axis_of(scale([], "share", reference=0.25, people=0.26), "Accuracy (%)", "guessing 25%")
    table = Table((), tuple(rows), key=tuple(key))
    return Figures().draw(About(["x"], "Accuracy"), [], in_rows(table, axis, row_height=row_height)).svg


def dumbbells_of(models, setting):
    ruler = scale([], "share", reference=0.25, people=0.26)
    key = [Key("", "with the image", dot_key("seen")), Key("", "without the image", dot_key("blind"))]
    return rows_of(models, setting, lambda n, each: with_without(each, VALUES[0], ruler, n), key=key)


def told_of(models, setting):
    return rows_of(models, setting, lambda n, each: dumbbell(each, each, n), lines=1, row_height=24.0)


def bars_of(models, setting):
    key = [Key("bar seen", "image and text"), Key("bar blind", "text only")]
    return rows_of(
        models,
        setting,
        lambda n, each: accuracy_bars([NamedEstimate("a", each), NamedEstimate("b", each, "blind")], 0.25, n),
        key=key, row_height=42.0,
    )  # fmt: skip


def topped_of(models, setting):
    return rows_of(models, setting, lambda n, each: topped_bar(VALUES[2], each, 0.25, n))


def outcomes_of(models, setting):
    counts = [{BY_OUTCOME[outcome]: 10 + 3 * number for number, outcome in enumerate(Outcome)},
              {BY_OUTCOME[Outcome.CORRECT]: 1}]  # fmt: skip
    key = [Key(f"outcome {kind.name}", kind.words) for kind in counts[0]]
    return rows_of(
        models, setting, lambda n, _: kind_bar(counts[n % 2]), lines=1, key=key,
        axis=FigureAxis(share_axis(), "Responses (%)"), row_height=30.0,
    )  # fmt: skip


def panels_of(models, setting):
    ticks = [Tick("as asked", "n 1,140 to 1,200", 0.25), Tick("reordered", "n 1,200", 0.25)]
    many = [Tick("as asked", "n 140 to 200", 0.2), *(Tick(f"{n}R", "n 140 to 200", 0.2) for n in range(1, 5))]
    one = [
        Panel(named(n), panel(ticks, [ModelSeries(named(n), (value(n, setting),) * 2, place=n)], seen=True))
        for n in range(models)
    ]
    some = [ModelSeries(named(n), (value(n, setting),) * 5, (VALUES[2],) * 5, n) for n in range(min(3, models))]
    wide = Panel("T4 wrong options replaced", panel(many, some, seen=False), span=2)
    return Figures().draw(About(["x"], "Accuracy"), [], in_panels(Panels((*one, wide)), 3)).svg


def curves_of(models, setting):
    falls = {"ties": 0.5, "none": 0.0, "all": 1.0}
    panels, axis = [], Axis(1.0, ((0.0, "none"), (0.5, "weak"), (1.0, "strong")), "Severity (0 to 1)")
    for start in range(0, models, len(SHAPES)):
        places = range(start, min(models, start + len(SHAPES)))
        lines = [FittedLine(named(n), fitted(falls.get(setting, n % 3 / 2)), n) for n in places]
        panels.append(Panel("bias field", curve_panel(lines, axis, 0.5)))
    key = [Key("", named(n), line_mark(n)) for n in range(models)]
    return Figures().draw(About(["x"], "Accuracy"), [], in_panels(Panels(tuple(panels), tuple(key)), 2)).svg


@cache
def fitted(last):
    rows = np.ones((40, 4))
    rows[int(40 * last) :, 2:] = 0
    return dose_response([0, 0.3, 0.6, 1.0], rows, chance=0.5)


KINDS = (forest_of, dumbbells_of, told_of, bars_of, topped_of, outcomes_of, panels_of, curves_of)


def wrong_in(browser, figures):
    """What overlaps or leaves the paper in some figures, each drawn with its own style alone."""
    browser.open("data:text/html,<!doctype html><title>figures</title>", width=800)
    return browser.evaluate(IN_THEIR_OWN.replace("FIGURES", json.dumps(figures)))


@pytest.mark.parametrize("models", [2, 6, 12])
def test_no_words_overlap_in_figures_of_their_own(models, browser):
    """In every kind of figure no text stands on another, and none leaves the paper."""
    figures = {f"{kind.__name__}-{each}": kind(models, each) for kind in KINDS for each in SETTINGS}
    assert wrong_in(browser, figures) == {}


def test_overlaps_are_seen(browser):
    """The test would find two words on one another, and one that leaves the paper."""
    text = '<text x="{}" y="20">{}</text>'
    two = f'<svg width="100" height="40">{text.format(5, "one")}{text.format(12, "two")}</svg>'
    beyond = f'<svg width="100" height="40">{text.format(90, "beyond")}</svg>'
    assert wrong_in(browser, {"two": two, "beyond": beyond}) == {"two": ["one | two"], "beyond": ["outside: beyond"]}


WIDTHS = (1400, 820, 390)
IN_FIGURES = "'svg text, .drawn th, .drawn .v, .drawn .n, .drawn caption, .matrix .n, .matrix .h, .axis-title'"


def overlaps(browser, path, chapter=""):
    """What overlaps on a page, or in one chapter of it, by the width of the screen."""
    browser.open(path.as_uri())
    if chapter:
        browser.evaluate(f"document.querySelector('main').replaceChildren(document.getElementById({chapter!r}))")
    browser.evaluate("for (const each of document.querySelectorAll('details:has(svg text, .drawn)')) each.open = true")
    found = {}
    for width in WIDTHS:
        browser.resize(width)
        found[width] = browser.evaluate(ON_THE_PAGE.replace("SELECTOR", IN_FIGURES))
    return {width: wrong for width, wrong in found.items() if wrong}


def said(request, number):
    """Always the same, never an answer, or some of everything."""
    kinds = ("Answer: A", "I cannot see it.", "No idea.", "I'm sorry, but I can't provide medical advice.", "Answer: B")
    return kinds[number % 2] if number % 3 else kinds[sum(map(ord, request.text)) % len(kinds)]


def test_no_words_overlap_on_the_page(study, browser):
    """Twelve models with hostile names, some always right and some never: no text of a figure stands on another."""
    models = [FakeModel(lambda request, n=n: said(request, n), name=named(n)) for n in range(12)]
    path = report.write(*study(models=models))
    assert overlaps(browser, path) == {}


def test_no_words_overlap_in_the_chapters(ready_text, mirage_text, degraded_text, browser, tmp_path):
    """The panels, bars, curves and dumbbells of the papers' chapters, on the page."""
    for name, text in (("readiness", ready_text), ("mirage", mirage_text), ("artefacts", degraded_text)):
        path = tmp_path / f"{name}.html"
        path.write_text(text, encoding="utf-8")
        assert overlaps(browser, path, chapter=name) == {}, name


@pytest.mark.usefixtures("ready_text", "mirage_text", "degraded_text")
def test_real_figures_overlap_nowhere(ready, mirage, degraded, browser):
    """Every figure that three real studies draw."""
    for results, _ in (ready, mirage, degraded):
        figures = {file.stem: file.read_text() for file in (results.folder / "figures").glob("*.svg")}
        assert len(figures) > 3
        assert wrong_in(browser, figures) == {}


ALIGNED = """[...document.querySelectorAll("table:has(.outcome-bar)")].filter((one) => one.checkVisibility())
.map((table) => {
  const box = table.querySelector(".axis td.drawn svg").getBoundingClientRect();
  const others = [...table.querySelectorAll("tr:not(.axis) td.drawn svg")].map((bar) => bar.getBoundingClientRect());
  return Math.max(...others.map((bar) => Math.abs(bar.left - box.left) + Math.abs(bar.right - box.right)));
})"""


def test_axis_stands_below_its_bars(usual_page, browser):
    """The axis of bars is as wide as they are, at any width."""
    browser.open(usual_page.as_uri())
    browser.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    for width in (1400, 390):
        browser.resize(width)
        apart = browser.evaluate(ALIGNED)
        assert len(apart) > 2, width
        assert max(apart) < 1, width
