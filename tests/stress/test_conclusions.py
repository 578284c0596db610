"""Verdicts: what the numbers say, and what they cannot say."""

from dataclasses import replace

import pytest

from snellen.stats import Estimate
from snellen.stress import stress_test
from snellen.stress.base import Expectation, Measure, Status
from snellen.stress.conclusions import conclude


def measures(arm, **named):
    """Measures of one arm from (value, low, high, p, which is the adjusted one too)."""
    return {
        (arm, name): Measure(arm, name, Estimate(value, low, high, 100, "m", p), p_adjusted=p, detectable=0.1)
        for name, (value, low, high, p) in named.items()
    }


LOST = {"difference": (-0.5, -0.6, -0.4, 0.001)}
KEPT = {"difference": (0.0, -0.02, 0.02, 1.0)}
WIDE = {"difference": (-0.1, -0.3, 0.1, 0.4)}
GOOD_SCORE, CHANCE = {"above_chance": (0.6, 0.5, 0.7, 1e-9)}, {"above_chance": (0.0, -0.1, 0.1, 1.0)}
LUCKY = {"above_chance": (0.12, 0.01, 0.23, 0.02)}


@pytest.mark.parametrize(
    ("removed", "original", "status"),
    [
        (LOST, GOOD_SCORE, Status.PASS),
        (KEPT, GOOD_SCORE, Status.FAIL),
        (KEPT, CHANCE, Status.INCONCLUSIVE),
        (LOST, CHANCE, Status.INCONCLUSIVE),
        (WIDE, GOOD_SCORE, Status.INCONCLUSIVE),
        ({}, {}, Status.INCONCLUSIVE),
    ],
)
def test_image_needed(removed, original, status):
    """A model that loses looks; one that keeps a good score does not; at chance nobody can tell."""
    test = stress_test("image-needed")
    verdict = test.concluding(test, {**measures("image-removed", **removed), **measures("original", **original)})
    assert verdict.status == status
    assert verdict.sentence.endswith(".")


@pytest.mark.parametrize(
    ("expects", "found", "status"),
    [
        (Expectation.INVARIANT, {**KEPT, "changed_rate": (0.01, 0.0, 0.04, None)}, Status.PASS),
        (Expectation.INVARIANT, {**KEPT, "changed_rate": (0.5, 0.4, 0.6, None)}, Status.FAIL),
        (Expectation.INVARIANT, {**KEPT, **CHANCE, "changed_rate": (0.5, 0.4, 0.6, None)}, Status.INCONCLUSIVE),
        (Expectation.INVARIANT, {**KEPT, **LUCKY, "changed_rate": (0.5, 0.4, 0.6, None)}, Status.INCONCLUSIVE),
        (Expectation.INVARIANT, {**LOST, "changed_rate": (0.01, 0.0, 0.04, None)}, Status.FAIL),
        (Expectation.INVARIANT, {**WIDE, "changed_rate": (0.05, 0.0, 0.2, None)}, Status.INCONCLUSIVE),
        (Expectation.INVARIANT, KEPT, Status.INCONCLUSIVE),
        (Expectation.WORSE, LOST, Status.PASS),
        (Expectation.WORSE, KEPT, Status.FAIL),
        (Expectation.WORSE, WIDE, Status.INCONCLUSIVE),
        (Expectation.CHANGE, {"changed_rate": (0.9, 0.8, 1.0, None)}, Status.PASS),
        (Expectation.CHANGE, {"changed_rate": (0.1, 0.0, 0.2, None)}, Status.FAIL),
        (Expectation.ABSTAIN, {"abstention_rate": (0.9, 0.8, 1.0, None)}, Status.PASS),
        (Expectation.ABSTAIN, {"abstention_rate": (0.5, 0.4, 0.6, None)}, Status.INCONCLUSIVE),
    ],
)
def test_every_expectation(expects, found, status):
    """The same numbers mean different things by what was hoped for."""
    test = replace(stress_test("option-order"), expects=expects)
    original = {"above_chance": found.get("above_chance", GOOD_SCORE["above_chance"])}
    known = {**measures("options-shuffled", **found), **measures("original", **original)}
    assert conclude(test, known).status == status


def test_a_handful_of_items_can_show_nothing():
    """Where nothing could have been detected, the verdict says that the items are too few."""
    wide = measures("options-shuffled", **WIDE)
    few = {key: replace(measure, detectable=None) for key, measure in wide.items()}
    test = replace(stress_test("option-order"), expects=Expectation.WORSE)
    assert "too few to show any change" in conclude(test, {**few, **measures("original", **GOOD_SCORE)}).sentence


@pytest.mark.parametrize("expects", Expectation)
def test_without_numbers_no_verdict_is_given(expects):
    """Nothing measured, nothing claimed."""
    test = replace(stress_test("option-order"), expects=expects)
    assert conclude(test, {}).status == Status.INCONCLUSIVE
