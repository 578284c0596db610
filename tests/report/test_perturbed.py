import re

import pytest

from snellen.protocols.readiness.report import perturbations as module
from snellen.protocols.readiness.report.perturbations import perturbed


def test_four_panels_above_and_three_below(ready_lookup):
    """With the image T3, T4 twice and T5; without it no T5, as there is no image to substitute."""
    each = perturbed(ready_lookup)[0]
    assert [block.words for block in each.blocks] == ["Image and text", "Text only"]
    assert [[panel.name for row in block.rows for panel in row.panels] for block in each.blocks] == [
        ["T3", "T4", "T4", "T5"],
        ["T3", "T4", "T4"],
    ]


def test_few_models_share_panels_and_many_do_not(ready_lookup, monkeypatch):
    """Three models are told apart by their marks; where that would be too many, each has a row of its own."""
    each = perturbed(ready_lookup)[0]
    assert [model for model, _ in each.marks] == list(ready_lookup.models)
    assert [len(block.rows) for block in each.blocks] == [1, 1]
    monkeypatch.setattr(module, "TOGETHER", 2)
    apart = perturbed(ready_lookup)[0]
    assert apart.marks == ()
    assert [[row.heading for row in block.rows] for block in apart.blocks] == [list(ready_lookup.models)] * 2
    assert apart.lines == each.lines


def test_as_asked_stands_on_the_left(ready_lookup):
    """Every panel begins with what was asked, and the curve goes from one replaced option to four."""
    each = perturbed(ready_lookup)[0]
    for block in each.blocks:
        for panel in block.rows[0].panels:
            ticks = re.findall(r'class="tick"[^>]*>([^<]+)<', panel.picture)
            assert ticks[0] == "as asked"
            if panel.words == "wrong options replaced":
                assert ticks == ["as asked", "1R", "2R", "3R", "4R"]


def test_lines_hold_every_number_once(ready_lookup, ready_rows):
    """Under the panels stand accuracy and paired change of each model and arm, as results.csv has them."""
    lines = perturbed(ready_lookup)[0].lines
    assert len({(line.model, line.arm) for line in lines}) == len(lines) == 3 * (8 + 7)
    for line in lines:
        finding = line.accuracy.finding
        key = (line.model, finding.benchmark, finding.test.name, line.arm)
        assert line.accuracy.estimate.value == ready_rows[(*key, "accuracy")]["value"]
        if line.change is not None:
            assert line.before.estimate.value == ready_rows[(*key, "baseline_accuracy")]["value"]
            assert line.change.estimate.n == line.before.estimate.n
            assert line.change.estimate.value == ready_rows[(*key, "difference")]["value"]
    assert {line.arm for line in lines if line.change is None} == {"original", "image-removed"}


@pytest.mark.parametrize("model", ["organism/grounded", "organism/mirage", "organism/refuser"])
def test_pictures_say_the_numbers(ready_lookup, ready_text, model):
    """Each panel has its numbers as text for those who do not see it."""
    assert re.search(rf'class="panel" role="img" aria-label="[^"]*{model}: as asked \d', ready_text)
