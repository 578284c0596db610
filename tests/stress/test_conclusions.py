"""Verdicts: what the numbers say, and what they cannot say."""

from dataclasses import replace

import pytest

from snellen.stats import Estimate
from snellen.stress import stress_test
from snellen.stress.base import Expectation, Measure, Status
from snellen.stress.conclusions import conclude
from snellen.stress.measures import KINDS


def measures(arm, **named):
    """Measures of one arm from (value, low, high, p, which is the adjusted one too)."""
    return {
        (arm, name): Measure(arm, KINDS[name], Estimate(value, low, high, 100, "m", p), p_adjusted=p, detectable=0.1)
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
    assert conclude(test, {}).status in (Status.INCONCLUSIVE, Status.REPORTED)


@pytest.mark.parametrize(
    ("moved", "changed", "rests_on"),
    [
        (LOST, (0.3, 0.2, 0.4, None), "difference"),
        (KEPT, (0.3, 0.2, 0.4, None), "changed_rate"),
        (KEPT, (0.01, 0.0, 0.03, None), "changed_rate"),
        (WIDE, (0.01, 0.0, 0.03, None), "difference"),
    ],
)
def test_a_verdict_names_the_number_it_rests_on(moved, changed, rests_on):
    """Of accuracy and choices, the one that decides: a sure loss, then moved choices, then what too few items hide."""
    test = stress_test("option-order")
    arm = test.compared[0].name
    found = measures(arm, **moved, changed_rate=changed) | measures("original", **GOOD_SCORE)
    decides = conclude(test, found).rests_on
    assert decides is found[arm, rests_on]


def test_of_several_arms_the_verdict_rests_on_the_worst():
    """The arm in the sentence is the arm of the number."""
    test = stress_test("reasoning-effort")
    low, high = (arm.name for arm in test.compared)
    found = measures(low, **KEPT) | measures(high, **LOST)
    verdict = test.concluding(test, found)
    assert verdict.status is Status.FAIL
    assert verdict.rests_on is found[high, "difference"]
    assert high in verdict.sentence


def test_nothing_measured_is_nothing_to_rest_on():
    """A verdict on nothing has no number."""
    assert conclude(stress_test("option-order"), {}).rests_on is None
