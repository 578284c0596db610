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


def test_the_mode_in_which_it_answers_better_is_named():
    """Neither where the difference may be chance, nor where responses were cut off."""
    good, bad = "+" * 30 + "-" * 10, "+" * 5 + "-" * 35
    for untold, told, meaning in (
        (bad, good, "it answers better when it is told that the image is missing"),
        (good, bad, "it answers better when it is not told that the image is missing"),
        (good, good, "no difference is shown; 40 questions"),
        (good, "t" * 40, "100 points of this change are due to unreadable"),
    ):
        found = verdict("guess-mode", sheet({UNTOLD: untold, TOLD: told}))
        assert found.meaning.startswith(meaning), found
        assert found.status is (Status.INCONCLUSIVE if "t" in told else Status.REPORTED)
