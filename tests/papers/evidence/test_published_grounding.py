"""The measures of 2606.17710 and MedVIGIL, counted anew by their formulas; labels by their limits."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from snellen.papers.evidence.tests.published_grounding import CGR, IS, PREMIUM, UAR, VGR
from snellen.stress import stress_test
from snellen.stress.base import Status
from tables import numbers, sheet, verdict

TEST = stress_test("published-grounding")
HIDDEN, CONTROL, SWAPPED, MASKED, ONLY = (arm.name for arm in TEST.compared)


@given(st.lists(st.tuples(*[st.sampled_from("+-o?")] * 6), min_size=12, max_size=40))
def test_counts_by_brute_force(rows):
    """CGR counts flips, IS and UAR answers kept, of right ones; the premium is CGR − (1 − IS); VGR is of all."""
    lines = ["".join(line) for line in zip(*rows, strict=True)]
    arms = ("original", HIDDEN, CONTROL, SWAPPED, MASKED, ONLY)
    found = numbers(TEST, sheet(dict(zip(arms, lines, strict=True))))
    right = [each[1:] for each in rows if each[0] == "+"]
    counted = {
        (HIDDEN, CGR): [hidden == "-" for hidden, *_ in right if hidden != "?"],
        (CONTROL, IS): [control == "+" for _, control, *_ in right if control != "?"],
        (SWAPPED, UAR): [swapped == "+" for _, _, swapped, *_ in right if swapped != "?"],
        (HIDDEN, PREMIUM): [
            (hidden == "-") - (1 - (control == "+")) for hidden, control, *_ in right if "?" not in (hidden, control)
        ],
        (ONLY, VGR): [(only == "+") - (masked == "+") for *_, masked, only in rows],
    }
    for place, values in counted.items():
        assert (place in found) == (len(values) >= 6), place
        if place in found:
            assert (found[place].n, round(found[place].value, 9)) == (len(values), round(float(np.mean(values)), 9))


def test_labels():
    """By the published limits; reported without a mark."""
    lines = {
        "uses": ("-" * 60, "+" * 60),
        "ignores": ("+" * 60, "+" * 60),
        "unstable": ("-" * 60, "-" * 30 + "+" * 30),
        "none of the three": ("-" * 60, "-" * 10 + "+" * 50),
    }
    for label, (hidden, control) in lines.items():
        found = verdict(TEST, sheet({"original": "+" * 60, HIDDEN: hidden, CONTROL: control, SWAPPED: "+" * 60}))
        assert found.status is Status.REPORTED
        assert f"published label: {label}" in found.sentence, found.sentence
    assert verdict(TEST, sheet({"original": "+" * 60})).status is Status.INCONCLUSIVE
