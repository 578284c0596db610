"""The grounding signal: 0 for who never looks, 1 for who always answers otherwise without the image."""

from dataclasses import replace

import pytest

from snellen.items import Option
from snellen.stress.base import Status
from tables import numbers, rated, sheet, verdict

BLIND = "image-removed"


def asked(original, removed):
    """A table of runs with and without the image, lines of signs."""
    return sheet({"original": original, BLIND: removed})


@pytest.mark.parametrize(
    ("seen", "blind", "signal", "status", "words"),
    [
        ("++--+--+" * 10, "++--+--+" * 10, 0, Status.FAIL, "do not depend on the image"),
        ("+" * 40, "-" * 40, 1, Status.PASS, "depend on the image"),
        ("+" * 40, "o" * 40, 1, Status.INCONCLUSIVE, "declines 100% more of the questions, which shows no looking"),
        ("+" * 40, "?" * 40, None, Status.INCONCLUSIVE, "could not be read"),
        ("+" * 40, "t" * 40, None, Status.INCONCLUSIVE, "could not be read"),
        ("?" * 40, "+" * 40, None, Status.INCONCLUSIVE, "could not be read"),
        ("+---" * 10, "-+--" * 10, 0.5, Status.INCONCLUSIVE, "better than guessing"),
        ("x" * 40, "x" * 40, 0, Status.INCONCLUSIVE, "it answers only"),
        ("+" * 30 + "x" * 10, "-" * 30 + "x" * 10, None, Status.PASS, "depend on the image"),
        ("-" * 80, "-" * 80, 0, Status.FAIL, "do not depend on the image"),
        ("+++-", "++--", None, Status.INCONCLUSIVE, "4 questions are too few to tell"),
    ],
)
def test_what_is_concluded(seen, blind, signal, status, words):
    """Who answers alike scores nothing, who always answers otherwise all; silence without the image is no looking.

    What was cut off or unreadable on either side may have been the same answer; guesses move by themselves.
    """
    table = asked([seen] * 2, [blind] * 2)
    if signal is not None:
        assert numbers("grounding-signal", table)[BLIND, "grounding_signal"].value == pytest.approx(signal)
    found = verdict("grounding-signal", table)
    assert (found.status, words in found.sentence) == (status, True), found


def test_run_to_run_change_is_taken_off():
    """Half the runs right in either arm: as far apart as two runs of one arm are."""
    table = asked(["+" * 40, "-" * 40], ["+" * 40, "-" * 40])
    # across, half of the pairs differ; within, all of them do
    assert numbers("grounding-signal", table)[BLIND, "grounding_signal"].value == pytest.approx(0.5 - 1)


def test_what_was_asked_once_or_never_says_how_to_ask():
    """Without repeats there is no signal, and the verdict says how to get one; where nothing was asked, no advice."""
    table = asked("+" * 40, "-" * 40)
    assert (BLIND, "grounding_signal") not in numbers("grounding-signal", table)
    once, never = (verdict("grounding-signal", each) for each in (table, asked("." * 4, "." * 4)))
    assert (once.status, "--epochs" in once.sentence) == (Status.INCONCLUSIVE, True)
    assert never.status is Status.INCONCLUSIVE
    assert never.sentence == "No question was asked both with the image and without."


def test_over_a_type_of_question_answers_are_compared_by_their_words():
    """Always "yes" with the image and always "no" without it is as far as answers can shift, wherever they stand."""
    yes, no = Option("Yes"), Option("No")
    items = tuple(
        replace(item, options=(yes, no) if at % 2 else (no, yes), answer=0 if at % 2 else 1)
        for at, item in enumerate(rated(40, options=2))
    )
    table = sheet({"original": "+" * 40, BLIND: "-" * 40}, items)
    assert numbers("grounding-signal", table)[BLIND, "answer_shift"].value > 0.8
    same = sheet({"original": "+" * 40, BLIND: "+" * 40}, items)
    assert numbers("grounding-signal", same)[BLIND, "answer_shift"].value == pytest.approx(0, abs=1e-9)
