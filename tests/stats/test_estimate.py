"""Estimate, and what importing the statistics costs."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import FrozenInstanceError

import pytest

import snellen.stats
from snellen.stats import Estimate, paired_difference


def test_an_estimate_is_read_as_value_interval_n_and_method():
    """Printed, it says all that is needed to judge the number."""
    assert str(Estimate(0.125, -1, 1, n=8, method="bonett-price")) == "0.12 [-1.00, 1.00] (n=8, bonett-price)"


def test_an_estimate_is_never_edited():
    """Its fields cannot be set."""
    estimate = paired_difference([0, 1], [1, 1])
    with pytest.raises(FrozenInstanceError):
        estimate.value = 1.0


def test_every_number_is_a_plain_float():
    """NumPy's own number types do not leak into what is stored and printed."""
    estimate = paired_difference([0, 1, 0.5], [1, 1, 0], clusters=[1, 1, 2])
    assert {type(number) for number in (estimate.value, estimate.low, estimate.high, estimate.p)} == {float}


def test_all_public_names_are_there():
    """What is announced can be imported, in alphabetical order."""
    assert sorted(snellen.stats.__all__) == snellen.stats.__all__
    assert all(hasattr(snellen.stats, name) for name in snellen.stats.__all__)


def test_importing_the_statistics_is_cheap():
    """SciPy's slow statistics module stays unloaded."""
    loaded = (
        "import sys, snellen.stats; print([m for m in sys.modules if m.startswith(('scipy.stats', 'statsmodels'))])"
    )
    assert subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True).stdout == "[]\n"
