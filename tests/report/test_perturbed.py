"""T3 to T5: panels of accuracy as asked and after each change, and their numbers."""

import re

import pytest

from snellen.papers.readiness.report import perturbations as module
from snellen.papers.readiness.report.perturbations import draw_perturbations
from snellen.report.components import Fold, Panels
from snellen.report.figures.forests import list_limits
from snellen.report.figures.panels import PLOT, TOP
from snellen.report.words.arms import arm_label
from snellen.report.words.numbers import figure
from walking import rows, tables, value, walk, words


@pytest.fixture(scope="module")
def drawn(ready_lookup):
    [section] = draw_perturbations(ready_lookup)
    return section


def list_panels(part):
    return [each for each in walk([part]) if isinstance(each, Panels)]


def titles(panels):
    return [each.title.striptags() for each in panels.panels]


def test_four_panels_with_the_image_and_three_without(drawn):
    """With the image T3, T4 twice and T5; without it no T5, as there is no image to substitute."""
    seen, blind = list_panels(drawn)[:2]
    assert titles(seen) == [
        "T3 options reordered", "T4 “Unknown” offered", "T4 wrong options replaced", "T5 image substituted",
    ]  # fmt: skip
    assert titles(blind) == titles(seen)[:3]
    assert [each.caption.partition(" on ")[0] for each in (seen, blind)] == ["Image and text", "Text only"]
    assert [each.figure.name for each in (seen, blind)] == [
        "readiness-perturbed-image-and-text-phantoms-items-30-leak-0-5",
        "readiness-perturbed-text-only-phantoms-items-30-leak-0-5",
    ]


def test_limits_of_reordering_are_drawn_five_points_around_as_asked(drawn, ready_lookup):
    """Below and above what the same questions had as asked stand the limits to which the verdict holds the change."""
    [order, *_] = list_panels(drawn)[0].panels
    heights = {look: [float(each) for each in re.findall(rf'<line class="{look}"[^>]*y1="([\d.]+)"', order.drawing)]
               for look in ("before", "limit")}  # fmt: skip
    as_asked = heights["before"][0]
    assert as_asked in [pytest.approx(TOP + (1 - share) * PLOT, abs=0.06) for share in (1.0, 0.9, 29 / 30)]
    assert any(each == pytest.approx(as_asked + 0.05 * PLOT, abs=0.11) for each in heights["limit"])
    assert heights["limit"] == [each for each in heights["limit"] if TOP < each < TOP + PLOT]  # none beyond all or none
    _, places = next(ready_lookup.list_places())
    found = [ready_lookup.find(("option-order",), place, "options-shuffled", "difference") for place in places]
    limits = {each for one in found if one for each in list_limits([(one.finding, one.measure)])}
    assert limits == {-0.05, 0.05}
    assert "the limits of the test" in list_panels(drawn)[0].figure.caption


def test_few_models_share_panels_and_many_do_not(drawn, ready_lookup, monkeypatch):
    """Three models are told apart by their marks; more have a row of panels each, those without the image folded."""
    assert [each.words for each in list_panels(drawn)[0].key] == ["grounded", "mirage", "refuser"]
    monkeypatch.setattr(module, "TOGETHER", 2)
    [apart] = draw_perturbations(ready_lookup)
    panels = list_panels(apart)
    assert len(panels) == 3 * len(list_panels(drawn))
    assert not any(each.key for each in panels)
    assert [each.begins for each in apart.parts if getattr(each, "begins", "")][:3] == [
        f"{name}, image and text" for name in ("grounded", "mirage", "refuser")
    ]
    folded = [each.title for each in apart.parts if isinstance(each, Fold) and list_panels(each)]
    assert folded == ["Text only on phantoms (items 30, leak 0.5)", "Text only on phantoms (items 10, seed 1)"]
    assert [rows(table) for table in tables(apart)] == [rows(table) for table in tables(drawn)]


def test_panels_begin_as_asked_and_say_their_numbers(drawn):
    """The curve goes from one replaced option to four; each panel has its numbers as text."""
    for panels in list_panels(drawn)[:2]:
        for each in panels.panels:
            ticks = re.findall(r'class="tick"[^>]*>([^<]+)<', each.drawing)
            assert ticks[0] == "as asked"
            if "replaced" in each.title:
                assert ticks == ["as asked", "1 replaced", "2 replaced", "3 replaced", "4 replaced"]
    label = re.search(r'aria-label="([^"]*)"', list_panels(drawn)[0].panels[0].drawing)[1]
    assert all(f"organism/{name}: as asked " in label for name in ("grounded", "mirage", "refuser"))
    assert "the short line at a mark is what the same questions had as asked" in words([drawn])


def test_table_holds_every_number_once(drawn, ready_rows):
    """Accuracy and paired change of each model and condition stand below the panels, as results.csv has them."""
    table = tables(drawn)[0]
    assert len(rows(table)) == len(table.rows) == 3 * (8 + 7)
    for row in table.rows:
        accuracy, before, change = row.cells
        found = {
            (test, measure): value["value"]
            for (model, benchmark, test, arm, measure), value in ready_rows.items()
            if (model, benchmark, arm_label(arm)) == (row.model, row.benchmark, row.head.words)
        }
        assert value(accuracy) in {figure(each, "share") for (_, name), each in found.items() if name == "accuracy"}
        if row.head.words in ("as asked", "without the image"):
            assert change.words == "–"
        else:
            moved = {figure(each, "points") for (_, name), each in found.items() if name == "difference"}
            assert value(change) in moved
            assert before.n == change.n
