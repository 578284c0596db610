import re

import pytest

from snellen.items import Benchmark
from snellen.protocols.mirage.report.score import mirage_scores
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.bars import thin_bar, topped_bar
from snellen.report.lookup import Lookup
from snellen.report.page import render
from snellen.report.sections.tests import sections
from snellen.stats import Estimate
from strategies import items


def scored(results, store):
    lookup = Lookup(Evidence(results, store))
    [score] = mirage_scores(lookup, sections(lookup.evidence))
    return score


def estimate(value):
    return Estimate(value, value - 0.1, value + 0.1, 40, "wilson")


def widths(svg):
    """What is drawn, and how wide, in percent of the figure."""
    return {look: float(width) for look, width in re.findall(r'<rect class="([\w ]+)"[^>]* width="([\d.]+)%"', svg)}


def test_matrix_has_every_score_and_both_means(mirage):
    """Models down, benchmarks across, the mean over benchmarks at the end and the mean over models below."""
    score = scored(*mirage)
    results = mirage[0]
    assert score.benchmarks == ("phantoms:items=30,leak=0.5", "phantoms:items=24,seed=1")
    for row in score.rows:
        for name, cell in zip(score.benchmarks, row.cells, strict=True):
            [finding] = [
                each
                for each in results.findings
                if (each.model, each.benchmark, each.test.name) == (row.model, name, "mirage-score")
            ]
            assert cell.score.measure == finding.measure("image-removed", "mirage_score")
            assert cell.above.measure == finding.measure("image-removed", "mirage_score_above_chance")
        assert row.mean.of == "2 of 2 benchmarks"
    assert [cell.of for cell in score.over_models.cells] == ["3 of 3 models"] * 2
    assert score.over_benchmarks


def test_means_are_those_of_the_cells(mirage):
    """The mean over benchmarks is the mean of a row, the mean over models that of a column."""
    score = scored(*mirage)
    for row in score.rows:
        values = [cell.score.estimate.value for cell in row.cells]
        assert row.mean.score.estimate.value == pytest.approx(sum(values) / 2)
    for at, cell in enumerate(score.over_models.cells):
        column = [row.cells[at].score.estimate.value for row in score.rows]
        assert cell.score.estimate.value == pytest.approx(sum(column) / 3)


def test_one_model_on_one_benchmark_has_no_mean(mirages):
    """With nothing to average over, the matrix has neither a mean row nor a mean column."""
    results, store = mirages(["mirage-score"], benchmarks=[Benchmark("b", items(12))], one=lambda request: "Answer: A")
    score = scored(results, store)
    assert (score.over_models, score.over_benchmarks) == (None, False)
    assert "mean over" not in render(results, store)


def test_what_cannot_be_is_a_dash_and_what_has_no_bound_infinite(mirages):
    """A model that is never right with the image has no score, and the page does not make one up."""
    results, store = mirages(["mirage-score"], benchmarks=[Benchmark("b", items(12))], one=lambda request: "No idea.")
    assert '<b>–</b> <span class="between">[0 to ∞]</span>' in render(results, store)


def test_image_on_top_of_what_is_known_without(mirage):
    """Every model has a bar on every benchmark: hollow up to the accuracy without, filled up to that with the image."""
    score = scored(*mirage)
    assert [len(each.lines) for each in score.pictures] == [3, 3]
    grounded = score.pictures[0].lines[1]
    assert grounded.model == "organism/grounded"
    assert (grounded.without.estimate.value, grounded.with_image.estimate.value) == (0.0, 1.0)


def test_bar_adds_up_to_the_accuracy_with_the_image():
    """What is hollow and what is filled are as wide together as the accuracy with the image."""
    drawn = widths(topped_bar(estimate(0.3), estimate(0.8), 0.25))
    assert drawn["bar blind"] / drawn["bar seen"] == pytest.approx(3 / 5, abs=0.01)
    whole = widths(topped_bar(estimate(0.0), estimate(0.8), None))["bar seen"]
    assert drawn["bar blind"] + drawn["bar seen"] == pytest.approx(whole, abs=0.02)


def test_image_that_harms_is_hatched():
    """Where the accuracy is lower with the image, what it takes away is drawn as such and nothing as gained."""
    drawn = widths(topped_bar(estimate(0.8), estimate(0.5), 0.25))
    assert "bar seen" not in drawn
    assert drawn["outcome wrong"] / drawn["bar blind"] == pytest.approx(3 / 8, abs=0.01)


def test_luck_is_marked_only_where_it_is_known():
    """The dashed line of guessing is drawn over the bar, and left out where luck is unknown."""
    assert 'class="luck"' in topped_bar(estimate(0.5), estimate(0.8), 0.25)
    assert 'class="luck"' not in topped_bar(estimate(0.5), estimate(0.8), None)


def test_thin_bar_is_as_wide_as_the_share():
    """A share of all is drawn as that share of the width, and said in words."""
    assert widths(thin_bar(0.25, "urgent")) == {"thin urgent": 25.0, "frame": 100.0}
    assert 'aria-label="25%"' in thin_bar(0.25, "urgent")
