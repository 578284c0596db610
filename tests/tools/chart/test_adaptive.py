"""The adaptive rule: simulated readers are known to within a line after the rows of the first series."""

import numpy as np
import pytest

from snellen.stats.psychometric import PsychometricCurve
from snellen.tools.chart.charts import candidates, letters_that_fit, make_prior, transfer_belief
from snellen.tools.chart.exam import FIRST_ROWS, READS_NONE, USUAL_ROWS

SIDE = 448
LINE = 0.1
READERS = {
    "sharp": PsychometricCurve(5, 0.05, 0.0, 0.0),
    "usual": PsychometricCurve(9, 0.15, 0.1, 0.02),
    "careless": PsychometricCurve(14, 0.3, 0.1, 0.1),
    "weak": PsychometricCurve(60, 0.1, 0.1, 0.02),
}


def asked(belief, reader, rows, rng):
    for _ in range(rows):
        size = belief.next_size()
        shown = letters_that_fit(size, SIDE)
        belief = belief.update_belief(size, int(rng.binomial(shown, reader.predict_accuracy([size])[0])), shown)
    return belief


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_a_reader_is_known_to_within_a_line(reader):
    """All of five exams come within a line of the planted threshold, and so does another series of half the sight."""
    worse = PsychometricCurve(reader.threshold * 1.5, reader.width, reader.guess, reader.lapse)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        first = asked(make_prior(SIDE), reader, FIRST_ROWS, rng)
        other = asked(transfer_belief(first, SIDE), worse, USUAL_ROWS, rng)
        assert abs(np.log10(first.threshold / reader.threshold)) < LINE
        assert abs(np.log10(other.threshold / worse.threshold)) < 1.5 * LINE


def test_who_guesses_is_found_out_within_the_first_rows():
    """One letter in ten is right at any size: hardly any weight is left on reading."""
    rng = np.random.default_rng(1)
    belief = asked(make_prior(SIDE), PsychometricCurve(1000, 0.1, 0.1, 0.0), FIRST_ROWS, rng)
    assert belief.reads < READS_NONE


def test_sizes_are_whole_pixels_that_fit_the_image():
    """Two letters with a gap between them fit at the largest size; below 13 px every pixel is a step."""
    sizes = candidates(SIDE)
    assert sizes[:10] == tuple(range(3, 13))
    assert all((2 * letters_that_fit(size, SIDE) - 1) * size <= SIDE for size in sizes)
    assert letters_that_fit(sizes[-1], SIDE) == 2
