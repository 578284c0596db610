"""Pictures prepared for an image tower, held against torch and torchvision."""

from importlib import import_module

import numpy as np
import PIL.Image
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen.errors import ImageError
from snellen.models.clip.preprocessing import Preprocessing

MEAN, STD = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
PLAIN = Preprocessing(32, 32, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
RESIZES = st.sampled_from(["shortest", "longest", "squash"])


def noise(height, width, *colours, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (height, width, *colours), dtype=np.uint8)


def settings_of(preprocessing):
    """The same by open_clip's names."""
    return {
        "size": (preprocessing.height, preprocessing.width),
        "mean": preprocessing.mean,
        "std": preprocessing.std,
        "interpolation": preprocessing.interpolation,
        "resize_mode": preprocessing.resize,
        "fill_color": preprocessing.fill,
    }


def transform_of(preprocessing):
    """open_clip's own transform."""
    transform = import_module("open_clip.transform")
    return transform.image_transform_v2(transform.PreprocessCfg(**settings_of(preprocessing)), is_train=False)


def test_a_picture_of_the_right_size_is_only_normalised():
    """Each colour is its share of white, less the mean and over the standard deviation."""
    pixels = noise(32, 32, 3)
    expected = ((pixels / 255 - MEAN) / STD).transpose(2, 0, 1)
    np.testing.assert_allclose(Preprocessing(32, 32, MEAN, STD)(pixels), expected, rtol=1e-5, atol=1e-6)


def test_grey_is_three_equal_colours():
    """A grey picture and the same in colour are one."""
    grey = noise(50, 40)
    prepare = Preprocessing(32, 32, MEAN, STD)
    np.testing.assert_array_equal(prepare(grey), prepare(np.stack([grey] * 3, axis=2)))


@pytest.mark.parametrize("shape", [(32, 64), (64, 32)])
def test_the_middle_is_what_is_seen(shape):
    """Of a long picture whose short side fits, the margins are cut off and nothing else is done."""
    pixels = noise(*shape)
    middle = pixels[:, 16:48] if shape[1] == 64 else pixels[16:48]
    np.testing.assert_array_equal(PLAIN(pixels)[0] * 255, middle)


def test_longest_shows_everything_and_fills_the_rest():
    """A wide picture is made as wide as the model's, its rest filled with the model's colour."""
    seen = Preprocessing(32, 32, *((0.0,) * 3, (1.0,) * 3), resize="longest", fill=51)(np.full((40, 80), 255, np.uint8))
    np.testing.assert_allclose(seen[:, 8:24], 1.0)
    np.testing.assert_allclose(np.delete(seen, range(8, 24), axis=1), 0.2)


@given(st.integers(8, 200), st.integers(8, 200), st.sampled_from(["bicubic", "bilinear"]))
@settings(max_examples=40)
def test_resizing_agrees_with_torchs(height, width, interpolation):
    """Torch's own antialiased resampling to the same size comes to the same grey values, to the rounding of 8 bits.

    The values stay in the middle of the range, since Pillow cuts off what goes beyond it after each direction.
    """
    torch = pytest.importorskip("torch")
    pixels = 96 + noise(height, width) // 4
    prepare = Preprocessing(32, 48, (0.0,) * 3, (1.0,) * 3, interpolation=interpolation, resize="squash")
    tensor = torch.from_numpy(pixels.astype(np.float32))[None, None]
    resized = torch.nn.functional.interpolate(tensor, (32, 48), mode=interpolation, antialias=True, align_corners=False)
    assert np.abs(prepare(pixels)[0] * 255 - resized[0, 0].numpy()).max() < 1.5


@given(st.integers(1, 120), st.integers(1, 120), RESIZES, st.sampled_from([(32, 32), (24, 40), (40, 24)]))
def test_any_picture_comes_out_in_the_models_size(height, width, resize, size):
    """Whatever the picture's size and the model's, three colours of the model's size come out, and finite numbers."""
    prepared = Preprocessing(*size, MEAN, STD, resize=resize)(noise(height, width))
    assert prepared.shape == (3, *size)
    assert prepared.dtype == np.float32
    assert np.isfinite(prepared).all()


def test_a_picture_like_a_thread_is_refused():
    """A picture that would grow beyond all bounds is named, not resized."""
    with pytest.raises(ImageError, match="70000 × 1 pixels is too narrow"):
        PLAIN(np.zeros((1, 70_000), np.uint8))


def test_settings_are_read_by_their_usual_names():
    """A model's own settings, its size as one number or two, are understood."""
    wide = Preprocessing(24, 40, MEAN, STD, interpolation="bilinear", resize="squash", fill=7)
    assert Preprocessing.of(settings_of(wide)) == wide
    assert Preprocessing.of({"size": 32, "mean": [0.0] * 3, "std": [1.0] * 3}) == PLAIN


@given(st.integers(1, 90), st.integers(1, 90), RESIZES, st.booleans())
@settings(max_examples=60)
def test_open_clips_own_transform_gives_the_same_bits(height, width, resize, coloured):
    """No bit differs from what open_clip itself makes of a picture."""
    own = Preprocessing(32, 32, MEAN, STD, resize=resize, fill=9)
    transform = transform_of(own)
    pixels = noise(height, width, 3) if coloured else noise(height, width)
    if resize == "longest" and 64 * min(height, width) <= max(height, width):
        return  # open_clip resizes such a picture to nothing, and fails
    np.testing.assert_array_equal(own(pixels), transform(PIL.Image.fromarray(pixels)).numpy())
