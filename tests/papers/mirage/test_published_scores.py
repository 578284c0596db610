"""Mirage scores from printed counts, against arithmetic by hand and other people's formulas."""

from dataclasses import replace
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats.contingency import relative_risk

from snellen.papers.mirage.published.tables import Pair, mean_per_benchmark, mean_per_model, pairs

EXPECTED = {
    ("GPT-5.1", "MMMU-Pro"): 63.05, ("Gemini-2.5-Pro", "MMMU-Pro"): 72.93, ("Gemini-3-Pro", "MMMU-Pro"): 55.09,
    ("GPT-5.1", "MedXpertQA-MM"): 66.95, ("Gemini-2.5-Pro", "MedXpertQA-MM"): 74.66,
    ("Gemini-3-Pro", "MedXpertQA-MM"): 48.71,
    ("GPT-5.1", "MicroVQA"): 71.16, ("Gemini-2.5-Pro", "MicroVQA"): 70.73, ("Gemini-3-Pro", "MicroVQA"): 46.73,
}  # fmt: skip
COUNTS = st.integers(2, 5000).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, n), st.integers(1, n)))


def pair(n, right, right_with_image):
    """A pair by counts."""
    return Pair("m", "b", n, right, right_with_image / n)


def test_the_nine_scores():
    """In percent, to two decimals, worked out by hand."""
    assert {(each.model, each.benchmark): round(100 * each.score.value, 2) for each in pairs()} == EXPECTED


def test_only_two_are_not_above_one_half():
    """And in all nine rounding does not matter."""
    assert [(each.model, each.benchmark) for each in pairs() if not each.mostly_without] == [
        ("Gemini-3-Pro", "MedXpertQA-MM"),
        ("Gemini-3-Pro", "MicroVQA"),
    ]
    assert all(each.certain for each in pairs())


@given(COUNTS)
def test_the_interval_is_that_of_a_relative_risk(counts):
    """As scipy has it for two independent samples."""
    n, right, with_image = counts
    score = pair(n, right, with_image).score
    theirs = relative_risk(right, n, with_image, n)
    assert score.value == pytest.approx(theirs.relative_risk)
    assert (score.low, score.high) == pytest.approx(tuple(theirs.confidence_interval(0.95)))
    assert score.n == n


@given(COUNTS)
def test_a_score_above_one_half_is_more_without_the_image_than_it_adds(counts):
    """The two ways to say it are one; what the image adds is the rest of the accuracy."""
    found = pair(*counts)
    assert found.without.value + found.adds == pytest.approx(found.with_image.value)
    if abs(found.score.value - 0.5) > 1e-9:
        assert found.mostly_without == (found.score.value > 0.5)


@given(st.sampled_from(pairs()), st.floats(-0.0005, 0.0005))
def test_rounding_changes_no_certain_verdict(found, off):
    """Whatever the next decimals of the printed accuracy were."""
    assert replace(found, accuracy=found.accuracy + off).mostly_without == found.mostly_without


def test_a_pair_at_one_half_is_not_certain():
    """39.98% without the image and 80.0% with it, which may have been 79.95%."""
    assert not Pair("m", "b", 10_000, 3998, 0.8).certain
    assert Pair("m", "b", 10_000, 3990, 0.8).certain


def test_questions_tending_to_be_right_both_ways_narrow_the_interval():
    """Replies drawn so give ratios that scatter less than the interval has it; drawn apart, as much."""
    random = np.random.default_rng(3)
    with_image = random.random((4000, 1000)) < 0.7
    apart = random.random((4000, 1000)) < 0.35
    nested = with_image & (random.random((4000, 1000)) < 0.5)
    error = pair(1000, 350, 700).error
    scatter = {
        name: float(np.std(np.log(without.mean(1) / with_image.mean(1))))
        for name, without in (("apart", apart), ("nested", nested))
    }
    assert scatter["apart"] == pytest.approx(error, rel=0.05)
    assert scatter["nested"] < 0.9 * error


def test_means_by_hand():
    """Of 0.5 and 1.0 it is 0.75; over benchmarks the errors add as squares, over models as they are."""
    two = [Pair("m", "a", 100, 40, 0.8), Pair("m", "b", 300, 150, 0.5)]
    halves = [each.score.value * log(each.score.high / each.score.value) for each in two]
    model = mean_per_model(two)["m"]
    assert (model.value, model.n) == (pytest.approx(0.75), 400)
    assert model.high - model.value == pytest.approx(np.hypot(*halves) / 2)
    assert model.value - model.low == pytest.approx(np.hypot(*halves) / 2)
    shared = [replace(two[0], model="one"), replace(two[0], model="other", right=80)]
    halves = [each.score.value * log(each.score.high / each.score.value) for each in shared]
    benchmark = mean_per_benchmark(shared)["a"]
    assert (benchmark.value, benchmark.n) == (pytest.approx(0.75), 100)
    assert benchmark.high - benchmark.value == pytest.approx(sum(halves) / 2)


def test_the_printed_means():
    """Of the nine scores in their table, in percent to one decimal."""
    for by, means in ((0, mean_per_model(pairs())), (1, mean_per_benchmark(pairs()))):
        for name, mean in means.items():
            own = [score for about, score in EXPECTED.items() if about[by] == name]
            assert len(own) == 3
            assert 100 * mean.value == pytest.approx(sum(own) / 3, abs=0.01)


def test_means_of_a_mean_scatter_as_their_interval_has_it():
    """Over benchmarks drawn apart, nineteen of twenty intervals hold the true mean."""
    random = np.random.default_rng(5)
    held = 0
    for _ in range(400):
        drawn = [Pair("m", name, 800, random.binomial(800, 0.4), random.binomial(800, 0.8) / 800) for name in "abc"]
        found = mean_per_model(drawn)["m"]
        held += found.low <= 0.5 <= found.high
    assert 365 <= held <= 395
