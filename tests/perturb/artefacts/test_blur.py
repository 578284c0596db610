"""Blur: in proportion to the picture, and quick where it is wide."""

import numpy as np
import pytest
from scipy import ndimage

from snellen.perturb.artefacts import Blur


@pytest.mark.parametrize("shape", [(2048, 30), (33, 1500)])
def test_the_width_goes_with_the_longer_side(shape):
    """Sigma is meant at 512 pixels."""
    picture = np.random.default_rng(0).random(shape).astype(np.float32)
    expected = ndimage.gaussian_filter(picture, 3 * max(shape) / 512)
    np.testing.assert_allclose(Blur(3)(picture), expected, atol=2e-4)


@pytest.mark.parametrize("sigma", [5.49, 5.51, 11.0, 11.2, 30])
def test_half_the_resolution_is_enough(sigma):
    """On both sides of each change of resolution, a wide Gaussian is the exact one to 1e-4, also at edges."""
    picture = (np.random.default_rng(1).random((512, 131, 3)) > 0.5).astype(np.float32)
    expected = ndimage.gaussian_filter(picture, (sigma, sigma, 0))
    np.testing.assert_allclose(Blur(sigma)(picture), expected, atol=1e-4)
