"""Cross-validated AUC, against SciPy, brute force and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr
from scipy.stats import mannwhitneyu
from scipy.stats import t as student_t

from snellen.stats import aucs_in_folds, cross_validated_auc
from snellen.stats.auc import _with_chance
from snellen.stats.intervals import score_bounds


@st.composite
def scored(draw):
    """Scores with ties, a mark and a fold each, such that fold 0 compares something."""
    size = draw(st.integers(4, 30))
    scores = draw(st.lists(st.integers(0, 6), min_size=size, max_size=size))
    marks = [0, 1, *draw(st.lists(st.integers(0, 1), min_size=size - 2, max_size=size - 2))]
    folds = [0, 0, *draw(st.lists(st.integers(0, 2), min_size=size - 2, max_size=size - 2))]
    return np.array(scores, dtype=float), np.array(marks), np.array(folds)


@settings(deadline=None)
@given(scored())
def test_the_value_is_that_of_every_pair_within_folds(drawn):
    """Every pair of one fold is compared, a tie as half, and no pair of two folds."""
    scores, marks, folds = drawn
    won = [
        (up > down) + (up == down) / 2
        for fold in set(folds.tolist())
        for up in scores[(folds == fold) & (marks == 1)]
        for down in scores[(folds == fold) & (marks == 0)]
    ]
    estimate = cross_validated_auc(scores, marks, folds)
    assert estimate.value == pytest.approx(np.mean(won))
    assert aucs_in_folds(scores[:, None], marks[:, None], folds)[0] == pytest.approx(np.mean(won))
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    assert estimate.low < estimate.high


def test_one_fold_is_mann_whitney():
    """With a single fold the AUC is SciPy's U over the number of pairs."""
    rng = np.random.default_rng(3)
    scores, marks = rng.normal(size=50).round(1), np.arange(50) % 2
    found = mannwhitneyu(scores[marks == 1], scores[marks == 0]).statistic / 25**2
    assert cross_validated_auc(scores, marks, np.zeros(50)).value == pytest.approx(found)


def test_scores_of_different_folds_are_not_compared():
    """A constant added to the scores of one fold changes nothing."""
    rng = np.random.default_rng(1)
    scores, marks, folds = rng.normal(size=80), np.tile([0, 1], 40), np.repeat([0, 1], 40)
    assert cross_validated_auc(scores, marks, folds) == cross_validated_auc(scores + 100 * folds, marks, folds)


def test_all_in_order_still_has_a_width():
    """An AUC of 1 has an upper bound of exactly 1 and a lower one that more patients raise."""
    bounds = []
    for patients in (20, 200):
        marks = np.tile([0, 1], patients)
        clusters = np.repeat(np.arange(patients), 2)
        found = cross_validated_auc(marks, marks, clusters % 5, clusters)
        assert (found.value, found.high) == (1, 1)
        bounds.append(found.low)
        assert found.low == pytest.approx(score_bounds(1.0, patients, student_t.ppf(0.975, patients - 5))[0])
    assert 0.7 < bounds[0] < bounds[1] < 1


def test_a_cluster_in_two_folds_is_an_error():
    """A patient whose responses are in two folds has been seen by the classifier that scores them."""
    with pytest.raises(ValueError, match="within one fold"):
        cross_validated_auc([1, 2, 3, 4], [0, 1, 0, 1], [0, 0, 1, 1], [7, 8, 7, 9])


@pytest.mark.parametrize(
    ("scores", "marks", "folds", "why"),
    [
        ([1, 2], [0, 2], [0, 0], "0 or 1"),
        ([1, 2], [1, 1], [0, 0], "a positive and a negative"),
        ([1, 2], [0, 1], [0, 1], "a positive and a negative"),
    ],
)
def test_what_cannot_be_compared_is_an_error(scores, marks, folds, why):
    """Marks are 0 or 1, and some fold holds both."""
    with pytest.raises(ValueError, match=why):
        cross_validated_auc(scores, marks, folds)


@pytest.mark.parametrize(("apart", "runs"), [(0.0, 1), (0.0, 4), (1.0, 1), (1.0, 4), (2.0, 4)])
def test_the_interval_holds_a_known_auc(apart, runs):
    """Of normal scores that are so far apart, patients' own levels shared by both groups, 95% hold the truth."""
    rng, repeats, patients = np.random.default_rng(5), 100, 60
    truth, held = float(ndtr(apart / np.sqrt(2))), 0
    clusters = np.broadcast_to(np.arange(patients)[None, :, None], (2, patients, runs))
    marks = np.broadcast_to(np.array([0, 1])[:, None, None], clusters.shape)
    for _ in range(repeats):
        own = rng.normal(0, np.sqrt(0.3), size=(1, patients, 1))
        scores = own + rng.normal(0, np.sqrt(0.7), size=clusters.shape) + apart * marks
        found = cross_validated_auc(scores.ravel(), marks.ravel(), clusters.ravel() % 5, clusters.ravel())
        held += found.low <= truth <= found.high
    assert held / repeats > 0.95 - 3 * np.sqrt(0.95 * 0.05 / repeats)


def test_what_chance_does_widens_the_interval_only_near_a_half():
    """By permutation the interval is as wide as chance makes it near ½, and hardly wider far from it."""
    rng = np.random.default_rng(2)
    clusters, marks = np.repeat(np.arange(100), 2), np.tile([0, 1], 100)
    by_chance = rng.normal(0.5, 0.1, size=400)
    widths = []
    for apart in (0.0, 6.0):
        scores = rng.normal(size=200) + apart * marks
        plain = cross_validated_auc(scores, marks, clusters % 5, clusters)
        wider = cross_validated_auc(scores, marks, clusters % 5, clusters, by_chance=by_chance)
        assert plain.value == wider.value
        assert wider.method == f"{plain.method}-and-permutation"
        widths.append((wider.high - wider.low) / (plain.high - plain.low))
    assert widths[0] > 1.5
    assert widths[1] < 1.5


def test_what_chance_adds_fades_beyond_three_of_its_deviations():
    """In full up to three, then by their square; never less than the variance itself."""
    by_chance = np.array([0.4, 0.6])
    found = [_with_chance(*each, by_chance) for each in ((0.5, 0.001), (0.3, 0.001), (0.9, 0.001), (0.5, 0.02))]
    assert found == pytest.approx([0.01, 0.0084, 0.001 + 0.0026 * 9 / 16, 0.02])


def test_a_single_patient_says_nothing_of_others():
    """The AUC may be anything."""
    alone = cross_validated_auc([1, 3, 2], [1, 1, 0], [0, 0, 0], [7, 7, 7])
    assert (alone.value, alone.low, alone.high) == (0.5, 0, 1)
