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


def test_who_answers_alike_scores_nothing():
    """The same answers in all runs of both arms."""
    runs = ["++--+--+" * 10] * 3
    found = numbers("grounding-signal", asked(runs, runs))
    assert found[BLIND, "grounding_signal"].value == 0
    assert verdict("grounding-signal", asked(runs, runs)).status is Status.FAIL


def test_who_always_answers_otherwise_scores_all():
    """Right with the image and wrong without, every time."""
    table = asked(["+" * 40] * 2, ["-" * 40] * 2)
    assert numbers("grounding-signal", table)[BLIND, "grounding_signal"].value == 1
    assert verdict("grounding-signal", table).status is Status.PASS


def test_silence_without_the_image_is_another_answer():
    """A model that says that it cannot see moves too."""
    table = asked(["+" * 40] * 2, ["o" * 40] * 2)
    assert numbers("grounding-signal", table)[BLIND, "grounding_signal"].value == 1
    found = verdict("grounding-signal", table)
    assert found.status is Status.INCONCLUSIVE
    assert "declines 100% more of the questions, which shows no looking" in found.sentence


@pytest.mark.parametrize(("seen", "blind"), [("+", "?"), ("+", "t"), ("?", "+")])
def test_replies_that_could_not_be_read_show_no_sight(seen, blind):
    """Whether cut off with the image or without: nobody knows whether the answer would have moved."""
    found = verdict("grounding-signal", asked([seen * 40] * 2, [blind * 40] * 2))
    assert found.status is Status.INCONCLUSIVE
    assert "could not be read" in found.sentence


def test_run_to_run_change_is_taken_off():
    """Half the runs right in either arm: as far apart as two runs of one arm are."""
    table = asked(["+" * 40, "-" * 40], ["+" * 40, "-" * 40])
    # across, half of the pairs differ; within, all of them do
    assert numbers("grounding-signal", table)[BLIND, "grounding_signal"].value == pytest.approx(0.5 - 1)


def test_one_run_cannot_tell():
    """Without repeats there is no signal, and the verdict says how to get one."""
    table = asked("+" * 40, "-" * 40)
    assert (BLIND, "grounding_signal") not in numbers("grounding-signal", table)
    found = verdict("grounding-signal", table)
    assert found.status is Status.INCONCLUSIVE
    assert "--epochs" in found.sentence


def test_nothing_asked_is_not_blamed_on_the_number_of_runs():
    """Where no question could be asked, more epochs would not help, and are not advised."""
    found = verdict("grounding-signal", asked("." * 4, "." * 4))
    assert found.status is Status.INCONCLUSIVE
    assert found.sentence == "No question was asked both with the image and without."


def test_guesses_that_move_are_not_called_looking():
    """One that guesses anew for every request, and always the same for one, moves without having seen anything."""
    seen, blind = "+---" * 10, "-+--" * 10
    table = asked([seen] * 2, [blind] * 2)
    assert numbers("grounding-signal", table)[BLIND, "grounding_signal"].value == pytest.approx(0.5)
    found = verdict("grounding-signal", table)
    assert found.status is Status.INCONCLUSIVE
    assert "better than guessing" in found.sentence


def test_who_refuses_everything_is_not_called_blind():
    """It does not answer: whether it would look is not known."""
    silent = ["x" * 40] * 2
    assert verdict("grounding-signal", asked(silent, silent)).status is Status.INCONCLUSIVE


def test_what_is_concluded_beside_silence_wrong_answers_and_few_questions():
    """Silence that is the same with the image moves nothing; who answers wrong answers; four questions are too few."""
    for seen, blind, status, words in (
        ("+" * 30 + "x" * 10, "-" * 30 + "x" * 10, Status.PASS, "depend on the image"),
        ("-" * 80, "-" * 80, Status.FAIL, "do not depend on the image"),
        ("+++-", "++--", Status.INCONCLUSIVE, "4 questions are too few to tell"),
    ):
        found = verdict("grounding-signal", asked([seen] * 2, [blind] * 2))
        assert (found.status, words in found.meaning) == (status, True), found


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
