"""Device: opaque, and growing over what it covered."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.perturb.artefacts import Device


def covered(device, size):
    """Where two pictures that differ everywhere have become the same."""
    black, white = np.full(size, -1, dtype=np.float32), np.full(size, 2, dtype=np.float32)
    return device(black) == device(white)


@given(
    severities=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    seed=st.integers(0, 10_000),
    size=st.tuples(st.integers(1, 90), st.integers(1, 90)),
)
def test_a_larger_device_covers_a_smaller_one(severities, seed, size):
    """Pixel by pixel: nothing comes back that was hidden."""
    low, high = (Device.draw(each, np.random.default_rng(seed), kind="OCT") for each in sorted(severities))
    assert not (covered(low, size) & ~covered(high, size)).any()


@pytest.mark.parametrize(("severity", "least", "most"), [(0, 0, 0), (0.5, 0.03, 0.1), (1, 0.3, 0.65)])
def test_how_much_it_covers(severity, least, most):
    """Nothing, then some hundredths, then a third and more of the picture, wherever it lies."""
    for seed in range(20):
        share = covered(Device.draw(severity, np.random.default_rng(seed), kind="MRI"), (200, 240)).mean()
        assert least <= share <= most


def test_metal_is_bright_but_for_mri():
    """Where rays are stopped it is white, where the signal is lost it is black."""
    tones = {kind: Device.draw(1, np.random.default_rng(0), kind=kind).tone for kind in ("MRI", "OCT", "X-ray")}
    assert tones["MRI"] < 0.1
    assert min(tones["OCT"], tones["X-ray"]) > 0.8
