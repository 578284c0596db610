"""Crop: windows within windows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from snellen.perturb.artefacts import Crop

places = st.floats(0, 1, exclude_max=True)


def pixels_kept(crop, size):
    """Which pixels a window shows, by their numbers."""
    return set(crop(np.arange(size[0] * size[1], dtype=np.float32).reshape(size)).ravel().astype(int).tolist())


@given(
    size=st.tuples(st.integers(1, 60), st.integers(1, 60)),
    down=places,
    right=places,
    scales=st.tuples(st.floats(0.01, 1), st.floats(0.01, 1)),
)
def test_a_smaller_window_lies_in_a_larger_one(size, down, right, scales):
    """At every place and size, so that nothing comes back that was gone."""
    small, large = (Crop(scale, down, right) for scale in sorted(scales))
    assert pixels_kept(small, size) <= pixels_kept(large, size)


def test_the_size_is_the_papers():
    """int(scale × side), and never less than a pixel."""
    picture = np.zeros((101, 57), dtype=np.float32)
    assert Crop(0.8, 0.5, 0.5)(picture).shape == (80, 45)
    assert Crop(0.4, 0.5, 0.5)(picture).shape == (40, 22)
    assert Crop(0.4, 0.99, 0.99)(picture[:2, :1]).shape == (1, 1)


def test_every_place_is_as_likely():
    """A window of 6 in 10 has five places, each about a fifth of the time, the first and the last among them."""
    row = np.arange(10, dtype=np.float32)[None, :]
    drawn = [Crop.draw(0.75, np.random.default_rng(seed), kind="MRI")(row)[0, 0] for seed in range(1000)]
    counts = np.bincount(np.array(drawn, dtype=int), minlength=5)
    assert counts.size == 5
    assert np.abs(counts - 200).max() < 60
