"""What is measured of every arm, on tables one can count by hand."""

import pytest

from snellen.grading.verdicts import Outcome
from snellen.stats import paired_difference, wilson
from snellen.stress import stress_test
from snellen.stress.measures import standard_measures
from tables import table

RIGHT, WRONG, MUTE, NO = Outcome.CORRECT, Outcome.WRONG, Outcome.ABSTAINED, Outcome.REFUSED


def measured(**arms):
    replies = {name.replace("_", "-"): [(i, 0, *cell) for i, cell in enumerate(arm)] for name, arm in arms.items()}
    test = stress_test("image-needed")
    return {(measure.arm, measure.name): measure for measure in standard_measures(test, table(**replies))}


def test_accuracy_counts_silence_as_wrong_and_accuracy_answered_leaves_it_out():
    """Five replies: two right, one wrong, one abstention, one refusal."""
    found = measured(original=[(RIGHT, 0), (RIGHT, 0), (WRONG, 1), (MUTE, 0), (NO, 0)])
    assert found["original", "accuracy"].estimate.value == pytest.approx(2 / 5)
    assert found["original", "accuracy_answered"].estimate.value == pytest.approx(2 / 3)
    assert found["original", "abstention_rate"].estimate.value == pytest.approx(1 / 5)
    assert found["original", "refusal_rate"].estimate.value == pytest.approx(1 / 5)
    assert found["original", "accuracy"].estimate.method == "wilson; reader=lenient"
    expected = wilson(2, 5)
    assert (found["original", "accuracy"].estimate.low, found["original", "accuracy"].estimate.high) == (
        pytest.approx(expected.low),
        pytest.approx(expected.high),
    )


def test_the_difference_is_paired():
    """Arm minus baseline over the items that have both."""
    found = measured(original=[(RIGHT, 0)] * 4, image_removed=[(RIGHT, 0), (WRONG, 1), (MUTE, 0)])
    difference = found["image-removed", "difference"].estimate
    assert (difference.value, difference.n) == (pytest.approx(-2 / 3), 3)
    assert difference.p == pytest.approx(paired_difference([1, 1, 1], [1, 0, 0]).p)
    assert found["image-removed", "changed_rate"].estimate.value == pytest.approx(1 / 2)


def test_the_margin_over_chance_uses_each_items_own_options():
    """Five options: chance is a fifth, and silence counts neither for nor against."""
    found = measured(original=[(RIGHT, 0)] * 5)
    assert found["original", "above_chance"].estimate.value == pytest.approx(0.8)
    silent = measured(original=[(MUTE, 0), (NO, 0), (RIGHT, 0), (WRONG, 1), (MUTE, 0)])
    assert silent["original", "above_chance"].estimate.value == pytest.approx((0.8 - 0.2) / 5)


def test_an_arm_without_replies_has_no_numbers():
    """Nothing asked, nothing measured: no zero stands in for it."""
    assert measured(original=[(RIGHT, 0)], image_removed=[]).keys().isdisjoint({("image-removed", "difference")})
    assert measured() == {}
