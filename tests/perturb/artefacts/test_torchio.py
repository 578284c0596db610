"""Our kernels against TorchIO, which the artefacts paper used: the same law or the same picture."""

import numpy as np
import pytest

from snellen.perturb.artefacts import BiasField, Blur, Crop, Motion, MotionAsPublished, Noise, Rotation
from snellen.perturb.artefacts.bias_field import POWERS


@pytest.fixture(scope="module")
def tio():
    """TorchIO, which brings torch: collecting the tests does not wait for it."""
    import torchio

    return torchio


def blob(height, width, *, seed=0, margin=0):
    """A picture of smooth shapes from 0.1 up, dark towards the margin."""
    rng = np.random.default_rng(seed)
    rows, columns = np.linspace(-1, 1, height)[:, None], np.linspace(-1, 1, width)[None, :]
    made = np.zeros((height, width))
    for across, down, size in rng.uniform(0.2, 0.7, (12, 3)) * rng.choice([-1, 1], (12, 3)):
        made += np.exp(-((rows - down) ** 2 + (columns - across) ** 2) / size**2 * 8)
    made *= rng.uniform(0.8, 1.2, made.shape)
    if margin:
        made[:margin], made[-margin:], made[:, :margin], made[:, -margin:] = 0, 0, 0, 0
    return (0.1 + 0.9 * made / made.max()).astype(np.float32)


def volume(picture):
    """Rows × columns × one, as the artefacts paper drew parameters."""
    import torch

    return torch.from_numpy(picture)[None, :, :, None]


def slab(picture):
    """One × rows × columns, as TorchIO reads k-space line by line."""
    import torch

    return torch.from_numpy(picture)[None, None]


def test_noise_has_torchios_mean_and_sd(tio):
    """Over a million pixels, mean and SD agree within sampling error; SDs of ours are those of the quantiles."""
    flat = np.full((1024, 1024), 0.5, dtype=np.float32)
    theirs = tio.Noise(mean=0, std=0.15, seed=3)(volume(flat))[0, ..., 0].numpy() - flat
    ours = Noise(sd=0.15, seed=3)(flat) - flat
    for noise in (theirs, ours):
        assert noise.mean() == pytest.approx(0, abs=5 * 0.15 / 1024)
        assert noise.std() == pytest.approx(0.15, abs=5 * 0.15 / 1024)


@pytest.mark.parametrize(("height", "width"), [(65, 48), (1, 17), (20, 1)])
def test_the_bias_field_is_torchios(tio, height, width):
    """The same coefficients give the same picture; of TorchIO's twenty, those without the third axis count."""
    drawn = np.random.default_rng(5).uniform(-1.8, 1.8, 20).tolist()
    powers = [(x, y, z) for x in range(4) for y in range(4 - x) for z in range(4 - x - y)]
    ours = {(x, y): value for (x, y, z), value in zip(powers, drawn, strict=True) if z == 0}
    picture = blob(height, width)
    theirs = tio.BiasField(coefficients=drawn, order=3)(volume(picture))[0, ..., 0].numpy()
    spoilt = BiasField(tuple(ours[power] for power in POWERS))(picture)
    np.testing.assert_allclose(spoilt, theirs, rtol=2e-5)


def turned_about_the_first_pixel(shape, degrees, shift):
    """TorchIO's two translations for a turn about the centre and a shift of ours: it turns about pixel (0, 0)."""
    centre = (np.array(shape) - 1) / 2
    sine, cosine = np.sin(np.radians(degrees)), np.cos(np.radians(degrees))
    origin = np.array([[cosine, sine], [-sine, cosine]])
    offset = centre - origin @ (centre + shift)
    return -offset[0], offset[1]


@pytest.mark.parametrize("size", [(96, 120), (97, 101)])
def test_motion_is_torchios(tio, size, between_pixels):
    """The same rigid movements at the same times give the same picture.

    The picture has its smallest value around its edges: just beyond them, TorchIO repeats the last pixel for half a
    pixel where we go over to the smallest value within one.
    """
    rng = np.random.default_rng(7)
    picture = blob(*size, margin=4)
    degrees, shifts = rng.uniform(-30, 30, 8), rng.uniform(-15, 15, (8, 2))
    times = (np.arange(1, 9) + rng.uniform(-0.3, 0.3, 8)) / 9
    turns, moves = np.zeros((8, 3)), np.zeros((8, 3))
    turns[:, 0] = degrees
    for index in range(8):
        moves[index, 1:] = turned_about_the_first_pixel(size, degrees[index], shifts[index])
    theirs = tio.Motion(degrees=turns, translation=moves, times=times, image_interpolation="linear")(slab(picture))
    ours = Motion(tuple(degrees), tuple(map(tuple, shifts)), tuple(times))(picture)
    assert np.abs(ours - picture).max() > 0.1
    np.testing.assert_allclose(ours, theirs[0, 0].numpy(), atol=between_pixels)


@pytest.mark.parametrize("degrees", [3, 30, 120])
@pytest.mark.parametrize("size", [(96, 120), (97, 101), (40, 8)])
def test_motion_as_published_is_torchios(tio, size, degrees):
    """Movements drawn for rows × columns × one and done to one × rows × columns give TorchIO's picture to 1e-5."""
    rng = np.random.default_rng(degrees)
    picture = blob(*size)
    turns, moves = np.zeros((8, 3)), np.zeros((8, 3))
    turns[:, 2] = rng.uniform(-degrees, degrees, 8)
    moves[:, :2] = rng.uniform(-3, 3, (8, 2))
    moves[:3, 0] = 0.2  # some that stay within the slice for several rows
    times = (np.arange(1, 9) + rng.uniform(-0.3, 0.3, 8)) / 9
    theirs = tio.Motion(degrees=turns, translation=moves, times=times, image_interpolation="linear")(slab(picture))
    ours = MotionAsPublished(tuple(turns[:, 2]), tuple(map(tuple, moves[:, :2])), tuple(times))(picture)
    assert np.abs(ours - picture).max() > 0.05
    np.testing.assert_allclose(ours, theirs[0, 0].numpy(), atol=1e-5)


def test_motion_as_published_without_a_late_movement_is_torchios(tio):
    """Where no movement comes in the second half, the unmoved slice is read last, as TorchIO has it."""
    picture = blob(30, 40)
    turns, moves, times = (
        np.array([[0, 0, 20.0], [0, 0, -9.0]]),
        np.array([[0.1, 2, 0], [0, 1, 0]]),
        np.array([0.2, 0.4]),
    )
    theirs = tio.Motion(degrees=turns, translation=moves, times=times, image_interpolation="linear")(slab(picture))
    ours = MotionAsPublished((20.0, -9.0), ((0.1, 2.0), (0.0, 1.0)), (0.2, 0.4))(picture)
    np.testing.assert_allclose(ours, theirs[0, 0].numpy(), atol=1e-5)


@pytest.mark.parametrize("degrees", [30, -12.5, 90])
def test_rotation_is_torchios(tio, degrees, between_pixels):
    """TorchIO keeps the canvas: the middle of ours is the same picture."""
    picture = blob(81, 81, margin=20)
    theirs = tio.Affine(scales=1, degrees=(0, 0, degrees), translation=0, default_pad_value=0)(volume(picture - 0.1))
    ours = Rotation(degrees)(picture - 0.1)
    rows, columns = ((size - 81) / 2 for size in ours.shape)
    assert rows == int(rows)
    assert columns == int(columns)
    middle = ours[int(rows) : int(rows) + 81, int(columns) : int(columns) + 81]
    np.testing.assert_allclose(middle, theirs[0, ..., 0].numpy(), atol=between_pixels)


def test_the_crop_is_torchios(tio):
    """The same window, pixel by pixel."""
    picture = blob(61, 47)
    ours = Crop(scale=0.4, down=0.3, right=0.9)(picture)
    top, left = int(0.3 * (61 - 24 + 1)), int(0.9 * (47 - 18 + 1))
    theirs = tio.Crop((top, 61 - 24 - top, left, 47 - 18 - left, 0, 0))(volume(picture))[0, ..., 0].numpy()
    assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("sigma", [0.7, 3.0, 6.5, 14.0])
def test_the_blur_is_torchios(tio, sigma):
    """The same Gaussian, reflected at the edges, to 2e-4; wide ones too, which we do at half the resolution."""
    picture = blob(512, 300)
    theirs = tio.Blur((sigma, sigma, 0))(volume(picture))[0, ..., 0].numpy()
    np.testing.assert_allclose(Blur(sigma)(picture), theirs, atol=2e-4)
