"""Low contrast: towards mid-grey."""

import numpy as np

from snellen.perturb.artefacts import LowContrast


def test_values_move_towards_the_middle():
    """A quarter of the contrast leaves a quarter of the distance to mid-grey."""
    picture = np.array([[0, 0.5, 1]], dtype=np.float32)
    np.testing.assert_allclose(LowContrast(0.25)(picture), [[0.375, 0.5, 0.625]])
