"""Two ways of asking, side by side: the same items with the image and without it."""

import re

import pytest

from snellen.conditions import IMAGE_REMOVED, ORIGINAL
from snellen.models.fake import FakeModel
from snellen.report.drawing import draw
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup
from snellen.report.sections.comparison import Ways, draw_comparison
from snellen.report.words import numbers as wording

WAYS = Ways(("image-needed",), (ORIGINAL.name, IMAGE_REMOVED.name), ("image and text", "text only"))


@pytest.fixture(scope="module")
def drawn(ready_lookup):
    return draw_comparison(ready_lookup, WAYS)


def test_every_model_has_both_accuracies_and_the_paired_change(drawn, ready_rows):
    """On each benchmark stand two accuracies and their paired difference, each with its p-value, as in results.csv."""
    assert list(drawn) == ["phantoms:items=30,leak=0.5", "phantoms:items=10,seed=1"]
    for benchmark, table in drawn.items():
        assert [row.model for row in table.rows] == ["organism/grounded", "organism/mirage", "organism/refuser"]
        for row in table.rows:
            _, both, change = row.cells
            key = (row.model, benchmark, "image-needed")
            for arm, words, cell in zip(WAYS.arms, WAYS.words, both.lines, strict=True):
                value = wording.figure(ready_rows[(*key, arm, "accuracy")]["value"], "share")
                assert cell.words.startswith(f"{words} {value} (")
                assert cell.n == f"n {ready_rows[(*key, arm, 'accuracy')]['n']}"
                assert cell.to
            found = ready_rows[(*key, "image-removed", "difference")]
            assert change.words.startswith(wording.figure(found["value"], "points"))
            assert f"Holm p {wording.p_value(found['p_adjusted'])}" in change.note or "≤" in change.note


def test_changes_agree_and_say_what_could_be_shown(drawn):
    """Printed differences are those of printed accuracies; beside one that is not shown, what could be."""
    notes = [row.cells[2].note for table in drawn.values() for row in table.rows]
    assert any("could show " in each for each in notes)
    assert all("point" in each.partition("could show ")[2] for each in notes if "could show " in each)
    for table in drawn.values():
        for row in table.rows:
            _, both, change = row.cells
            if len({line.n for line in both.lines}) == 1:
                before, after = (read(line.words) for line in both.lines)
                assert read(change.words) == pytest.approx(after - before, abs=0.11)


def test_bars_have_a_legend_and_a_file(drawn):
    """Each row draws both bars in the model's hue; the legend names them; SVG and CSV can be saved."""
    for table in drawn.values():
        html = str(draw([table]))
        assert html.count('class="pair-bar of-2 model-') == 3
        assert [each.words for each in table.key] == list(WAYS.words)
        assert table.figure.name.startswith("image-needed-accuracy-original-against-image-removed")
        assert table.figure.name in html


def read(words):
    """The first number of a cell, whatever stands around it."""
    return float(re.search(r"[−+]?[\d.]+(?=%| point)", words)[0].replace("−", "-"))


def test_halves_that_would_not_add_up_have_a_decimal(study, question):
    """6 of 8 right and 5 of 8: 75%, 63% and −13 points are 75.0%, 62.5% and −12.5 points."""

    def said(request):
        right = range(6) if request.images else range(5)
        number = int(request.text.split("picture ")[1].split(" ")[0])
        return f"Answer: {'ABC'[(number + (number not in right)) % 3]}"

    results, store = study([question(n) for n in range(8)], (FakeModel(said, name="fake/one"),))
    [table] = draw_comparison(Lookup(Evidence(results, store)), WAYS).values()
    _, both, change = table.rows[0].cells
    printed = [re.search(r"[−\d.]+(?=%| point)", each.words)[0] for each in (*both.lines, change)]
    assert printed == ["75.0", "62.5", "−12.5"]
    assert change.words.startswith("−12.5 points (")


def test_nothing_is_drawn_where_the_second_way_was_not_asked(ready_lookup):
    """A study without the second way has no table."""
    assert draw_comparison(ready_lookup, Ways(("image-needed",), ("original", "image-blank+never"), ("a", "b"))) == {}
