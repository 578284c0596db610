"""The difference of two groups: against Newcombe's own figures, and its laws."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.stats import group_difference, wilson
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
