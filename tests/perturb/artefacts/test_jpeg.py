"""JPEG: coded and read again."""

import cv2
import numpy as np
import pytest

from snellen.perturb.artefacts import Degradation, Jpeg


def photo():
    rows, columns = np.mgrid[0:48, 0:64] / 64
    planes = [rows, columns, (rows + columns) / 2]
    return np.rint(255 * np.stack(planes, axis=2)).astype(np.uint8)


@pytest.mark.parametrize("quality", [100, 20, 3])
def test_it_is_the_codecs_picture(quality):
    """Grey and colours come back as from a file."""
    colour = photo()
    coded = cv2.imencode(".jpg", colour[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    assert np.array_equal(Degradation((Jpeg(quality),))(colour), cv2.imdecode(coded, cv2.IMREAD_COLOR)[..., ::-1])
    grey = colour[..., 1]
    coded = cv2.imencode(".jpg", grey, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    assert np.array_equal(Degradation((Jpeg(quality),))(grey), cv2.imdecode(coded, cv2.IMREAD_GRAYSCALE))


def test_deep_pictures_come_back_with_8_bits():
    """256 levels at most."""
    deep = np.random.default_rng(0).integers(0, 65_536, (64, 64), dtype=np.uint16)
    assert not (Degradation((Jpeg(90),))(deep) % 257).any()


def test_severity_runs_from_nothing_over_100_to_3():
    """No coding at all, then qualities that only fall."""
    path = [Jpeg.draw(each, np.random.default_rng(0), kind="MRI").quality for each in (0, 1e-6, 0.25, 0.5, 1)]
    assert path == [None, 100, 60, 20, 3]


def test_what_lies_beyond_black_and_white_is_clipped():
    """It never wraps around."""
    picture = np.array([[-3.0, 7.0] * 4] * 8, dtype=np.float32).repeat(8, axis=1)
    np.testing.assert_allclose(Jpeg(100)(picture), np.clip(picture, 0, 1), atol=0.02)
