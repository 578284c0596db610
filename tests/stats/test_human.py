"""What people score: exam points as accuracies, as published and by counting."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.stats import human, human_accuracy

PUBLISHED = Path(__file__).parents[2].parent / "shared" / "oracles" / "published.json"


@pytest.mark.skipif(not PUBLISHED.exists(), reason=f"the printed figures are not at {PUBLISHED}")
def test_the_published_conversion():
    """The Italian paper prints 56.9 points as 71.0% and as 42.58 right answers."""
    printed = json.loads(PUBLISHED.read_text())["italian"]["human"]
    accuracy = human_accuracy(printed["points"])
    assert round(100 * accuracy, 1) == printed["accuracy"]
    assert round(60 * accuracy, 2) == printed["correct"]


@pytest.mark.parametrize(("points", "percent"), [(85, 95.6), (61.3, 74.8)])
def test_the_other_printed_conversions(points, percent):
    """The paper's appendix B prints two more."""
    assert round(100 * human_accuracy(points), 1) == percent


@given(
    questions=st.integers(1, 300),
    right=st.floats(0.1, 5),
    wrong=st.floats(-3, 0),
    share=st.floats(0, 1),
)
def test_points_counted_one_by_one_give_the_share_back(questions, right, wrong, share):
    """So many right, the rest wrong: the points lead back to the share."""
    correct = round(share * questions)
    points = sum([right] * correct + [wrong] * (questions - correct))
    found = human_accuracy(
        min(max(points, questions * wrong), questions * right), questions=questions, right=right, wrong=wrong
    )
    assert found == pytest.approx(correct / questions, abs=1e-9)


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({}, "either an accuracy or an exam's points"),
        ({"accuracy": 0.5, "points": 3}, "either"),
        ({"accuracy": 71}, "between 0 and 1"),
        ({"accuracy": 0.71, "right": 1}, "takes no exam rules, got right"),
        ({"points": 91}, "cannot be reached: 60 questions give -24 to 90"),
        ({"points": 5, "blank": 0}, "got blank"),
        ({"points": 5, "questions": 9.5}, "must be a whole number, got 9.5"),
        ({"points": 0, "questions": 0}, "must give more"),
        ({"points": 5, "right": 0, "wrong": 0}, "must give more"),
        ({"points": 5, "right": -1, "wrong": 0}, "must give more"),
    ],
)
def test_what_makes_no_sense_is_refused(given_, message):
    """Each with its reason."""
    with pytest.raises(ValueError, match=message):
        human(**given_)
