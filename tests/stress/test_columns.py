"""Columns: one number an item, NaN where there is none."""

import numpy as np

from snellen.stress.measures import both, credited, mean_of, nothing, right
from tables import rated, sheet

NAN = np.nan
FOUND = sheet({"original": ["++-ox?. ", "+--ox?+ "]}, rated(8, options=4))


def test_right_counts_everything_else_as_wrong():
    """Per item the share of its runs that are right; NaN where nothing came or the arm was not asked."""
    np.testing.assert_array_equal(right(FOUND, "original"), [1, 0.5, 0, 0, 0, 0, 1, NAN])
    np.testing.assert_array_equal(right(FOUND, "image-removed"), [NAN] * 8)
    np.testing.assert_array_equal(nothing(FOUND), [NAN] * 8)


def test_what_chose_nothing_is_credited_with_a_guess():
    """Abstained, refused and unreadable replies score what luck would, wrong ones nothing."""
    np.testing.assert_array_equal(credited(FOUND, "original"), [1, 0.5, 0, 0.25, 0.25, 0.25, 1, NAN])
    np.testing.assert_array_equal(credited(FOUND, "image-removed"), [NAN] * 8)


def test_pairs_have_both_numbers_or_none():
    """A gap in one column is a gap in the other."""
    before, after = both(np.array([1, NAN, 0, NAN]), np.array([0, 1, NAN, NAN]))
    np.testing.assert_array_equal(before, [1, NAN, NAN, NAN])
    np.testing.assert_array_equal(after, [0, NAN, NAN, NAN])


def test_the_mean_of_the_numbers_there_are():
    """Gaps do not count, and a row of gaps is one."""
    one, two = np.array([NAN, 1, NAN]), np.array([0.5, 0, NAN])
    np.testing.assert_array_equal(mean_of(one, two), [0.5, 0.5, NAN])
