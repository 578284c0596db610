"""ROC curve and threshold, against brute force and SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from snellen.stats import area_under_curve, roc, threshold_at

LEVELS = st.lists(st.sampled_from([0.05, 0.2, 0.4, 0.6, 0.9]), min_size=1, max_size=25)


@given(LEVELS, LEVELS)
def test_the_area_is_that_of_every_pair_and_of_the_curve(up, down):
    """The AUC is the share of pairs in order, SciPy's U, and the area under the points by trapezia."""
    scores, marks = [*up, *down], [1] * len(up) + [0] * len(down)
    pairs = np.mean([(one > other) + (one == other) / 2 for one in up for other in down])
    found = area_under_curve(scores, marks)
    points = roc(scores, marks)
    assert found.value == pytest.approx(pairs)
    assert found.value == pytest.approx(mannwhitneyu(up, down).statistic / len(up) / len(down))
    assert np.trapezoid([each.detected for each in points], [each.false_alarms for each in points]) == (
        pytest.approx(pairs)
    )
    assert found.low <= found.value <= found.high
    assert found.n == len(scores)


@given(LEVELS, LEVELS, st.sampled_from([0.01, 0.1, 0.25, 0.5, 0.9]))
def test_the_threshold_is_the_lowest_that_keeps_the_rate(down, up, rate):
    """No more negatives than stated reach it, and any level below it is reached by more."""
    threshold = threshold_at(down, rate, up)
    assert np.mean(np.array(down) >= threshold) <= rate
    lower = [level for level in {*down, *up} if level < threshold]
    assert not lower or np.mean(np.array(down) >= max(lower)) > rate or max(lower) == min({*down, *up})


def test_a_threshold_may_lie_above_every_score():
    """Midway to 1 where too many negatives share the highest score; where that is 1 already, none is high enough."""
    assert threshold_at([0.2, 0.9, 0.9, 0.9], 0.1) == pytest.approx(0.95)
    assert threshold_at([1.0, 1.0], 0.5) == np.inf
    with pytest.raises(ValueError, match="`rate` must lie strictly"):
        threshold_at([0.1], 0)


@pytest.mark.parametrize(
    ("marks", "says"),
    [([1, 1], "Both positives and negatives"), ([1, 0, 1], "each of the 2 scores"), ([0.5, 1], "must be 0 or 1")],
)
def test_marks_that_make_no_curve_are_refused(marks, says):
    """A curve needs both, one mark for each score, and nothing between."""
    with pytest.raises(ValueError, match=says):
        roc([0.1, 0.2], marks)
