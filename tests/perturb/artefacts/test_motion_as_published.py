"""Motion as published: what an exchange of axes makes of it."""

import numpy as np

from snellen.perturb.artefacts import MotionAsPublished


def test_it_is_a_horizontal_low_pass():
    """Away from the few rows a moved slice still cuts, a row keeps only the frequencies read before the first movement
    after the middle; nothing happens down the columns.
    """
    picture = np.random.default_rng(0).random((64, 80)).astype(np.float32)
    times = (0.3, 0.6)
    spoilt = MotionAsPublished((60.0, -60.0), ((20.0, 0.0), (30.0, 0.0)), times)(picture)
    frequency = np.fft.fftfreq(80) * 80
    kept = (frequency >= int(80 * 0.3) - 40) & (frequency < int(80 * 0.6) - 40)
    lowest = picture.min()
    expected = np.fft.ifft(np.fft.fft(picture - lowest, axis=1) * kept, axis=1).real + lowest
    same = np.isclose(spoilt, expected, atol=1e-5).all(axis=1)
    assert same.sum() >= 60
    assert not np.isclose(spoilt, picture, atol=1e-2).all(axis=1).any()
