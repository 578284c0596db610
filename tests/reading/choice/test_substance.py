"""Replies that say what is there, in place of the option's word."""

from __future__ import annotations

import pytest

from rows import take_rows
from snellen.items import Item, Option
from snellen.reading import read_choice
from steps import lines_run


def read(question, reply, options=("Yes", "No")):
    """The option's text that is read, or None."""
    item = Item("1", question, options=tuple(map(Option, options)))
    choice = read_choice(reply, item).choice
    return None if choice is None else options[choice]


@take_rows("question, reply, answer")
def test_a_statement_answers_the_question_it_was_asked(question, reply, answer):
    """What is found or not found is held against what the question asks for."""
    assert read(question, reply) == answer


@take_rows("question, reply, answer")
def test_a_question_asked_in_the_negative_turns_the_answer(question, reply, answer):
    """Yes then means that nothing is there."""
    assert read(question, reply) == answer


@take_rows("question, reply")
def test_what_does_not_answer_is_left_unread(question, reply):
    """Another finding, another part or side, doubt, a definition, or a question that yes and no do not answer."""
    assert read(question, reply) is None


@take_rows("question, reply, options, answer")
def test_contraries_sides_and_kinds_are_read_by_what_they_mean(question, reply, options, answer):
    """The option's own word need not stand in the reply."""
    assert read(question, reply, options) == answer


@take_rows("question, reply, answer")
def test_general_remarks_and_caution_leave_a_statement_standing(question, reply, answer):
    """What is said plainly of this image counts, whatever is said around it."""
    assert read(question, reply) == answer


@take_rows("question, reply")
def test_a_textbook_sentence_is_no_answer(question, reply):
    """What is said of a thing as such, whoever has it, says nothing of this image."""
    assert read(question, reply) is None


@pytest.mark.parametrize("opening", ["Yes, ", "Yes. "])
def test_a_yes_that_its_own_sentence_denies_is_left_unread(opening):
    """A yes or no counts unless the statement after it says the contrary outright."""
    question = "Is the lesion calcified?"
    assert read(question, f"{opening}The lesion is not calcified.") is None
    assert read(question, f"{opening}The lesion is calcified.") == "Yes"
    assert read(question, f"{opening}It is in the liver.") == "Yes"


@pytest.mark.parametrize(
    ("reply", "answer"),
    [("A. No", None), ("B) Yes", None), ("A. Yes", "Yes"), ("C. No", "No"), ("X. Yes", "Yes"), ("A: No", "No")],
)
def test_a_letter_that_is_not_its_words_option_is_a_conflict_or_no_option_at_all(reply, answer):
    """A letter that is offered must agree with the yes or no after it; one that is not offered says nothing."""
    assert read("Is the heart enlarged?", reply) == answer
    assert read("Is the heart enlarged?", f"{reply}\n\nThe heart is of normal size in this film.") == answer


@take_rows("question, reply, options, answer")
def test_a_disease_beside_its_absence_or_others_is_read_by_what_is_found(question, reply, options, answer):
    """A finding need not be named by the option's own word."""
    assert read(question, reply, options) == (None if answer is None else options[answer])


def test_contradicting_sentences_are_left_unread():
    """A reply that finds something and finds it not says nothing."""
    assert read("Is there a fracture?", "A fracture is seen. There is no fracture.") is None


def test_reading_stays_linear():
    """Ten times the text takes at most some ten times the steps."""

    def steps(times):
        reply = "no mass or cyst and the lung is a which is " * times
        return lines_run(lambda: read("Is there a mass?", reply))

    steps(20)
    assert steps(1000) < 15 * steps(100)
