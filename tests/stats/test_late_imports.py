"""Parts of numpy that no statistic needs are loaded when somebody uses them."""

import subprocess
import sys


def test_a_part_of_numpy_that_waits_is_the_whole_one_when_it_is_used():
    """The statistics do without it, and its names are there as ever."""
    code = (
        "import sys, snellen.stats; print(snellen.stats.wilson(5, 10)); print('unittest' in sys.modules)\n"
        "import numpy.testing; numpy.testing.assert_equal(1, 1); print('unittest' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split("\n") == ["0.50 [0.24, 0.76] (n=10, wilson)", "False", "True", ""]
