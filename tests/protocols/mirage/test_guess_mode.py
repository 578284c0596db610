"""Guess mode: what is told of the change from untold to told, and of who chooses nothing in either."""

from snellen.stress.base import Status
from tables import sheet, verdict

UNTOLD, TOLD = "image-removed", "image-removed+guess"


def test_who_chooses_nothing_is_not_said_to_guess():
    """Silence in both modes is told as silence, not as an accuracy that stays."""
    found = verdict("guess-mode", sheet({UNTOLD: "o" * 40, TOLD: "x" * 40}))
    assert found.status is Status.REPORTED
    assert found.meaning == "without the image it chooses no option, whether it is told so or not"


def test_who_guesses_only_when_told_has_its_change_told():
    """A model that is silent in one mode only is compared."""
    found = verdict("guess-mode", sheet({UNTOLD: "o" * 40, TOLD: "+" * 30 + "-" * 10}))
    assert "0% → 75% without the image, told to guess (75 points" in found.sentence
