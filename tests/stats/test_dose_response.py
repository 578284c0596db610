"""Dose and response: planted thresholds are held, what has none is told; the trend by NumPy and brute force."""

from __future__ import annotations

from functools import partial
from itertools import product
from math import inf, isnan, log, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen.stats import dose_response, paired_difference, proportion
from snellen.stats.dose_response import trend_over_doses
from steps import lines_run

DOSES = np.array([0, 0.25, 0.5, 0.75, 1])


def planted(rng, n, curve, chance, steady=True):
    """Answers that fall along a logistic curve (upper, midpoint, rate); steady items do not regain what they lost."""
    upper, midpoint, rate = curve
    left = 1 / (1 + np.exp(rate * (DOSES - midpoint)))
    seen = rng.random((n, 1) if steady else (n, 5)) < left * (upper - chance) / (1 - chance)
    return np.where(seen, 1.0, rng.random((n, 5)) < chance)


def half_way(midpoint, rate):
    """Where half of what there is at dose 0 is lost: the midpoint, but for what was lost before dose 0."""
    return midpoint + log(1 + 2 * np.exp(-rate * midpoint)) / rate


PLANTED = [
    (200, (0.9, 0.5, 10), 0.5, True),
    (100, (0.9, 0.6, 12), 0.25, False),
    (200, (0.8, 0.3, 12), 0.25, True),
    (200, (0.9, 0.4, 40), 0.5, False),
]


def test_planted_thresholds_are_held():
    """Of 24 samples about 23 intervals hold the threshold, and on average it is met; so it is for the height."""
    held = np.zeros(2)
    for n, curve, chance, steady in PLANTED:
        rng, truth = np.random.default_rng(1), half_way(*curve[1:])
        samples = [planted(rng, n, curve, chance, steady) for _ in range(6)]
        found = [dose_response(DOSES, each, chance=chance, seed=trial) for trial, each in enumerate(samples)]
        assert all(each.reason == "" for each in found), curve
        thresholds = [each.threshold for each in found]
        assert np.mean([each.value for each in thresholds]) == pytest.approx(truth, abs=0.07), curve
        upper = chance + (curve[0] - chance) / (1 + np.exp(-curve[2] * curve[1]))
        held[0] += sum(each.low <= truth <= each.high for each in thresholds)
        held[1] += sum(each.upper.low <= upper <= each.upper.high for each in found)
    assert (held >= 20).all()  # three standard errors below 23


def test_clusters_are_drawn_whole():
    """Eight alike images of each patient are worth one; unclustered the interval would be far too narrow."""
    answers = planted(np.random.default_rng(2), 60, (0.9, 0.5, 8), 0.25)
    eight, patients = np.repeat(answers, 8, axis=0), np.repeat(np.arange(60), 8)
    one, whole, wrong = (
        dose_response(DOSES, rows, chance=0.25, clusters=labels).threshold
        for rows, labels in ((answers, None), (eight, patients), (eight, None))
    )
    assert whole.method == "cluster-unseen-bootstrap; resamples=1000"
    assert whole.high - whole.low == pytest.approx(one.high - one.low, rel=0.25)
    assert wrong.high - wrong.low < 0.6 * (one.high - one.low)


def test_a_fall_between_two_doses_spans_the_gap():
    """All right up to 0.25 and all wrong from 0.5 on: anywhere between, with no bound to the slope."""
    found = dose_response(DOSES, np.tile([1, 1, 0, 0, 0], (50, 1)), chance=0)
    assert 0.25 < found.threshold.low < 0.32
    assert 0.43 < found.threshold.high < 0.5
    assert found.threshold.value == pytest.approx(0.375, abs=0.03)
    assert found.slope.high == inf
    assert found.upper.value == 1
    assert found.upper.low < 0.97


def test_a_curve_that_never_falls_has_no_threshold():
    """The reason says so, with the trend and its p; so does one that rises."""
    rng = np.random.default_rng(3)
    level = dose_response(DOSES, (rng.random((200, 5)) < 0.8) * 1.0, chance=0.5)
    rising = dose_response(DOSES, (rng.random((200, 5)) < 0.6 + 0.3 * DOSES) * 1.0, chance=0.25)
    for each in (level, rising):
        assert each.threshold is None
        assert each.slope is None
        assert "does not surely fall" in each.reason
    assert rising.trend.value > 0


def test_what_is_not_lost_within_the_doses_is_said():
    """A tenth lost of what can be: a clear trend, but no threshold up to the highest dose."""
    answers = (np.arange(400)[:, None] < 400 * (0.9 - 0.15 * DOSES)).astype(float)
    found = dose_response(DOSES, answers, chance=0.25)
    assert found.trend.p < 0.001
    assert found.threshold is None
    assert "occurs within the doses asked" in found.reason
    assert found.curve.threshold > 1


def test_a_threshold_that_may_lie_beyond_the_doses_is_open_above():
    """Just half is lost at the highest dose: the upper end is infinite."""
    answers = (np.arange(60)[:, None] < 60 * (0.9 - 0.36 * DOSES)).astype(float)
    found = dose_response(DOSES, answers, chance=0.2)
    assert found.threshold.value == pytest.approx(0.97, abs=0.03)
    assert found.threshold.high == inf


def test_a_floor_at_the_start_leaves_nothing_to_lose():
    """Half right of two options without any dose: no threshold, whatever comes after."""
    answers = np.column_stack([np.arange(100) < right for right in (54, 50, 40, 20, 0)]).astype(float)
    found = dose_response(DOSES, answers, chance=0.5)
    assert found.threshold is None
    assert "not surely above 0.50, so no loss can be measured" in found.reason
    free = dose_response(DOSES, answers, chance=0.5, floor="free")
    assert free.reason == ""
    assert 0.5 < free.threshold.value < 0.8
    assert free.curve.lower < 0.1


def test_too_few_doses_do_not_show_where():
    """Two doses, or items that were asked but once each, give a trend or none, and no threshold."""
    two = dose_response([0, 1], [[1, 0]] * 30, chance=0)
    assert "ask at three or more" in two.reason
    assert two.trend.value == -1
    three = dose_response([0, 0.5, 1], [[1, 1, 0]] * 20 + [[1, 0, 0]] * 10, chance=0)
    assert (three.reason, three.threshold.n) == ("", 30)
    once = np.full((10, 5), nan)
    once[np.arange(10), np.arange(10) % 5] = 1
    lonely = dose_response(DOSES, once, chance=0.0)
    assert "No item was asked at two doses" in lonely.reason
    assert isnan(lonely.trend.value)


def test_replies_that_are_missing_are_left_out():
    """A third not asked, some items and one dose not at all: about the same threshold from those that were."""
    rng = np.random.default_rng(4)
    answers = planted(rng, 300, (0.9, 0.5, 10), 0.25)
    holes = np.where(rng.random(answers.shape) < 0.3, nan, answers)
    holes[:20] = nan
    holes = np.column_stack((holes, np.full(300, nan)))
    whole, some = (dose_response(d, x, chance=0.25) for d, x in ((DOSES, answers), (np.append(DOSES, 2), holes)))
    assert some.threshold.value == pytest.approx(whole.threshold.value, abs=0.06)
    assert some.threshold.n == 280
    assert some.doses == tuple(DOSES)
    labelled = dose_response(np.append(DOSES, 2), holes, chance=0.25, clusters=np.arange(300))
    assert labelled == some


def test_what_is_drawn():
    """Accuracies with Wilson's interval, a fit that never rises, and a curve that starts at the lowest dose."""
    answers = planted(np.random.default_rng(5), 200, (0.9, 0.5, 10), 0.25)
    answers[:, 3] = answers[:, 2]
    found = dose_response(DOSES + 2, answers, chance=0.25)
    assert found.accuracies == tuple(proportion(column) for column in answers.T)
    assert list(found.isotonic) == sorted(found.isotonic, reverse=True)
    assert found.predict_accuracy([2.0]) == pytest.approx(found.upper.value)
    half = (found.upper.value + 0.25) / 2
    assert found.predict_accuracy([found.threshold.value]) == pytest.approx(half)
    assert 2 < found.threshold.low < found.threshold.high < 3


@given(st.randoms(use_true_random=False))
@settings(max_examples=5, deadline=None)
def test_order_of_items_and_doses_changes_nothing(random):
    """Rows and columns in another order give the very same estimates."""
    answers = planted(np.random.default_rng(6), 40, (0.9, 0.5, 10), 0.25)
    rows, columns = random.sample(range(40), 40), random.sample(range(5), 5)
    first = dose_response(DOSES, answers, chance=0.25)
    second = dose_response(DOSES[columns], answers[rows][:, columns], chance=0.25)
    assert first == second


def test_seeds_decide_the_draws():
    """One seed gives one interval, another seed another; the value stays."""
    answers = planted(np.random.default_rng(7), 100, (0.9, 0.5, 8), 0.25)
    one, again, other = (dose_response(DOSES, answers, chance=0.25, seed=seed) for seed in (1, 1, 2))
    assert one == again
    assert (one.upper.low, one.slope.low) != (other.upper.low, other.slope.low)
    assert one.threshold.value == other.threshold.value


def test_more_items_take_no_more_steps():
    """All items and many resamples are worked on at once: some 18,000 lines of Python, however many items there are."""
    answers = planted(np.random.default_rng(8), 200, (0.9, 0.5, 10), 0.5)
    for floor in ("chance", "free"):
        few, many = (
            lines_run(partial(dose_response, DOSES, rows, chance=0.5, floor=floor))
            for rows in (answers, np.repeat(answers, 4, axis=0))
        )
        assert few < 60_000, floor
        assert many < 1.5 * few, floor


@pytest.mark.parametrize(
    ("doses", "correct", "options", "says"),
    [
        ([0, 1], [[1, 0, 1]], {}, r"a column for each of the 2 doses, got shape \(1, 3\)"),
        ([0, 1], [1, 0], {}, r"got shape \(2,\)"),
        ([0, 1], [[1, 2]], {}, r"must lie in \[0, 1\], or be NaN"),
        ([0, 1], [[1, -1]], {}, r"must lie in \[0, 1\], or be NaN"),
        ([0, 0, 1], [[1, 1, 0]], {}, r"each given once, got \[0.0, 0.0, 1.0\]"),
        ([0, 0], [[1, 1]], {}, r"two different ones at least, each given once, got \[0.0, 0.0\]"),
        ([0, 1], [[1, nan]], {}, r"two different ones at least, each given once, got \[0.0\]"),
        ([0, 1], [[1, 0]], {"chance": 1}, "`chance` must be at least 0 and less than 1"),
        ([0, 1], [[1, 0]], {"floor": "zero"}, "got 'zero'"),
        ([0, 1], [[1, 0]], {"clusters": [1, 2]}, r"`clusters` must be one label per item \(1\)"),
    ],
)
def test_bad_input_is_named(doses, correct, options, says):
    """What was expected and what came stands in the error."""
    with pytest.raises(ValueError, match=says):
        dose_response(doses, correct, **{"chance": 0.5} | options)


answered = st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0, nan]), min_size=5, max_size=5), min_size=1, max_size=9)


@given(answered)
@settings(deadline=None)
def test_value_is_the_mean_of_least_squares_slopes(rows):
    """Each item's by NumPy, over the doses at which it was asked; items asked once are left out."""
    answers = np.array(rows)
    slopes = [np.polyfit(DOSES[there], row[there], 1)[0] for row in answers if (there := np.isfinite(row)).sum() > 1]
    found = trend_over_doses(DOSES, answers)
    assert found.n == len(slopes)
    if not slopes:
        assert isnan(found.value)
        assert (found.low, found.high, found.p) == (-inf, inf, None)
        return
    assert found.value == pytest.approx(np.mean(slopes), abs=1e-9)
    assert found.low <= found.value <= found.high


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=40))
@settings(deadline=None)
def test_two_doses_are_a_paired_difference(rows):
    """Value, interval and McNemar's exact p."""
    answers = np.array(rows, dtype=float)
    ours, other = trend_over_doses(np.array([0.0, 1.0]), answers), paired_difference(*answers.T)
    assert (ours.value, ours.low, ours.high, ours.p) == pytest.approx((other.value, other.low, other.high, other.p))


def test_p_is_that_of_trying_all_signs():
    """Of eight items with different slopes, and of four patients with two each."""
    answers = np.random.default_rng(1).random((8, 5)) - 0.3 * DOSES + 0.3
    slopes = np.array([np.polyfit(DOSES, row, 1)[0] for row in answers])
    for clusters, sums in ((None, slopes), (np.arange(8) // 2, slopes.reshape(4, 2).sum(axis=1))):
        totals = [abs(np.dot(signs, sums)) for signs in product((1, -1), repeat=sums.size)]
        expected = np.mean(np.array(totals) >= abs(sums.sum()) - 1e-9)
        assert trend_over_doses(DOSES, np.clip(answers, 0, 1), clusters).p == pytest.approx(expected)


def test_nothing_that_changes_is_not_certainly_nothing():
    """Equal answers at all doses have a slope of 0 with a width, and p 1."""
    found = trend_over_doses(DOSES, np.ones((50, 5)))
    assert (found.value, found.p) == (0, 1)
    assert found.low < 0 < found.high


def test_false_alarms_are_as_rare_as_promised():
    """Without a trend, at uneven doses, p ≤ 0.05 comes up about one time in twenty; with one, nearly always."""
    rng, doses = np.random.default_rng(3), np.array([0, 0.1, 0.3, 1])
    level = [trend_over_doses(doses, (rng.random((60, 4)) < 0.8) * 1.0, seed=i).p <= 0.05 for i in range(300)]
    assert 0.01 <= np.mean(level) <= 0.09
    falling = [
        trend_over_doses(doses, (rng.random((60, 4)) < 0.9 - 0.4 * doses) * 1.0, seed=i).p <= 0.05 for i in range(50)
    ]
    assert np.mean(falling) > 0.9


def test_patients_count_and_not_their_images():
    """Eight alike images of each of ten patients widen the interval eightfold in n."""
    answers = np.random.default_rng(4).integers(0, 2, (10, 5)).astype(float)
    one = trend_over_doses(DOSES, answers)
    eight = trend_over_doses(DOSES, np.repeat(answers, 8, axis=0), np.repeat(np.arange(10), 8))
    assert eight.method == "mean-slope; cluster-bonett-price"
    assert eight.high - eight.low == pytest.approx(one.high - one.low, rel=0.15)
