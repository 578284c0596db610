"""Adjusted p-values, against statsmodels."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from snellen.stats import benjamini_hochberg, holm

p_values = st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 0.05, 1.0])), min_size=1, max_size=30)


@pytest.mark.parametrize(("adjust", "name"), [(holm, "holm"), (benjamini_hochberg, "fdr_bh")])
@given(p=p_values)
def test_adjusted_p_are_those_of_statsmodels(adjust, name, p):
    """Value by value, in the order given."""
    with patch("gc.collect"):  # which statsmodels calls each time, and which takes long after many tests
        expected = multipletests(p, method=name)[1]
    assert adjust(p) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
@settings(deadline=None)
@given(p=p_values)
def test_adjusting_never_lowers_a_p_and_keeps_the_ranks(adjust, p):
    """No p falls or exceeds 1, a smaller p stays the smaller, and the input is untouched."""
    given_p = np.array(p)
    adjusted = adjust(given_p)
    assert np.array_equal(given_p, p)
    assert np.all(adjusted >= given_p - 1e-15)
    assert np.all(adjusted <= 1)
    assert np.all(np.diff(adjusted[np.argsort(given_p, kind="stable")]) >= 0)


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
@pytest.mark.parametrize(("p", "says"), [([], "at least one"), ([1.2], "got 1.2"), ([0.1, float("nan")], "got nan")])
def test_bad_input_is_named(adjust, p, says):
    """What was expected and what came stands in the error."""
    with pytest.raises(ValueError, match=says):
        adjust(p)
