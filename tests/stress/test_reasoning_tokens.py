"""Reasoning tokens: what shows that an effort was taken, in the verdict of any test that sets one."""

from dataclasses import replace

import numpy as np
import pytest

from snellen.prompts import Settings
from snellen.stress import stress_test
from snellen.stress.reasoning_tokens import other_efforts
from tables import numbers, sheet, verdict

RIGHT, WRONG = "+" * 60, "-" * 60
UNCOUNTED = "no reasoning tokens are counted, so nothing shows that the effort was applied"
ALIKE = "the reasoning tokens do not differ between the efforts"


def thinking(found, **tokens):
    """The table with so many reasoning tokens in every response of an arm, a number or one for each response."""
    made = {
        arm: replace(grades, reasoning_tokens=np.broadcast_to(np.array(tokens[arm], float), len(grades)).copy())
        for arm, grades in found.arms.items()
        if arm in tokens
    }
    return replace(found, arms={**found.arms, **made})


EFFORTS = sheet({"original+low": RIGHT, "original+medium": RIGHT, "original+high": RIGHT})


def test_the_medians_stand_in_the_verdict():
    """By effort, where the server counts them."""
    found = thinking(EFFORTS, **{"original+low": 10, "original+medium": 200, "original+high": 3000})
    said = verdict("reasoning-effort", found).numbers
    assert said.endswith("; median reasoning tokens 10 at low effort, 200 at medium effort, 3,000 at high effort")
    measured = numbers("reasoning-effort", found)
    assert measured["original+high", "reasoning_tokens"].value == 3000
    assert measured["original+high", "reasoning_tokens_change"].value == 2990
    assert ("original+low", "reasoning_tokens_change") not in measured


NOISE = {level: np.random.default_rng(at).integers(0, 500, 60) for at, level in enumerate(("low", "medium", "high"))}


@pytest.mark.parametrize(
    ("test", "arms", "tokens", "said"),
    [
        # silence is no evidence that the model took the setting
        ("reasoning-effort", EFFORTS, {}, UNCOUNTED),
        ("image-needed:effort=high", sheet({"original+high": RIGHT, "image-removed+high": WRONG}), {}, UNCOUNTED),
        # the same tokens whatever was asked, or tokens that vary by themselves: the setting may have been ignored
        ("reasoning-effort", EFFORTS, dict.fromkeys(EFFORTS.arms, 0), ALIKE),
        ("reasoning-effort", EFFORTS, dict.fromkeys(EFFORTS.arms, 120), ALIKE),
        ("reasoning-effort", EFFORTS, {f"original+{level}": each for level, each in NOISE.items()}, ALIKE),
        # asked at high effort throughout, and nothing was reasoned
        ("image-needed:effort=high", sheet({"original+high": RIGHT, "image-removed+high": WRONG}),
         {"original+high": 0, "image-removed+high": 0}, "no response has reasoning tokens"),
    ],
)  # fmt: skip
def test_what_shows_no_effort_is_told(test, arms, tokens, said):
    """Tokens that nobody counts, that the effort does not change, or that are none."""
    assert said in verdict(test, thinking(arms, **tokens)).numbers


def test_what_needs_no_tokens_says_nothing_of_them():
    """At no effort there are none, as it should be; without an effort there is nothing to show."""
    none = sheet({"original+none": RIGHT, "image-removed+none": WRONG})
    silent = thinking(none, **dict.fromkeys(none.arms, 0))
    assert "ignored" not in verdict("image-needed:effort=none", silent).numbers
    plain = thinking(sheet({"original": RIGHT, "image-removed": WRONG}), **{"original": 7, "image-removed": 7})
    assert "token" not in verdict("image-needed", plain).numbers
    assert not any("token" in name for _, name in numbers("image-needed", plain))


def test_some_uncounted_responses_are_left_out():
    """The median is over the responses whose tokens are known."""
    half = [100.0, float("nan")] * 30
    found = thinking(EFFORTS, **{"original+low": half, "original+medium": 200, "original+high": 300})
    assert numbers("reasoning-effort", found)["original+low", "reasoning_tokens"].n == 30


def test_each_condition_is_held_against_itself_at_another_effort():
    """Where there is one; else against the baseline."""
    of = {
        arm.name: other.name
        for arm, other in other_efforts(stress_test("mirage-rate:none,vqa-rad,effort=none/high")).items()
    }
    assert of == {
        "no-image+bare+high": "no-image+bare+none",
        "no-image+mirage-vqa-rad+high": "no-image+mirage-vqa-rad+none",
    }
    of = {arm.name: other.name for arm, other in other_efforts(stress_test("mirage-score:effort=high/low")).items()}
    assert of == {"image-removed+low": "original+high"}
    assert not other_efforts(stress_test("image-needed:effort=high"))
    assert Settings(reasoning_effort="none").reasoning_effort == "none"
