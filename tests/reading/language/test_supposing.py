"""Sentences that name an image and a finding, and yet do not say what this image shows."""

from __future__ import annotations

from rows import take_rows
from snellen.items import Item
from snellen.reading.claims.parser import read_rationale
from snellen.reading.language.acts.supposing import keep_asserted
from steps import lines_run


def claims(sentence, question="What does the image show?"):
    """The claims of a reply of one sentence."""
    return read_rationale(sentence, "", Item("1", question)).claims


@take_rows("sentence")
def test_talk_of_an_image_is_no_claim(sentence):
    """A wish, a condition, a method, general knowledge, a notice, the question again: nothing is said to be seen."""
    assert claims(sentence) == ()


@take_rows("sentence")
def test_a_statement_about_this_image_stays_a_claim(sentence):
    """What stands around it does not hide it."""
    assert claims(sentence) != ()


@take_rows("question, told, new")
def test_what_a_question_told_in_one_language_is_told_in_another(question, told, new):
    """An English reply that says again what the question said claims nothing; a new finding is a claim."""
    assert claims(f"The image shows {told}.", question) == ()
    assert claims(f"The image shows {new}.", question) != ()


def test_pneumonia_is_not_told_by_a_pneumothorax():
    """Words that begin alike may name two things."""
    assert claims("The image shows pneumonia.", "A man with a pneumothorax. What now?") != ()


def test_the_time_grows_with_the_length():
    """No sentence takes more than in proportion to its length."""

    def steps(times):
        sentence = "i cannot help but in general the image can show a, which is (a) " * times
        return lines_run(lambda: keep_asserted(sentence, sentence.split()))

    steps(10)
    assert steps(1000) < 15 * steps(100)
