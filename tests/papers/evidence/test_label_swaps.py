"""Label swaps: right answers that stay with the same label and change with another, counted anew by hand."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from snellen.papers.evidence.tests.label_swaps import KEPT, LEFT, OPPOSITE, RELIANCE, SAME, SENSITIVE
from snellen.stress import stress_test
from snellen.stress.base import Status
from tables import numbers, sheet, verdict

TEST = stress_test("label-swaps")


@given(st.lists(st.tuples(*[st.sampled_from("+-o? ")] * 3), min_size=10, max_size=40))
def test_counts_by_brute_force(rows):
    """UAR is the share of right answers that stay with the same label; the sensitivity is paired on the same items."""
    own, same, other = ("".join(line) for line in zip(*rows, strict=True))
    found = numbers(TEST, sheet({"original": own, SAME: same, OPPOSITE: other}))
    right = [(each[1], each[2]) for each in rows if each[0] == "+"]
    read = {sign: float(sign == "+") for sign in "+-o"}
    counted = {
        (SAME, KEPT): [read[one] for one, _ in right if one in read],
        (OPPOSITE, LEFT): [1 - read[two] for _, two in right if two in read],
        (OPPOSITE, SENSITIVE): [read[one] - read[two] for one, two in right if one in read and two in read],
        (OPPOSITE, RELIANCE): [read[one] - read[two] for one, _, two in rows if one in read and two in read],
    }
    for place, values in counted.items():
        assert (place in found) == (len(values) >= 6), place
        if place in found:
            assert (found[place].n, round(found[place].value, 9)) == (len(values), round(np.mean(values), 9)), place


def test_both_shares_are_reported_without_a_mark():
    """A blind model keeps all answers, a reading one only those with the same label; neither passes nor fails."""
    reads = verdict(TEST, sheet({"original": "+" * 60, SAME: "+" * 60, OPPOSITE: "-" * 60}))
    blind = verdict(TEST, sheet({"original": "+" * 60, SAME: "+" * 60, OPPOSITE: "+" * 60}))
    assert reads.status is blind.status is Status.REPORTED
    assert "100 points" in reads.sentence
    assert " 0 points" in blind.sentence
    assert verdict(TEST, sheet({"original": "+" * 5, SAME: "+" * 5})).status is Status.INCONCLUSIVE
