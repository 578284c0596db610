"""Motion: k-space put together from several poses."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from snellen.perturb.artefacts import Motion, MotionAsPublished


def scene(height=40, width=50):
    made = np.random.default_rng(2).random((height, width)).astype(np.float32)
    made[:4], made[-4:], made[:, :4], made[:, -4:] = 0, 0, 0, 0
    return made


@pytest.fixture
def moved(at_rounded_places):
    """The pose after a movement (degrees; down and right), by SciPy."""

    def pose(picture, degrees, shift):
        sine, cosine = np.sin(np.radians(degrees)), np.cos(np.radians(degrees))
        turn = np.array([[cosine, -sine], [sine, cosine]])
        centre = (np.array(picture.shape[::-1]) - 1) / 2
        origin = np.column_stack([turn, centre - turn @ (centre + shift[::-1])])
        return at_rounded_places(picture, origin, picture.shape, picture.min())

    return pose


@given(
    sizes=st.tuples(st.integers(3, 30), st.integers(2, 30)),
    times=st.lists(st.floats(0.01, 0.99), min_size=1, max_size=6, unique=True).map(sorted),
    seed=st.integers(0, 99),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_one_dimension_is_as_good_as_two(moved, sizes, times, seed):
    """The whole two-dimensional transform of every pose, put together column by column, has the same real part."""
    rng = np.random.default_rng(seed)
    picture = rng.random(sizes).astype(np.float32)
    degrees, shifts = rng.uniform(-40, 40, len(times)), rng.uniform(-4, 4, (len(times), 2))
    poses = [picture, *(moved(picture, turn, shift) for turn, shift in zip(degrees, shifts, strict=True))]
    width = picture.shape[1]
    bounds = [0, *(int(width * time) for time in times), width]
    middle = next(index for index in range(len(poses)) if bounds[index] <= width // 2 < bounds[index + 1])
    poses[0], poses[middle] = poses[middle], poses[0]
    mixed = np.zeros(picture.shape, dtype=complex)
    for pose, first, last in zip(poses, bounds, bounds[1:], strict=False):
        mixed[:, first:last] = np.fft.fftshift(np.fft.fft2(pose))[:, first:last]
    expected = np.fft.ifft2(np.fft.ifftshift(mixed)).real
    spoilt = Motion(tuple(degrees), tuple(map(tuple, shifts)), tuple(times))(picture)
    # Values are rounded to 1/16,320; a stretch of k-space lets through no more than twice the height of an error.
    np.testing.assert_allclose(spoilt, expected, atol=len(poses) * 2 * 0.5 / 16_320)


def test_a_movement_at_the_very_end_or_start_changes_little():
    """What was read before the patient moved is unmoved: only the outermost columns of k-space differ."""
    picture = scene()
    late, early = Motion((40.0,), ((5.0, 5.0),), (0.985,)), Motion((40.0,), ((5.0, 5.0),), (0.01,))
    middle = Motion((40.0,), ((5.0, 5.0),), (0.6,))
    assert 0 < np.abs(late(picture) - picture).mean() < 0.3 * np.abs(middle(picture) - picture).mean()
    np.testing.assert_allclose(early(picture), picture, atol=0.5 / 16_320 + 1e-6)  # values are rounded to 1/16,320


def test_the_mean_stays():
    """The lowest frequency is that of the unmoved picture."""
    picture = scene()
    spoilt = Motion.draw(1.0, np.random.default_rng(4), kind="OCT")(picture)
    assert spoilt.mean() == pytest.approx(picture.mean(), abs=1e-5)
    assert np.abs(spoilt - picture).max() > 0.1


@pytest.mark.parametrize("member", [Motion, MotionAsPublished])
def test_movements_grow_and_multiply(member):
    """Up to weak the same eight movements get larger; beyond it more of them come; times are even but for a jitter."""
    half, weak, strong = (member.draw(each, np.random.default_rng(1), kind="MRI") for each in (0.25, 0.5, 1.0))
    assert (len(half.times), len(weak.times), len(strong.times)) == (8, 8, 24)
    np.testing.assert_allclose(np.array(weak.degrees), 2 * np.array(half.degrees))
    np.testing.assert_allclose(np.array(strong.degrees[:8]), 4 * np.array(weak.degrees))
    np.testing.assert_allclose(np.array(strong.translation[:8]), np.array(weak.translation) * (100 / 30))
    for drawn in (weak, strong):
        count = len(drawn.times)
        even = np.arange(1, count + 1) / (count + 1)
        assert 0 < np.abs(np.array(drawn.times) - even).max() <= 0.3 / (count + 1)


def test_movements_are_even_over_their_range():
    """Over many draws, turns and shifts fill −m to m alike."""
    drawn = [Motion.draw(0.5, np.random.default_rng(seed), kind="X-ray") for seed in range(300)]
    turns, shifts = np.array([each.degrees for each in drawn]), np.array([each.translation for each in drawn])
    for values, most in ((turns, 30), (shifts, 15)):
        assert np.abs(values).max() <= most
        assert values.std() == pytest.approx(most / np.sqrt(3), rel=0.05)
        assert values.mean() == pytest.approx(0, abs=0.05 * most)
