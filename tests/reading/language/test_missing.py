"""Sight: replies that say there was nothing to see, and replies that voice doubt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rows import take_rows
from snellen.items import Item
from snellen.reading.claims.parser import read_rationale
from snellen.reading.language.acts.doubting import hedges
from snellen.reading.language.acts.missing import every_missing, says_missing
from snellen.reading.language.acts.supposing import keep_asserted
from steps import lines_run


@take_rows("text")
def test_notices_that_there_is_nothing_to_see(text):
    """No picture, an empty one, or one that cannot be seen is noticed in each language."""
    assert says_missing(text)


@take_rows("text")
def test_a_finding_that_is_missing_is_not_a_missing_picture(text):
    """What is not seen in a picture, and a picture of poor quality, mean that there was one."""
    assert not says_missing(text)


@take_rows("text")
def test_doubt_is_heard(text):
    """Poor sight conceded, a picture presumed, an answer not sure of: each is doubt."""
    assert hedges(text)


@take_rows("text")
def test_the_phrases_of_an_exam_are_no_doubt(text):
    """'Most likely' is what the question asked for."""
    assert not hedges(text)


@given(st.text())
def test_any_text_has_an_answer(text):
    """No text breaks either question, and more lines about other things take no doubt away."""
    assert says_missing(text) == says_missing(text)
    assert hedges(text) <= hedges(f"{text}\nThe answer is A.")


@pytest.mark.parametrize(
    "before", ["", "Hello there.\n", "- One\n  2) Two\n* ", "İ ", "The sign says: s'il vous plaît. "]
)
def test_the_places_are_those_of_the_text_given(before):
    """Bullets, capitals without a small letter and elisions before them move nothing."""
    text = f"{before}I cannot see the image, sorry. Please upload the image."
    places = [text[found.start : found.end].lower() for found in every_missing(text)]
    assert "cannot see the image" in places[0]
    assert "please upload" in places[1:]


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
