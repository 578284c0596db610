"""Numbers of labels, against simulated studies that label as many."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri

from snellen.stats import (
    cohens_kappa,
    labels_for_accuracy,
    labels_for_kappa_above,
    labels_for_kappa_width,
    prediction_powered_mean,
    proportion,
)
from snellen.stats.label_planning import kappa_bounds

QUANTILE = float(ndtri(0.975))


def responses(rng, n, agreement, share, judge_share=None):
    """Labels and grades of n responses, drawn as expected."""
    judge_share = share if judge_share is None else judge_share
    both = (share + judge_share - 1 + agreement) / 2
    cell = rng.choice(4, n, p=[both, share - both, judge_share - both, agreement - both])
    return (cell < 2).astype(float), np.isin(cell, (0, 2)).astype(float)


@settings(deadline=None)
@given(st.lists(st.integers(0, 30), min_size=4, max_size=4).filter(lambda cells: sum(cells) > 1))
def test_bounds_of_many_tables_are_those_of_cohens_kappa(cells):
    """The simulated studies have the bounds that the real one will have."""
    people, judge = np.repeat([1, 1, 0, 0], cells).tolist(), np.repeat([1, 0, 1, 0], cells).tolist()
    low, high = kappa_bounds(np.array(cells).reshape(1, 2, 2), QUANTILE)
    wanted = cohens_kappa(people, judge)
    if wanted.method != "wilson-of-agreement" or people == judge:  # raters who never agree are of no use here
        assert [low[0], high[0]] == pytest.approx([wanted.low, wanted.high], abs=1e-9)


@pytest.mark.parametrize(
    ("threshold", "agreement", "share", "judge_share"),
    [(0.6, 0.9, 0.5, None), (0.6, 0.95, 0.7, None), (0.4, 0.95, 0.9, None), (0.4, 0.85, 0.6, 0.7)],
)
def test_lower_bound_of_kappa_clears_the_threshold_as_often_as_asked(threshold, agreement, share, judge_share):
    """With the labels planned, eight of ten studies do; with three quarters of them, fewer."""
    plan = labels_for_kappa_above(threshold, agreement=agreement, share=share, judge_share=judge_share)
    rng, runs = np.random.default_rng(1), 400

    def power(labels):
        found = [
            cohens_kappa(*(x.tolist() for x in responses(rng, labels, agreement, share, judge_share)))
            for _ in range(runs)
        ]
        return np.mean([each.low > threshold for each in found])

    assert 0.8 - 3 * np.sqrt(0.16 / runs) <= power(plan.labels) <= 0.9
    assert power(plan.labels * 3 // 4) < 0.77


@pytest.mark.parametrize(
    ("half_width", "agreement", "share"), [(0.1, 0.9, 0.5), (0.15, 0.95, 0.9), (0.2, 0.98, 0.8), (0.08, 0.8, 0.6)]
)
def test_kappa_is_known_as_well_as_asked(half_width, agreement, share):
    """The mean half width of the interval in simulated studies is the one asked for, or just below."""
    plan = labels_for_kappa_width(half_width, agreement=agreement, share=share)
    rng = np.random.default_rng(2)
    found = [cohens_kappa(*(x.tolist() for x in responses(rng, plan.labels, agreement, share))) for _ in range(250)]
    widths = np.array([each.high - each.low for each in found]) / 2
    error = widths.std() / np.sqrt(len(widths))
    assert 0.9 * half_width <= widths.mean() <= half_width + 4 * error
    assert np.nanmean([each.value for each in found]) == pytest.approx(plan.kappa, abs=0.03)


def test_first_number_is_the_large_sample_one():
    """With κ = 0.8 of balanced raters the variance is 1 − κ²: 1.96² × 0.36 / 0.05² labels."""
    plan = labels_for_kappa_width(0.05, agreement=0.9, share=0.5)
    assert plan.kappa == pytest.approx(0.8)
    assert plan.labels == pytest.approx(QUANTILE**2 * 0.36 / 0.05**2, rel=0.03)


def test_a_plan_says_what_it_assumes():
    """Agreement and both shares, the judge's too; to be less sure, or to take more risks, takes fewer labels."""
    assumed = {"agreement": 0.85, "share": 0.6, "judge_share": 0.7}
    for call, size, more, share in (
        (labels_for_kappa_above, 0.1, {"level": 0.8, "power": 0.5}, 0.4),
        (partial(labels_for_accuracy, responses=900), 0.1, {"level": 0.8}, 0.6),
    ):
        usual, fewer = call(size, **assumed), call(size, **assumed, **more)
        assert (usual.agreement, usual.share, usual.judge_share) == pytest.approx((0.85, 0.6, 0.7))
        assert fewer.labels < share * usual.labels


@pytest.mark.parametrize(
    ("half_width", "agreement", "share", "judge_share", "size"),
    [
        (0.05, 0.95, 0.7, None, 2000),
        (0.08, 0.9, 0.6, 0.65, 1000),
        (0.06, 0.8, 0.7, None, 600),
        (0.1, 0.95, 0.7, 0.7, 300),
    ],
)
def test_accuracy_is_known_as_well_as_asked(half_width, agreement, share, judge_share, size):
    """The mean half width with the judge, and with labels alone, is the one asked for within 3%."""
    plan = labels_for_accuracy(half_width, agreement=agreement, share=share, judge_share=judge_share, responses=size)
    rng, both, alone, weights = np.random.default_rng(3), [], [], []
    for _ in range(100):
        labels, grades = responses(rng, size, agreement, share, judge_share)
        labels[rng.permutation(size)[plan.labels :]] = np.nan
        found = prediction_powered_mean(grades, labels)
        both.append((found.corrected.high - found.corrected.low) / 2)
        weights.append(found.weight)
        single = proportion((rng.random(plan.labels_alone) < share).astype(float))
        alone.append((single.high - single.low) / 2)
    assert np.mean(both) == pytest.approx(half_width, rel=0.03)
    assert np.mean(alone) == pytest.approx(half_width, rel=0.03)
    assert np.mean(weights) == pytest.approx(plan.weight, abs=0.03)
    assert plan.labels < plan.labels_alone


@given(st.floats(0.02, 0.2), st.floats(0.3, 0.9), st.floats(0.01, 0.99), st.integers(20, 3000))
def test_a_judge_never_costs_labels_and_a_better_one_saves_more(half_width, share, badness, size):
    """With the judge it takes no more than without; with one that agrees more often, no more than with a worse one."""
    wrong = 2 * min(share, 1 - share) * badness
    plans = [
        labels_for_accuracy(half_width, agreement=1 - each, share=share, responses=size) for each in (wrong, wrong / 2)
    ]
    worse, better = (size + 1 if plan.labels is None else plan.labels for plan in plans)
    assert better <= worse <= max(plans[0].labels_alone, size + 1)
    assert all(plan.labels is None or plan.labels <= min(size, plan.labels_alone) for plan in plans)


def test_too_few_responses_are_told():
    """Where labels on all responses would not be enough, there is no number of labels; labels alone need more too."""
    plan = labels_for_accuracy(0.05, agreement=0.95, share=0.7, responses=100)
    assert (plan.labels, plan.weight) == (None, 0)
    assert plan.labels_alone == 320


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: labels_for_kappa_above(0.8, agreement=0.9, share=0.5), "0.01 below the expected κ, 0.800, got 0.8"),
        (lambda: labels_for_kappa_width(0, agreement=0.9, share=0.5), "`half_width` must lie strictly"),
        (lambda: labels_for_kappa_width(0.1, agreement=1, share=0.5), "`agreement` must lie strictly"),
        (
            lambda: labels_for_kappa_width(0.1, agreement=0.95, share=0.5, judge_share=0.7),
            "people call 0.5 correct and the judge 0.7: it lies between 0.2 and 0.8",
        ),
        (lambda: labels_for_accuracy(0.1, agreement=0.9, share=0.5, responses=0), "`responses` must be a whole"),
    ],
)
def test_bad_input_is_named(call, says):
    """What was expected and what came stands in the error."""
    with pytest.raises(ValueError, match=says):
        call()
