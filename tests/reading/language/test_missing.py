"""Sight: replies that say there was nothing to see, and replies that voice doubt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rows import take_rows
from snellen.reading.language.acts.doubting import hedges
from snellen.reading.language.acts.missing import every_missing, says_missing


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
