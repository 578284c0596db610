"""Planes of a picture: taken apart and joined again."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from snellen.perturb.artefacts.base import channels, join_planes


@given(seed=st.integers(0, 99), form=st.sampled_from(["grey", "grey as colour", "colour"]))
def test_apart_and_joined_is_the_same(seed, form):
    """And a grey picture has one plane, however it is stored."""
    grey = np.random.default_rng(seed).random((4, 6), dtype=np.float32)
    picture = {
        "grey": grey,
        "grey as colour": np.stack([grey] * 3, axis=2),
        "colour": np.random.default_rng(seed).random((4, 6, 3), dtype=np.float32),
    }[form]
    planes = channels(picture)
    assert len(planes) == (3 if form == "colour" else 1)
    assert np.array_equal(join_planes(planes, like=picture), picture)
