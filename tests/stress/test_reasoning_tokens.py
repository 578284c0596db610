"""Reasoning tokens: what shows that an effort was taken, in the verdict of any test that sets one."""

from dataclasses import replace

import numpy as np
import pytest

from snellen.prompts import Settings
from snellen.stress import stress_test
from snellen.stress.reasoning_tokens import other_efforts
from tables import numbers, sheet, verdict

RIGHT, WRONG = "+" * 60, "-" * 60
UNCOUNTED = "no reasoning tokens are counted, so nothing shows that the effort was taken"
ALIKE = "the efforts cannot be told apart by the reasoning tokens"


def thinking(found, **tokens):
    """The table with so many reasoning tokens in every response of an arm, a number or one for each response."""
    arms = dict(found.arms)
    for name, each in tokens.items():
        arm = name.replace("__", "+").replace("_", "-")
        arms[arm] = replace(arms[arm], reasoning_tokens=np.broadcast_to(np.array(each, float), len(arms[arm])).copy())
    return replace(found, arms=arms)


EFFORTS = sheet({"original+low": RIGHT, "original+medium": RIGHT, "original+high": RIGHT})


def test_the_medians_stand_in_the_verdict():
    """By effort, where the server counts them."""
    found = thinking(EFFORTS, original__low=10, original__medium=200, original__high=3000)
    said = verdict("reasoning-effort", found).numbers
    assert said.endswith("; median reasoning tokens 10 at low effort, 200 at medium effort, 3,000 at high effort")
    measured = numbers("reasoning-effort", found)
    assert measured["original+high", "reasoning_tokens"].value == 3000
    assert measured["original+high", "reasoning_tokens_change"].value == 2990
    assert ("original+low", "reasoning_tokens_change") not in measured


def test_tokens_that_nobody_counts_are_told():
    """Silence is no evidence that the model took the setting."""
    assert verdict("reasoning-effort", EFFORTS).numbers.endswith(UNCOUNTED)
    assert verdict(
        "image-needed:effort=high", sheet({"original+high": RIGHT, "image-removed+high": WRONG})
    ).numbers.endswith(UNCOUNTED)


@pytest.mark.parametrize("tokens", [0, 120])
def test_efforts_that_cannot_be_told_apart_are_told(tokens):
    """The same tokens whatever was asked: the setting may have been ignored."""
    found = thinking(EFFORTS, original__low=tokens, original__medium=tokens, original__high=tokens)
    assert ALIKE in verdict("reasoning-effort", found).numbers


def test_noise_is_no_difference():
    """Tokens that vary by themselves and not with the effort."""
    rng = np.random.default_rng(1)
    some = {f"original__{level}": rng.integers(0, 500, 60) for level in ("low", "medium", "high")}
    assert ALIKE in verdict("reasoning-effort", thinking(EFFORTS, **some)).numbers


def test_no_tokens_at_an_effort_are_told():
    """Asked at high effort throughout, and nothing was reasoned; at no effort that is as it should be."""
    asked = sheet({"original+high": RIGHT, "image-removed+high": WRONG})
    silent = thinking(asked, original__high=0, image_removed__high=0)
    assert "no response has reasoning tokens" in verdict("image-needed:effort=high", silent).numbers
    asked = sheet({"original+none": RIGHT, "image-removed+none": WRONG})
    silent = thinking(asked, original__none=0, image_removed__none=0)
    assert "ignored" not in verdict("image-needed:effort=none", silent).numbers


def test_tests_without_an_effort_say_nothing_of_it():
    """Tokens are told only where they say whether a setting was taken."""
    asked = thinking(sheet({"original": RIGHT, "image-removed": WRONG}), original=7, image_removed=7)
    assert "token" not in verdict("image-needed", asked).numbers
    assert not any("token" in name for _, name in numbers("image-needed", asked))


def test_some_uncounted_responses_are_left_out():
    """The median is over the responses whose tokens are known."""
    half = [100.0, float("nan")] * 30
    found = thinking(EFFORTS, original__low=half, original__medium=200, original__high=300)
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
