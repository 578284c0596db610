"""Chain of thought on blanks: four ways of asking, counted by hand."""

import numpy as np
import pytest
from scipy.stats import t

from snellen.stress import stress_test
from snellen.stress.base import Status
from tables import numbers, sheet, verdict

NAME = "blank-chain-of-thought"
ORIGINAL, STEPS, BLANK, BLANK_STEPS = "original", "original+cot", "image-blank", "image-blank+cot"


def lines(original, steps, blank, blank_steps, repeats=10):
    """A table from a line of signs for each way of asking, repeated."""
    return {
        arm: repeats * line
        for arm, line in zip((ORIGINAL, STEPS, BLANK, BLANK_STEPS), (original, steps, blank, blank_steps), strict=True)
    }


def test_it_asks_the_original_and_the_blank_with_steps_and_without():
    """And the settings of the blank are its own; in other words it is refused, at an effort not."""
    assert [arm.name for arm in stress_test(NAME).all_arms] == [ORIGINAL, STEPS, BLANK, BLANK_STEPS]
    noisy = stress_test(f"{NAME}:fill=noise,effort=low")
    assert noisy.name == f"{NAME}:fill=noise,effort=low"
    assert noisy.all_arms[3].name == "image-blank:fill=noise+cot+low"


def test_the_changes_are_counted_by_hand():
    """Of four questions: blanks from 1 right to 3 with steps, originals from 4 to 3; the loss from 3 to 0 questions."""
    found = numbers(NAME, sheet(lines("++++", "+++-", "+---", "++-+")))
    assert found[BLANK_STEPS, "blank_change"].value == pytest.approx(0.5)
    assert found[STEPS, "original_change"].value == pytest.approx(-0.25)
    assert found[BLANK, "blank_loss"].value == pytest.approx(0.75)
    assert found[BLANK_STEPS, "blank_loss"].value == pytest.approx(0.0)
    loss = found[BLANK_STEPS, "blank_loss_change"]
    assert loss.value == pytest.approx(-0.75)
    half = t.ppf(0.975, 39) * np.std([0, -1, 0, -2] * 10, ddof=1) / np.sqrt(40)
    assert loss.high - loss.low == pytest.approx(2 * half, rel=0.15)
    assert loss.n == 40


def test_the_change_of_the_loss_covers_the_truth():
    """Over simulated studies of 60 questions, near as often as it says."""
    rng = np.random.default_rng(3)
    covered = []
    for _ in range(60):
        marks = rng.random((4, 60)) < np.array([0.8, 0.7, 0.3, 0.5])[:, None]
        signs = ("".join("+" if mark else "-" for mark in row) for row in marks)
        table = sheet(lines(*signs, repeats=1))
        loss = numbers(NAME, table)[BLANK_STEPS, "blank_loss_change"]
        covered.append(loss.low <= (0.7 - 0.5) - (0.8 - 0.3) <= loss.high)
    assert np.mean(covered) >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 60)


@pytest.mark.parametrize(
    ("signs", "said"),
    [
        (("++++", "++++", "----", "+++-"), "it answers more questions right on blank images"),
        (("++++", "++++", "+++-", "----"), "it answers fewer questions right on blank images"),
        (("++++", "++++", "+++-", "tttt"), "100% more of the questions get no answer on blank images"),
        (("++++", "++++", "+---", "+---"), "no change on blank images is shown"),
    ],
)
def test_it_is_told_and_not_judged(signs, said):
    """With both changes and the change of the loss, and that membership in training data was not tested."""
    found = verdict(NAME, sheet(lines(*signs)))
    assert found.status is Status.REPORTED
    assert said in found.meaning
    assert "no test shows if the questions were in the training data" in found.meaning
    for words in (
        "on blank images with chain of thought",
        "on the original images",
        "the accuracy lost on blank images changes by",
    ):
        assert words in found.numbers


def test_what_was_not_asked_is_not_told():
    """Without the originals there is no loss; without both blanks nothing."""
    signs = lines("++++", "++++", "+---", "++--")
    blanks = {arm: signs[arm] for arm in (BLANK, BLANK_STEPS)}
    assert "costs" not in verdict(NAME, sheet(blanks)).numbers
    assert verdict(NAME, sheet({ORIGINAL: signs[ORIGINAL]})).status is Status.INCONCLUSIVE
