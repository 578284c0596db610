"""The difference of two groups: against Newcombe's own figures, and its laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.stats import Estimate, group_difference, shared_correlation, wilson
from snellen.stats.paired import bonett_price


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [((56, 70), (48, 80), 0.0524, 0.3339), ((9, 10), (3, 10), 0.1705, 0.8090), ((10, 10), (0, 20), 0.6791, 1.0)],
)
def test_with_wilsons_bounds_it_is_newcombes_method_10(first, second, low, high):
    """The figures that Newcombe (1998) prints for it."""
    found = group_difference(wilson(*first), wilson(*second))
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-4)
    assert found.n == first[1] + second[1]


@given(
    st.lists(st.sampled_from([-1, -0.5, 0, 0.5, 1]), min_size=2, max_size=30),
    st.lists(st.sampled_from([-1, -0.5, 0, 0.5, 1]), min_size=2, max_size=30),
)
def test_it_turns_with_its_groups_and_always_has_a_width(first, second):
    """Exchanging the groups turns the sign, and groups without variance do not make an interval without width."""
    one, two = bonett_price(first), bonett_price(second)
    found, turned = group_difference(one, two), group_difference(two, one)
    assert (turned.value, turned.low, turned.high) == pytest.approx((-found.value, -found.high, -found.low))
    assert found.low < found.high
    assert found.low <= found.value <= found.high


def test_correlated_means_have_a_wider_or_narrower_difference():
    """As the variance of a difference has it: with correlation −1 the two lengths add up, with 1 they cancel."""
    one, two = Estimate(0.5, 0.4, 0.6, 50, "wilson"), Estimate(0.5, 0.4, 0.6, 50, "wilson")
    assert group_difference(one, two, correlation=-1).high == pytest.approx(0.2)
    assert group_difference(one, two, correlation=1).high == pytest.approx(0)


def test_the_correlation_of_means_that_share_clusters_is_that_of_many_samples():
    """Against brute force: patients are drawn again and again, and the two means move together as estimated."""
    rng = np.random.default_rng(4)
    patients = 60
    ease = rng.random(patients)
    first, second = (ease > 0.5).astype(float), (ease + 0.3 * rng.random(patients) < 0.6).astype(float)
    means = []
    for _ in range(4000):
        drawn = rng.integers(patients, size=patients)
        means.append((first[drawn].mean(), second[drawn].mean()))
    simulated = np.corrcoef(np.array(means).T)[0, 1]
    names = np.arange(patients)
    assert shared_correlation(first, second, names, names) == pytest.approx(simulated, abs=0.05)
    assert shared_correlation([], [1.0], [], [1]) == 0
    assert shared_correlation([1.0, 1.0], [0.0, 1.0], [1, 2], [1, 2]) == 0
