"""The median and its interval, held against the binomial distribution written out."""

from math import comb, inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.stats import median


def by_hand(values, level=0.95):
    """The widest trim on both sides that still covers the median so often, by adding up coin tosses."""
    ordered, n = sorted(values), len(values)
    kept = None
    for trim in range(n // 2 + 1):
        outside = sum(comb(n, heads) for heads in range(trim + 1)) / 2**n
        if 2 * outside <= 1 - level:
            kept = trim
    return (-inf, inf) if kept is None else (ordered[kept], ordered[n - 1 - kept])


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=60), st.sampled_from([0.8, 0.9, 0.95]))
def test_the_interval_is_the_shortest_that_covers_enough(values, level):
    """As counted by hand, and the order of the values does not matter."""
    found = median(values, level)
    assert (found.low, found.high) == by_hand(values, level)
    assert found.value == np.median(values)
    assert median(values[::-1], level) == found


def test_the_interval_covers_as_often_as_it_says():
    """Over draws of a skewed distribution whose median is known."""
    rng = np.random.default_rng(0)
    draws = rng.exponential(size=(2000, 25))
    found = [median(each) for each in draws]
    covered = np.mean([each.low <= np.log(2) <= each.high for each in found])
    assert 0.945 <= covered <= 0.97


def test_few_values_have_no_interval():
    """Five show nothing with 95% certainty."""
    assert (median([1, 2, 3, 4, 5]).low, median([1, 2, 3, 4, 5]).high) == (-inf, inf)
    with pytest.raises(ValueError, match="at least one number"):
        median([])
