"""Distance: SSIM and PSNR as scikit-image has them."""

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

from snellen.errors import ImageError
from snellen.perturb.artefacts import Blur, Crop, Degradation, Noise, Rotation, distance


def theirs(before, after):
    full = np.iinfo(before.dtype).max
    return structural_similarity(
        before,
        after,
        gaussian_weights=True,
        sigma=1.5,
        use_sample_covariance=False,
        data_range=full,
        channel_axis=2 if before.ndim == 3 else None,
    ), peak_signal_noise_ratio(before, after, data_range=full)


@given(
    size=st.tuples(st.integers(11, 60), st.integers(11, 60)),
    colour=st.booleans(),
    deep=st.booleans(),
    seed=st.integers(0, 999),
    sd=st.floats(0.005, 0.5),
    sigma=st.floats(0, 60),
)
def test_ssim_and_psnr_are_scikit_images(size, colour, deep, seed, sd, sigma):
    """To 1e-4 and 1e-3 dB, for 8 and 16 bits, grey and colour."""
    dtype = np.uint16 if deep else np.uint8
    before = np.random.default_rng(seed).integers(0, np.iinfo(dtype).max, (*size, 3) if colour else size, dtype=dtype)
    after = Degradation((Noise(sd, seed), Blur(sigma)))(before)
    assert distance(before, after) == pytest.approx(theirs(before, after), abs=1e-3, rel=1e-4)
    assert distance(before, after).ssim == pytest.approx(theirs(before, after)[0], abs=1e-4)


def test_the_same_picture():
    """SSIM is exactly 1, PSNR infinite."""
    picture = np.arange(144, dtype=np.uint8).reshape(12, 12)
    assert distance(picture, picture.copy()) == (1.0, inf)


def test_by_hand():
    """Black against white: an error of the whole range is 0 dB, and SSIM is c₁ / (1 + c₁)."""
    black, white = np.zeros((20, 20), dtype=np.uint8), np.full((20, 20), 255, dtype=np.uint8)
    assert distance(black, white) == pytest.approx((1e-4 / (1 + 1e-4), 0), abs=1e-6)


def test_another_size_is_brought_to_the_first():
    """A picture twice as large, pixel by pixel, is the same to a viewer; a part of it is not."""
    before = np.random.default_rng(0).integers(0, 256, (40, 30), dtype=np.uint8)
    assert distance(before, before.repeat(2, axis=0).repeat(2, axis=1)) == (1.0, inf)
    assert distance(before, Degradation((Crop(0.5, 0, 0),))(before)).ssim < 0.5
    assert distance(before, Degradation((Rotation(30),))(before)).ssim < 0.5


@given(size=st.tuples(st.integers(1, 14), st.integers(1, 10)), seed=st.integers(0, 99))
def test_tiny_pictures_have_a_distance(size, seed):
    """Where the window does not fit, all pixels count: a number between −1 and 1, and symmetric."""
    rng = np.random.default_rng(seed)
    one, two = (rng.integers(0, 256, size, dtype=np.uint8) for _ in range(2))
    there, back = distance(one, two), distance(two, one)
    assert -1 <= there.ssim <= 1
    assert there == pytest.approx(back)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (np.zeros((12, 12), dtype=np.uint8), np.zeros((12, 12), dtype=np.uint16)),
        (np.zeros((12, 12), dtype=np.uint8), np.zeros((12, 12, 3), dtype=np.uint8)),
        (np.zeros((12, 12)), np.zeros((12, 12))),
    ],
)
def test_pictures_of_two_types_are_refused(before, after):
    """The message says what came."""
    with pytest.raises(ImageError, match=rf"got {before.dtype} of shape \(12, 12\) and {after.dtype}"):
        distance(before, after)
