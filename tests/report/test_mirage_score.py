"""What is kept without the image, as the chapter shows it."""

import re

import pytest

from snellen.items import Benchmark
from snellen.papers.mirage.report.chapter import draw_score
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.bars import thin_bar, topped_bar
from snellen.report.lookup import Lookup
from snellen.report.sections.tests import sections
from snellen.report.words.numbers import figure
from snellen.stats import Estimate
from strategies import items
from walking import tables, value, words


def scored(results, store):
    """The section, and its matrix of scores by row and column."""
    lookup = Lookup(Evidence(results, store))
    drawn = draw_score(lookup, next(each for each in sections(lookup.evidence) if each.test.name == "mirage-score"))
    matrix = next(each for each in tables(drawn) if each.caption == "Mirage scores")
    names = [each.words for each in matrix.columns[1:]]
    return drawn, {row.head.words: dict(zip(names, row.cells, strict=True)) for row in matrix.rows}


@pytest.fixture(scope="module")
def two_benchmarks(mirage):
    return scored(*mirage)


def estimate(value):
    return Estimate(value, value - 0.1, value + 0.1, 40, "wilson")


def widths(svg):
    """What is drawn, and how wide, in percent of the figure."""
    return {look: float(width) for look, width in re.findall(r'<rect class="([\w ]+)"[^>]* width="([\d.]+)%"', svg)}


def test_matrix_has_every_score_and_both_means(mirage, two_benchmarks):
    """Models down, benchmarks across, the mean over benchmarks at the end and the mean over models below."""
    _, matrix = two_benchmarks
    assert list(matrix) == ["mirage", "grounded", "random", "mean over models"]
    for model, found in matrix.items():
        assert [*found][-1] == "mean over benchmarks"
        if model != "mean over models":
            assert found["mean over benchmarks"].lines[-1].n == "of 2 of 2 benchmarks"
    for each in (finding for finding in mirage[0].findings if finding.test.name == "mirage-score"):
        at = [*mirage[0].benchmarks].index(each.benchmark)
        cell = [*matrix[each.model.partition("/")[2]].values()][at]
        for name, shown in (("mirage_score", cell), ("mirage_score_above_chance", cell.lines[0])):
            said = figure(each.measure("image-removed", name).estimate.value, "ratio")
            assert said.replace("–", "not known") in value(shown).replace("–", "not known")
    means = [*matrix["mean over models"].values()]
    assert [cell.lines[-1].n for cell in means[:2]] == ["of 3 of 3 models"] * 2
    assert means[2].words == "–"


def test_means_are_those_of_the_cells(mirage):
    """The mean over benchmarks is the mean of a row, the mean over models that of a column."""
    results = mirage[0]
    scores = {
        (each.model, each.benchmark): each.measure("image-removed", "mirage_score").estimate.value
        for each in results.findings
        if each.test.name == "mirage-score"
    }
    for each in (finding for finding in results.over_all if finding.test.name == "mirage-score"):
        those = [share for (model, name), share in scores.items() if each.model == model or each.benchmark == name]
        mean = each.measure("image-removed", "mean_mirage_score").estimate.value
        assert mean == pytest.approx(sum(those) / len(those))


def test_one_model_on_one_benchmark_has_no_mean(mirages):
    """With nothing to average over, the matrix has neither a mean row nor a mean column."""
    benchmarks = [Benchmark("b", items(12))]
    drawn, matrix = scored(*mirages(["mirage-score"], benchmarks=benchmarks, one=lambda request: "Answer: A"))
    assert {model: list(found) for model, found in matrix.items()} == {"one": ["b"]}
    assert "mean over" not in words([drawn])


def test_what_cannot_be_is_a_dash_and_what_has_no_bound_infinite(mirages):
    """A model that is never right with the image has no score, and the page does not make one up."""
    benchmarks = [Benchmark("b", items(12))]
    _, matrix = scored(*mirages(["mirage-score"], benchmarks=benchmarks, one=lambda request: "No idea."))
    assert matrix["one"]["b"].words == "– (0 or more)"


def test_image_on_top_of_what_is_known_without(two_benchmarks):
    """Every model has a bar on every benchmark, with its accuracy without the image and with it, and a figure."""
    added = [each for each in tables(two_benchmarks[0]) if "What the image adds" in each.caption]
    assert [len(each.rows) for each in added] == [3, 3]
    assert [value(each) for each in added[0].rows[1].cells[1].lines] == ["without 0%", "with 100%"]
    assert added[0].rows[1].model == "organism/grounded"
    assert all(each.figure.name.startswith("mirage-score-accuracy-phantoms") for each in added)
    assert "without 0% (0 to " in added[0].figure.svg


def test_bar_adds_up_to_the_accuracy_with_the_image():
    """Hollow and filled are as wide together; an image that harms is hatched, and known luck is marked."""
    drawn = widths(topped_bar(estimate(0.3), estimate(0.8), 0.25))
    assert drawn["bar blind"] / drawn["bar seen"] == pytest.approx(3 / 5, abs=0.01)
    whole = widths(topped_bar(estimate(0.0), estimate(0.8), None))["bar seen"]
    assert drawn["bar blind"] + drawn["bar seen"] == pytest.approx(whole, abs=0.02)
    drawn = widths(topped_bar(estimate(0.8), estimate(0.5), 0.25))
    assert "bar seen" not in drawn
    assert drawn["outcome wrong"] / drawn["bar blind"] == pytest.approx(3 / 8, abs=0.01)
    assert 'class="luck"' in topped_bar(estimate(0.5), estimate(0.8), 0.25)
    assert 'class="luck"' not in topped_bar(estimate(0.5), estimate(0.8), None)


def test_thin_bar_is_as_wide_as_the_share():
    """A share of all is drawn as that share of the width, and said in words."""
    assert widths(thin_bar(0.25, "urgent")) == {"thin urgent": 25.0, "frame": 100.0}
    assert 'aria-label="25%"' in thin_bar(0.25, "urgent")
