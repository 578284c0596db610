"""Degradation: to fractions once and back once, and how far a picture is from its original."""

from dataclasses import dataclass
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

from snellen.errors import ImageError
from snellen.images import Image
from snellen.perturb.artefacts import Blur, Crop, Degradation, Exposure, Noise, Rotation, distance
from snellen.perturb.artefacts.base import Artefact


@dataclass(frozen=True)
class Levels(Artefact):
    """Puts given fractions in place of a picture's."""

    name = "levels"
    values: tuple[float, ...]

    @classmethod
    def draw(cls, severity, rng, *, kind):
        return cls((severity,))

    def __call__(self, picture):
        return np.array(self.values, dtype=np.float32).reshape(picture.shape)


@pytest.mark.parametrize(("dtype", "full"), [(np.uint8, 255), (np.uint16, 65_535)])
def test_rounded_to_the_nearest_level_and_clipped(dtype, full):
    """Neither truncated nor wrapped around, however far beyond black and white, to infinity."""
    levels = [0.0, 0.4, 0.6, 1.4, full - 0.6, full, full + 9, -9]
    values = [*(level / full for level in levels), 1e9, -1e9, 1e30, -1e30, float("inf"), float("-inf")]
    after = Degradation((Levels(tuple(values)),))(np.zeros((1, len(values)), dtype=dtype))
    assert after.dtype == dtype
    assert after[0].tolist() == [0, 0, 1, 1, full - 1, full, full, 0, full, 0, full, 0, full, 0]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_no_part_changes_nothing(dtype):
    """Every level of the type comes back as it was, in a new array."""
    before = np.arange(np.iinfo(dtype).max + 1).astype(dtype).reshape(16, -1)
    after = Degradation(())(before)
    assert np.array_equal(after, before)
    assert not np.shares_memory(after, before)


def test_parts_follow_each_other_without_rounding_between():
    """A picture three stops darker and three brighter is itself; rounded in between it would not be."""
    before = np.arange(256, dtype=np.uint8).reshape(16, 16)
    assert np.array_equal(Degradation((Exposure(-3), Exposure(3)))(before), before)
    order = Degradation((Noise(0.2, 1), Blur(80))), Degradation((Blur(80), Noise(0.2, 1)))
    assert order[0](before).std() < order[1](before).std()


@pytest.mark.parametrize(("dtype", "full"), [(np.uint8, 255), (np.uint16, 65_535)])
def test_stretched_spreads_over_the_whole_range(dtype, full):
    """The darkest value becomes black and the brightest white; a picture of one value becomes black."""
    part = Levels((-2.0, 0.0, 2.0, 1.0))
    after = Degradation((part,), scale="stretched")(np.zeros((2, 2), dtype=dtype))
    assert after.tolist() == [[0, round(full / 2)], [full, round(full * 0.75)]]
    assert not Degradation((), scale="stretched")(np.full((3, 3), 77, dtype=dtype)).any()


def test_colours_are_stretched_together():
    """Hues stay: one darkest and one brightest value for all channels."""
    before = np.array([[[10, 25, 30], [110, 70, 30]]], dtype=np.uint8)
    after = Degradation((), scale="stretched")(before)
    assert after.tolist() == [[[0, 38, 51], [255, 153, 51]]]


@pytest.mark.parametrize(
    ("pixels", "said"),
    [
        (np.zeros((4, 4)), r"float64 of shape \(4, 4\)"),
        (np.full((4, 4), np.nan, dtype=np.float32), r"float32 of shape \(4, 4\)"),
        (np.zeros((4, 4), dtype=np.int16), r"int16 of shape \(4, 4\)"),
        (np.zeros((4, 4), dtype=bool), r"bool of shape \(4, 4\)"),
        (np.zeros((4, 4, 4), dtype=np.uint8), r"uint8 of shape \(4, 4, 4\)"),
        (np.zeros((4, 4, 1), dtype=np.uint8), r"uint8 of shape \(4, 4, 1\)"),
        (np.zeros(4, dtype=np.uint8), r"uint8 of shape \(4,\)"),
        (np.zeros((0, 4), dtype=np.uint8), r"uint8 of shape \(0, 4\)"),
    ],
    ids=["fractions", "not a number", "signed", "yes and no", "transparent", "one channel", "a row", "empty"],
)
def test_anything_else_is_refused(pixels, said):
    """The message says what was expected and what came."""
    with pytest.raises(ImageError, match=f"Expected 8- or 16-bit grey or RGB pixels, got {said}"):
        Degradation((Noise(0.1, 1),))(pixels)


def test_a_step_of_an_image():
    """Its settings are in the picture's fingerprint, and pixels that are no contiguous block are taken too."""
    image = Image(b"file").then(Degradation((Noise(0.1, 1),)))
    assert "Noise(sd=0.1, seed=1)" in image.fingerprint
    assert image.fingerprint != Image(b"file").then(Degradation((Noise(0.1, 2),))).fingerprint
    wide = np.random.default_rng(0).integers(0, 256, (12, 16, 3), dtype=np.uint8)
    step = Degradation((Noise(0.1, 1), Blur(20)))
    assert np.array_equal(step(wide[::2, ::-1]), step(wide[::2, ::-1].copy()))


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
